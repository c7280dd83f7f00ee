#!/usr/bin/env bash
# Check that Chromium is installed for the browser tests. Install Debian's package when run as root.
set -euo pipefail

if [ -n "${TEAHOUSE_CHROMIUM:-}" ] || command -v chromium >/dev/null; then
  exit 0
fi
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  echo "Installing chromium …"
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core >/dev/null
else
  echo "The browser tests need Chromium. As root: apt-get install chromium. Or set TEAHOUSE_CHROMIUM to the path of one." >&2
  exit 1
fi
