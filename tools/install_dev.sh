#!/usr/bin/env bash
# Install this checkout with all that development needs: install_dev.sh PYTHON.
set -euo pipefail
# Python compiles modules when they are first imported; most never are.
install=("$1" -m pip install --quiet --no-compile)

require_space() { # GIGABYTES WHAT
  local free=$(($(df -Pk . | awk 'NR == 2 { print $4 }') * 1024 / 1000000000))
  if [ "$free" -lt "$1" ]; then
    echo "The disk is too small: $2 needs $1 GB with downloads and caches; $free GB are free in $PWD." >&2
    exit 1
  fi
}

install_torch_for_cpu() { # where pip's find-links offer such a build
  "${install[@]}" --no-deps --no-index torch 2>/dev/null
}

if ! "$1" -c 'import importlib.util, sys; sys.exit(importlib.util.find_spec("torch") is None)'; then
  require_space 4 "the development environment"
  # On Linux the package index has PyTorch with 4 GB of CUDA libraries only.
  if [ "$(uname)" = Linux ] && { command -v nvidia-smi >/dev/null || ! install_torch_for_cpu; }; then
    require_space 11 "the development environment with PyTorch for CUDA"
  fi
fi
"${install[@]}" --editable '.[dev]'
