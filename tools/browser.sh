#!/usr/bin/env bash
# Make sure that there is a Chromium for the browser tests. Installs Debian's when root, else names it.
set -euo pipefail

if [ -n "${TEAHOUSE_CHROMIUM:-}" ] || command -v chromium >/dev/null; then
  exit 0
fi
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  echo "Installing chromium …"
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core >/dev/null
else
  echo "The browser tests need Chromium. As root: apt-get install chromium (or name one: TEAHOUSE_CHROMIUM=…)" >&2
  exit 1
fi
