#!/bin/sh
# Makes .venv with the locked dependencies, from nothing but a python3 that has venv. No root needed.
set -eu
cd "$(dirname "$0")/.."
fail() { echo "setup: $*" >&2; exit 1; }
python=.venv/bin/python

# A user without a home folder has no place for a cache.
[ -w "${HOME:-/nonexistent}" ] || export PIP_NO_CACHE_DIR=1 UV_NO_CACHE=1

# A folder that was copied or half made is no environment: begin again.
if ! "$python" -m uv --version >/dev/null 2>&1; then
  command -v python3 >/dev/null 2>&1 || fail "python3 is needed, 3.11 or later"
  python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    fail "python3 is $(python3 -V 2>&1), and 3.11 or later is needed"
  python3 -c 'import ensurepip, venv' 2>/dev/null ||
    fail "this python3 has no venv (on Debian: apt-get install python3-venv)"
  python3 -m venv --clear .venv || fail "python3 -m venv .venv did not work; see above"
  "$python" -m pip install --quiet --disable-pip-version-check uv ||
    fail "uv can't be installed from the package index; see above"
fi

# This environment and this Python, whatever the shell has activated; nothing is downloaded instead.
unset VIRTUAL_ENV
export UV_PROJECT_ENVIRONMENT=.venv UV_PYTHON_DOWNLOADS=never
"$python" -m uv sync --locked --quiet --inexact || fail "uv sync did not work; see above"
touch .venv/.synced
