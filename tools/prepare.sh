#!/usr/bin/env bash
# Create a virtual environment: prepare.sh PYTHON FOLDER. Install missing Debian packages when run as root.
set -euo pipefail
python=$1 folder=$2

if ! command -v "$python" >/dev/null; then
  echo "Teahouse needs Python 3.11 or later; '$python' was not found. On Debian: apt-get install python3 python3-venv" >&2
  exit 1
fi
if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
  echo "Teahouse needs Python 3.11 or later; '$python' is $("$python" -V 2>&1). Try: make PYTHON=python3.12 ..." >&2
  exit 1
fi
if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
  version=$("$python" -c 'import sys; print("python%d.%d" % sys.version_info[:2])')
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "Installing $version-venv …"
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$version-venv" >/dev/null
  else
    echo "Python's venv module is missing. As root: apt-get install $version-venv" >&2
    exit 1
  fi
fi
"$python" -m venv "$folder"
"$folder/bin/python" -m pip install --quiet --upgrade pip
