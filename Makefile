# Each target does its own set-up: `make run` and `make test` work in a fresh clone.
# PYTHON picks the interpreter of the virtual environment, PORT the app's port.

PYTHON ?= python3
PORT ?= 8501
VENV := .venv
PROGRAMS := $(if $(filter Windows_NT,$(OS)),Scripts,bin)
BIN := $(VENV)/$(PROGRAMS)
# uv installs by the same locks in a tenth of the time; where it is not there, pip does.
UV := $(shell command -v uv)
ifdef UV
MAKE_VENV := $(UV) venv --quiet --seed --python $(PYTHON)
INSTALL := $(UV) pip install --quiet --no-deps --require-hashes --python $(BIN)/python
else
MAKE_VENV := $(PYTHON) -m venv
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes
endif
# What installs into another environment than the program's.
INSTALL_INTO = $(subst $(BIN),$(1)/$(PROGRAMS),$(INSTALL))
BENCHES := $(wildcard tests/bench/bench_*.py)

# Tests run in two processes: threads of linear algebra would only be in each other's way.
test slow audit: export OMP_NUM_THREADS := 1
# Where no bytecode is kept, every process of a test compiles the package anew.
test slow audit: export PYTHONDONTWRITEBYTECODE :=

.PHONY: help run test slow spark databases lint types measures seeds audit evidence advisories bench speeds screenshots docs \
  pictures notebooks wheel offline workflows lock clean

help:  ## Say what there is
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

run: $(VENV)/.runtime  ## Serve the app on this machine
	$(BIN)/python -m synth app --headless --port $(PORT)

# Folder by folder, the browser's long tests early: the short ones at the end even out two workers.
# A third process works while the others wait for a browser, a disk or a process of their own.
# Types are checked meanwhile, by what the tests leave of the processors.
test: $(VENV)/.dev  ## Lint, types, and tests, the browser's too
	$(BIN)/ruff check .
	$(BIN)/ruff format --quiet --check .
	$(BIN)/lint-imports --no-logo --no-cache
	@.ci/browser
	@nice $(BIN)/mypy & types=$$!; $(TESTS); tests=$$?; wait $$types && exit $$tests
TESTS := .ci/scratch $(BIN)/python -m pytest -q -n 3 --dist loadfile --no-loadscope-reorder -m "not slow"

slow: $(VENV)/.dev  ## The tests that take minutes
	@.ci/browser
	$(BIN)/python -m pytest -q -n 2 --dist loadfile --no-loadscope-reorder -m slow tests

spark: $(VENV)/.spark  ## Counting and drawing on Spark, in local mode (needs Java 17)
	@if .ci/java; then $(BIN)/python -m pytest -q tests/counting/test_spark.py \
	  tests/counting/test_spark_kinds.py tests/models/test_spark_rows.py \
	  tests/rows/test_write_kinds.py; fi

databases: $(VENV)/.databases  ## Reading PostgreSQL, from a server that the tests start
	@if .ci/postgresql; then $(BIN)/python -m pytest -q -m databases tests/databases; fi

lint: $(VENV)/.dev  ## Ruff, and which rooms import which
	$(BIN)/ruff check .
	$(BIN)/ruff format --quiet --check .
	$(BIN)/lint-imports --no-logo --no-cache

types: $(VENV)/.dev  ## Mypy, strict on synth and pages
	$(BIN)/mypy

measures: $(VENV)/.dev  ## Sizes of the house: code, vague names, missing docstrings
	@PYTHONPATH=. $(BIN)/python -m tests.house.measures

seeds: $(VENV)/.dev  ## The numbers of the source notes, each one checked
	$(BIN)/python -m pytest -q -m seed

audit: export SYNTH_AUDIT_WORKLOADS := 1000
audit: export SYNTH_LEAVES := 0
audit: $(VENV)/.dev  ## Privacy of the core: exact losses, samples, mutants
	$(BIN)/python -m pytest -q -n 2 --dist worksteal -m audit tests/audit tests/statistical \
	  tests/noise/test_sampler.py tests/collecting tests/e2e/test_collect_form.py \
	  tests/verification/test_leaves.py

evidence: $(VENV)/.spark $(VENV)/.databases  ## What takes hours, into docs/evidence; some of it with ONLY="attacks kills"
	@.ci/browser
	@.ci/java
	@.ci/postgresql
	PYTHONPATH=. $(BIN)/python tests/evidence/run.py $(ONLY)

advisories: | $(BIN)/python  ## What is known against the packages of all locks (needs the network)
	PYTHONPATH=. $(BIN)/python tests/evidence/advisories.py

bench: $(VENV)/.dev  ## The numbers of the documents that take minutes, measured anew
	@for file in $(BENCHES); do PYTHONPATH=. $(BIN)/python $$file || exit 1; done

speeds: $(VENV)/.dev  ## The table of speeds beside peers', into docs/explanation/speed.md
	PYTHONPATH=. $(BIN)/python tests/bench/speeds.py docs/explanation/speed.md

screenshots: $(VENV)/.dev  ## Every step, light and dark, into /tmp/synth-screenshots
	@.ci/browser
	PYTHONPATH=. $(BIN)/python tests/e2e/screenshots.py

docs: $(VENV)/.runtime .venv-docs/.docs  ## The documentation as a site, into build/site
	$(BIN)/python .ci/site.py build/docs
	NO_MKDOCS_2_WARNING=1 .venv-docs/$(PROGRAMS)/mkdocs build --strict

workflows: .venv-workflows/.workflows  ## Check the workflows of .github and the container's file
	.venv-workflows/$(PROGRAMS)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	.venv-workflows/$(PROGRAMS)/zizmor --offline --no-progress --persona pedantic .github/workflows
	.venv-workflows/$(PROGRAMS)/hadolint .container/Containerfile

pictures: $(VENV)/.dev  ## The pictures of the tutorial, anew
	@.ci/browser
	PYTHONPATH=. $(BIN)/python tests/e2e/tutorial_pictures.py

notebooks: $(VENV)/.runtime  ## The notebooks of the documents, run anew, with their outputs
	PYTHONPATH=. $(BIN)/python .ci/notebooks.py

wheel: $(VENV)/.build  ## The package into dist/, with its bill of materials; same bytes each time
	rm -f dist/synth_dp-*
	$(BIN)/python -m hatchling build -t wheel -d dist
	$(BIN)/python .ci/sbom.py requirements.lock $$($(BIN)/python -m hatchling version) dist

offline: wheel  ## A folder that sets Synth up on a machine like this one without a network
	rm -rf dist/offline
	$(BIN)/python -m pip download --quiet --disable-pip-version-check --require-hashes \
	  --only-binary :all: -r requirements.lock -d dist/offline/wheels
	cp dist/synth_dp-* requirements.lock .ci/install.py LICENSE dist/offline
	$(BIN)/python .ci/offline.py > dist/offline/README.txt

lock:  ## Take the newest versions the ranges admit (needs uv and the network)
	uv lock --quiet --upgrade
	$(PYTHON) .ci/locks.py

clean:  ## Remove the virtual environment, what was built and the tools' caches
	rm -rf $(VENV) .venv-docs .venv-workflows build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
	  { echo "Synth needs Python 3.11 or newer; name one with: make PYTHON=python3.11"; exit 1; }
	$(MAKE_VENV) $(VENV)

$(VENV)/.runtime: requirements.lock | $(BIN)/python
	$(INSTALL) -r $<
	@touch $@

$(VENV)/.dev: .ci/locks/dev.lock $(VENV)/.runtime
	$(INSTALL) -r $<
	@touch $@

$(VENV)/.spark: .ci/locks/spark.lock $(VENV)/.dev
	$(INSTALL) -r $<
	@touch $@

$(VENV)/.databases: .ci/locks/databases.lock $(VENV)/.dev
	$(INSTALL) -r $<
	@touch $@

$(VENV)/.build: .ci/locks/build.lock | $(BIN)/python
	$(INSTALL) -r $<
	@touch $@

# The tools of documents and workflows stay apart from what the program needs.
.venv-docs/.docs: .ci/locks/docs.lock | $(BIN)/python
	$(MAKE_VENV) .venv-docs
	$(call INSTALL_INTO,.venv-docs) -r $<
	@touch $@

.venv-workflows/.workflows: .ci/locks/workflows.lock | $(BIN)/python
	$(MAKE_VENV) .venv-workflows
	$(call INSTALL_INTO,.venv-workflows) -r $<
	@touch $@
