# Every target is one readable command. `make setup` needs python3 (with venv) and nothing else.
.DEFAULT_GOAL := help
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.synced

help: ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 20

setup: $(STAMP) ## virtual environment with the locked dependencies

$(STAMP): pyproject.toml uv.lock
	test -x $(BIN)/python || python3 -m venv $(VENV)
	test -x $(BIN)/uv || $(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	$(BIN)/uv sync --locked --quiet --inexact
	touch $(STAMP)

demo: setup ## start the sidecar on loopback, replay bundled real telemetry into it, show what it finds
	$(BIN)/tellback demo

test: setup ## every test; real servers that make system-deps could not install are skipped by name
	@sh deploy/system-deps.sh --if-root
	$(BIN)/python -m pytest

check: setup ## format, lint, types, import rules: one command
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: setup ## rewrite the files as the formatter wants them
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

golden: setup ## rewrite the golden files; review the diff
	$(BIN)/python -m pytest tests -k golden --rewrite-golden

system-deps: ## install the real servers that tests talk to (root, Debian packages)
	sh deploy/system-deps.sh

.PHONY: help setup demo test check format golden system-deps
