#!/usr/bin/env bash
# Make sure that there is a PostgreSQL for the tests to start. Installs Debian's when root, else names it.
set -euo pipefail

if compgen -G "/usr/lib/postgresql/*/bin/initdb" >/dev/null || command -v initdb >/dev/null; then
  exit 0
fi
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  echo "Installing postgresql …"
  apt-get update -qq
  export DEBIAN_FRONTEND=noninteractive
  apt-get install -y -qq --no-install-recommends postgresql-common >/dev/null
  # The tests start one of their own; the system is not to run another.
  echo "create_main_cluster = false" >/etc/postgresql-common/createcluster.conf
  apt-get install -y -qq --no-install-recommends postgresql >/dev/null
else
  echo "Tests on PostgreSQL will be left out. To run them, as root: apt-get install postgresql" >&2
fi
