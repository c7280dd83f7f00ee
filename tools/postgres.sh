#!/usr/bin/env bash
# Check that PostgreSQL is installed for the tests. Install Debian's package when run as root.
set -euo pipefail

if compgen -G "/usr/lib/postgresql/*/bin/initdb" >/dev/null || command -v initdb >/dev/null; then
  exit 0
fi
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  echo "Installing postgresql …"
  apt-get update -qq
  export DEBIAN_FRONTEND=noninteractive
  apt-get install -y -qq --no-install-recommends postgresql-common >/dev/null
  # The tests start their own server; do not let the package start another.
  echo "create_main_cluster = false" >/etc/postgresql-common/createcluster.conf
  apt-get install -y -qq --no-install-recommends postgresql >/dev/null
else
  echo "Tests on PostgreSQL are skipped. To run them, as root: apt-get install postgresql" >&2
fi
