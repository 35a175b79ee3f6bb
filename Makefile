# Needs Python 3.11 or newer, git and make; everything else goes into .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.ready
# One worker runs all tests of a file: what they share is made once. One more than there are cores: some tests wait.
WORKERS = $(shell $(PYTHON) -c 'import os; print(len(os.sched_getaffinity(0)) + 1 if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1) + 1)')
PYTEST = $(BIN)/pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder
PIP = $(BIN)/python -I -m pip install --quiet --disable-pip-version-check --no-deps
# Tests start hundreds of processes: none is to compile the package again.
export PYTHONDONTWRITEBYTECODE =

.PHONY: demo studio test test-fast browser rewritten slow lint mutants docs bench score fleet-corpus soak lock sbom lowest clean

demo: $(STAMP)  ## an example loop until EXIT, an agent that misbehaves, one that a probe sends back, five recorded loops under two policies
	@PATH="$(CURDIR)/$(BIN):$$PATH" bash examples/loop/run.sh
	@PATH="$(CURDIR)/$(BIN):$$PATH" bash examples/misbehaving/run.sh claims-done-early
	@PATH="$(CURDIR)/$(BIN):$$PATH" bash examples/verified/run.sh
	@PATH="$(CURDIR)/$(BIN):$$PATH" bash examples/transcripts/run.sh build/demo-report.html

studio: $(STAMP)  ## the example runs under two policies in the browser
	@$(BIN)/exitgate studio examples/transcripts -p recommended -p bb3 -l examples/transcripts/labels.yaml

test: $(STAMP)  ## everything CI runs: style, types, layers, all tests
	@$(MAKE) --no-print-directory -j3 lint browser rewritten
	@$(PYTEST)

browser: $(STAMP)
	@bash scripts/browser.sh

# pytest rewrites the assertions of each test file once and keeps the result: done here, no worker has to.
rewritten: $(STAMP)
	@$(BIN)/pytest --collect-only -qq -n 0 >/dev/null || true

test-fast: $(STAMP)  ## a minute's worth: style, layers, and the tests that tests/slow.txt does not list
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check -q .
	@$(BIN)/lint-imports >/dev/null || $(BIN)/lint-imports
	@$(PYTEST) --fast

slow: $(STAMP)  ## what of the suite is slow, as the last `make test` measured it; writes tests/slow.txt
	@$(BIN)/python scripts/slow_tests.py --write

lint: $(STAMP)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

mutants: $(STAMP)  ## small mistakes in the shipped policies: fails where no case would notice one (about ten minutes)
	@$(BIN)/exitgate mutate policies/ --fail-under 100

docs: $(STAMP)  ## write the reference pages that are generated
	@$(BIN)/python docs/generate.py
	@$(BIN)/python docs/notebooks/execute.py

bench: $(STAMP)  ## ratios against hand-written Python and other engines, measured in one run
	@$(BIN)/python benchmarks/run.py

score: $(STAMP)  ## right, early, late and missed stops of every shipped policy: make score [CASES="FILE ..."] [SHAPES=FOLDER] [LOOPS=FOLDER]
	@$(BIN)/python benchmarks/score.py $(if $(CASES),--cases $(CASES)) $(if $(SHAPES),--shapes $(SHAPES)) $(if $(LOOPS),--corpus $(LOOPS))

fleet-corpus: $(STAMP)  ## a Dask cluster of two workers against this process, byte for byte: make fleet-corpus CORPUS=FOLDER
	@$(BIN)/python benchmarks/fleet_corpus.py $(CORPUS)

MINUTES ?= 10
soak: $(STAMP)  ## what is long by nature, seeded and resumed: nights with kills, properties, z3 against the walk: make soak [MINUTES=10] [PART=texts] [COUNT=5000]
	@$(BIN)/python benchmarks/soak.py --minutes $(MINUTES) $(if $(PART),--part $(PART)) $(if $(COUNT),--count $(COUNT))

# uv resolves for every Python and platform at once; it lives apart from what is tested.
TOOLS := build/tools
UV = $(TOOLS)/bin/uv pip compile --quiet --universal --python-version 3.11 --no-header
$(TOOLS)/.ready:
	@$(PYTHON) -m venv $(TOOLS)
	@$(TOOLS)/bin/python -I -m pip install --quiet --disable-pip-version-check uv cyclonedx-bom
	@touch $@

lock: $(TOOLS)/.ready  ## write scripts/requirements/: every package that is installed, with its hashes
	@$(UV) --generate-hashes --upgrade --extra dev pyproject.toml -o scripts/requirements/dev.txt
	@$(UV) --generate-hashes --upgrade pyproject.toml -o scripts/requirements/run.txt
	@echo uv | $(UV) --generate-hashes --upgrade - -o scripts/requirements/uv.txt
	@$(UV) --upgrade --resolution lowest-direct pyproject.toml -o scripts/requirements/lowest.txt

sbom: $(TOOLS)/.ready  ## build/exitgate.cdx.json: what a plain installation holds, as CycloneDX
	@$(TOOLS)/bin/cyclonedx-py requirements scripts/requirements/run.txt --pyproject pyproject.toml --output-reproducible -o build/exitgate.cdx.json

lowest: $(STAMP)  ## the tests of `make test-fast` with the lowest release of each package that pyproject.toml allows
	@bash scripts/lowest.sh

clean:
	rm -rf $(VENV) dist build

# uv takes seconds; pip takes the same files where only it knows the index.
$(STAMP): pyproject.toml scripts/requirements/dev.txt scripts/requirements/uv.txt
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "exitgate needs Python 3.11 or newer; say which: make PYTHON=python3.12")'
	@echo "setting up $(VENV) (once)"
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) --require-hashes -r scripts/requirements/uv.txt
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes --no-deps -r scripts/requirements/dev.txt \
		|| $(PIP) --require-hashes -r scripts/requirements/dev.txt
	@$(PIP) --no-build-isolation -e .
	@touch $@
