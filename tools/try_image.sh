#!/usr/bin/env bash
# Run the image until its health check passes: try_image.sh IMAGE.
set -euo pipefail

container=$(docker run --detach "$1")
trap 'docker logs "$container"; docker rm --force "$container" >/dev/null' EXIT
for _ in $(seq 60); do
  status=$(docker inspect --format '{{.State.Health.Status}}' "$container")
  if [ "$status" = healthy ]; then
    [ "$(docker exec "$container" id -u)" != 0 ]
    exit 0
  fi
  sleep 2
done
echo "The image is $status after two minutes." >&2
exit 1
