# Every target is one readable command. `make setup` needs python3 (with venv) and nothing else.
.DEFAULT_GOAL := help
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.synced
FUZZ_SECONDS := 300
FUZZ_TARGETS := $(notdir $(basename $(wildcard tests/fuzz/targets/[a-z]*.py)))

help: ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 20

setup: $(STAMP) ## virtual environment with the locked dependencies

$(STAMP): pyproject.toml uv.lock deploy/setup.sh
	@sh deploy/setup.sh

demo: setup ## start the sidecar on loopback, replay bundled real telemetry into it, show what it finds
	@$(BIN)/python -m collector demo

picture: setup ## draw the demo's output for the README
	$(BIN)/python -m collector demo --svg docs/demo.svg

test: setup ## every test; real servers that make system-deps could not install are skipped by name
	@sh deploy/system-deps.sh --if-root
	$(BIN)/python -m pytest

slow: setup ## the tests that make test leaves out because each takes more than five seconds
	$(BIN)/python -m pytest -m slow

bench: setup ## one table of ratios: what the sidecar costs beside its neighbours (some nine minutes)
	bench/run

kill: setup ## kill -9 the sidecar dozens of times under load, and look at what is in the ledger
	$(BIN)/python -m pytest -m kill -s

live: setup ## real releases of instrumentation libraries against the sidecar; ONLY=name for some of them
	$(BIN)/python -m pytest tests/live -m live -s $(if $(ONLY),-k '$(ONLY)')

fuzz: setup ## fuzz each target for FUZZ_SECONDS; the corpus is kept in .fuzz (docs/fuzzing.md)
	@for target in $(FUZZ_TARGETS); do \
	  $(BIN)/python tests/fuzz/fuzz.py $$target --seconds $(FUZZ_SECONDS) \
	    --corpus .fuzz/corpus/$$target --found .fuzz/found || exit 1; done

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

docs: setup ## rewrite the generated documentation
	$(BIN)/python -m collector.exporters.reference > docs/metrics.md
	$(BIN)/python -m collector.config_reference > docs/configuration.md
	$(BIN)/python -m collector.capture_reference > docs/capture-loss.md

# DATA: a folder of recorded runs (expected.json, requests), such as ../shared/data/dialects.
dialects: setup ## rewrite docs/dialects.md with the runs in DATA, which are not part of the repository
	$(BIN)/python bench/dialects.py $(DATA) > docs/dialects.md.new
	mv docs/dialects.md.new docs/dialects.md

known-keys: setup ## add the attribute keys of the recorded runs to those that inspect knows
	$(BIN)/python -m collector.inspection.keys tests/golden/dialects

system-deps: ## install the real servers that tests talk to (root, Debian packages)
	sh deploy/system-deps.sh

.PHONY: help setup demo picture test slow bench kill live fuzz check format golden docs dialects known-keys system-deps
