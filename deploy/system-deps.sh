#!/bin/sh
# Installs the real servers that the tests talk to. With --if-root it does nothing (and says so)
# where it may not or need not install; the tests then skip what is missing, by name.
set -eu
packages=""
command -v prometheus >/dev/null 2>&1 && command -v promtool >/dev/null 2>&1 || packages="$packages prometheus"
[ -z "$packages" ] && exit 0
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null 2>&1; then
  echo "system-deps: needs root on a Debian system to install:$packages" >&2
  [ "${1:-}" = "--if-root" ] && exit 0
  exit 1
fi
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
# shellcheck disable=SC2086 # a list of package names
apt-get install -y -qq --no-install-recommends $packages
