#!/bin/sh
# Installs Arize Phoenix, a neighbour to measure against, into bench/.phoenix: some 300 packages of its own.
set -eu
cd "$(dirname "$0")"
[ -x .phoenix/bin/phoenix ] && exit 0
python3 -m venv --clear .phoenix
.phoenix/bin/python -m pip install --quiet --disable-pip-version-check arize-phoenix==20.26.1
