#!/usr/bin/env bash
# Test the lowest versions that pyproject.toml allows, in an environment of their own: lowest.sh UV FOLDER.
# Not tested: torch (some gigabytes) and numba-cuda (needs a GPU).
set -euo pipefail
uv=$1 folder=$2
extras=(client learned openspiel otel pictures postgres ray rl server terminal)
tests=( # every dependency is imported and used
  tests/test_api.py tests/test_command_options.py tests/test_draw_command.py tests/test_executor.py
  tests/test_extras.py tests/test_jit.py tests/test_lab_page.py tests/test_networks.py
  tests/test_rl_gymnasium.py tests/test_rl_openspiel.py tests/test_rl_pettingzoo.py
  tests/test_terminal_app.py tests/server/test_accounts.py tests/server/test_client.py
  tests/server/test_doctor.py tests/server/test_http.py tests/server/test_migration.py tests/server/test_operations.py
  tests/server/test_pairing.py tests/server/test_passkeys.py tests/server/test_ratings.py
  tests/server/test_sharing.py
)
tools=(
  aiosmtpd cryptography hypothesis pexpect pytest pytest-asyncio pytest-rerunfailures pytest-xdist
  httpx onnx pyyaml playwright axe-playwright-python scikit-learn schemathesis check-jsonschema
)

"$uv" venv --quiet --clear --python 3.11 "$folder"
"$uv" pip compile --quiet --no-header --no-annotate --python "$folder/bin/python" \
  --resolution lowest-direct "${extras[@]/#/--extra=}" --output-file "$folder/lowest.txt" pyproject.toml
"$uv" pip install --quiet --python "$folder/bin/python" --requirement "$folder/lowest.txt"
"$uv" pip install --quiet --python "$folder/bin/python" --constraint "$folder/lowest.txt" "${tools[@]}"
"$uv" pip install --quiet --python "$folder/bin/python" --no-deps --editable .
# Old versions warn of what newer Pythons will drop.
"$folder/bin/python" -m pytest -n auto -m "not long" --override-ini filterwarnings=default "${@:3}" "${tests[@]}"
