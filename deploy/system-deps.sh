#!/bin/sh
# Installs the real servers that the tests talk to, as Debian packages. With --if-root, what can't
# be installed is said and is no failure: the tests then skip what needs it, by name, and with
# CI=true they fail there.
set -eu
optional=$([ "${1:-}" = "--if-root" ] && echo yes || echo no)

packages=""
for program in prometheus promtool; do
  command -v "$program" >/dev/null 2>&1 || packages="prometheus"
done
[ -n "$packages" ] || exit 0

give_up() {
  echo "system-deps: $*; not installed: $packages" >&2
  [ "$optional" = yes ] && exit 0
  exit 1
}
command -v apt-get >/dev/null 2>&1 || give_up "no apt-get here"
[ "$(id -u)" = 0 ] || give_up "needs root"

# The tests start their own servers; the packages must not start one beside them.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  trap 'rm -f "$policy"' EXIT
  printf '#!/bin/sh\nexit 101\n' >"$policy"
  chmod 755 "$policy"
fi
export DEBIAN_FRONTEND=noninteractive
echo "system-deps: installing $packages" >&2
apt-get update -qq >/dev/null || give_up "apt-get update did not work"
# shellcheck disable=SC2086 # a list of package names
apt-get install -y -qq --no-install-recommends $packages >/dev/null || give_up "apt-get install did not work"
