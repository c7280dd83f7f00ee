# People and continuous integration use the same targets. `make help` lists them.
SHELL := /bin/bash
.DEFAULT_GOAL := help
VENV := .venv
BIN := $(VENV)/bin
NPM := PATH="$(CURDIR)/$(BIN):$$PATH" npm --loglevel=error
PYTHON ?= python3
# Without cached bytecode each process of a test or a server compiles all its modules: twice the time to start.
unexport PYTHONDONTWRITEBYTECODE
# Each process takes a whole part of the tests, so that modules share their servers, and helps others at the end.
PARALLEL := -n logical --dist worksteal

.PHONY: help play test test-all test-lowest test-wheel test-image check check-javascript hooks dist release-check release-notes audit new-game generate suite puzzles pictures notebooks docs bench bench-check bench-gpu format clean

help: ## this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

play: $(BIN)/.installed ## start the server and open all games in the browser
	@$(BIN)/teahouse serve

test: $(BIN)/.installed-dev check ## everything that must pass: lint, types, layers, tests
	@bash tools/browser.sh
	@bash tools/postgres.sh
	$(BIN)/python -m pytest $(PARALLEL) -m "not long"

test-all: test ## the same and the tests that take minutes
	$(BIN)/python -m pytest $(PARALLEL) -m long

check: $(BIN)/.installed-dev node_modules/.installed ## lint, types, layers; Python and JavaScript
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	@$(MAKE) --no-print-directory check-javascript

check-javascript: node_modules/.installed
	@$(NPM) run --silent check

hooks: $(BIN)/.installed-dev ## run the tools of `make check` on each commit of this clone
	$(BIN)/pre-commit install

test-lowest: $(BIN)/.installed-dev ## tests with the lowest versions of all dependencies, in .venv-lowest
	@bash tools/postgres.sh
	bash tools/lowest.sh $(BIN)/uv .venv-lowest

dist: $(BIN)/.installed-dev ## build wheel and source archive in dist/, and check what is in them
	rm -rf dist
	$(BIN)/python -m hatchling build
	$(BIN)/python tools/check_dist.py dist
	$(BIN)/twine check --strict dist/*

test-wheel: ## use the wheel in dist/ as a first-time user would, in a clean environment
	$(PYTHON) tools/try_wheel.py dist/*.whl

test-image: ## build the Docker image, run it until it is healthy
	docker build --file deploy/Dockerfile --tag teahouse .
	bash tools/try_image.sh teahouse

release-check: $(BIN)/.installed-dev ## whether a tag can be released: make release-check TAG=v0.2.0
	$(BIN)/python tools/release.py check $(TAG)

release-notes: $(BIN)/.installed-dev
	@$(BIN)/python tools/release.py notes

audit: $(BIN)/.installed-audit ## security: bandit, known vulnerabilities and licences of dependencies
	$(BIN)/python tools/audit.py

new-game: $(BIN)/.installed ## write a small working game to start from: make new-game NAME=halma
	@$(BIN)/teahouse new $(NAME)

generate: $(BIN)/.installed-dev ## write a game's generated files (perft, signature, suite, screen): make generate GAME=halma
	$(BIN)/teahouse check $(GAME) --write
	TEAHOUSE_UPDATE_SCREENS=1 $(BIN)/python -m pytest tests/test_terminal_app.py -k "screens and $(GAME)"

suite: $(BIN)/.installed-dev ## prove every answer of the games' test positions (some minutes)
	$(BIN)/python tools/check_suite.py

puzzles: $(BIN)/.installed-dev ## prove every answer of the games' puzzles (some minutes)
	$(BIN)/python tools/check_puzzles.py

pictures: $(BIN)/.installed-dev ## draw every picture of README and documents, from games, server and terminal app
	@bash tools/browser.sh
	$(BIN)/python tools/pictures.py
	$(BIN)/python tools/diagrams.py

notebooks: $(BIN)/.installed-dev ## run the notebooks of the documentation and store their outputs
	$(BIN)/python tools/notebooks.py

docs: $(BIN)/.installed-dev ## build the documentation site in build/docs: warnings are errors, all links are checked
	$(BIN)/python tools/build_docs.py

bench: $(BIN)/.installed-dev ## speed of games, search, start and batches, compared with OpenSpiel and Pgx, and server load (many minutes)
	$(BIN)/python benchmarks/cpu.py --save
	$(BIN)/python benchmarks/search.py --save
	$(BIN)/python benchmarks/rl_cpu.py --save
	$(BIN)/python benchmarks/tables.py
	$(BIN)/python benchmarks/roofline.py --limits
	$(BIN)/python benchmarks/server.py

bench-check: $(BIN)/.installed-dev ## compare this checkout with the last ratios of benchmarks/history.csv; fails on a loss over 10 %
	$(BIN)/python benchmarks/check.py

bench-gpu: $(BIN)/.installed-gpu ## speed on an NVIDIA GPU, compared with Pgx
	$(BIN)/python benchmarks/gpu.py --save
	$(BIN)/python benchmarks/rl_gpu.py --save
	$(BIN)/python benchmarks/tables.py
	$(BIN)/python benchmarks/roofline.py

format: $(BIN)/.installed-dev node_modules/.installed ## format the code
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	@$(NPM) run --silent format

clean: ## remove the virtual environments and caches
	rm -rf $(VENV) node_modules dist .venv-lowest .venv-openspiel .venv-pgx .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

$(BIN)/python:
	@bash tools/prepare.sh $(PYTHON) $(VENV)

$(BIN)/.installed: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable '.[house]'
	@$(BIN)/python -m compileall -q src
	@touch $@

$(BIN)/.installed-dev: pyproject.toml tools/install_dev.sh | $(BIN)/python
	bash tools/install_dev.sh $(BIN)/python
	@touch $@ $(BIN)/.installed

$(BIN)/.installed-audit: pyproject.toml | $(BIN)/.installed-dev
	$(BIN)/python -m pip install --quiet --editable '.[audit]'
	@touch $@

node_modules/.installed: package.json | $(BIN)/.installed-dev
	@$(NPM) install --silent --no-audit --no-fund
	@touch $@

$(BIN)/.installed-gpu: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable '.[gpu]' 'jax[cuda13]' pgx torch
	@touch $@
