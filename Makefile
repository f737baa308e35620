# `make` shows the tasks. Each builds its own environment in .venv first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Compiled kernels are kept per state of the sources: a kernel's cache does not notice when a kernel it calls has changed.
SOURCES := $(shell find src -name '*.py' | LC_ALL=C sort)
export NUMBA_CACHE_DIR ?= $(CURDIR)/.numba/$(shell cat $(SOURCES) | cksum | cut -d' ' -f1)

.PHONY: help demo test test-java lint types docs evidence bench bench-large bench-uk2007 clean

help:
	@echo "make demo    two snapshots of a web: seeds chosen on one, judged on the other, and a report to look at"
	@echo "make test    lint, types, layers, tests"
	@echo "make test-java     tests with Java programs: a real Spark cluster, and what befalls it"
	@echo "make lint    formatting and lint only"
	@echo "make docs    the docs as a site, in site/"
	@echo "make evidence      the papers' experiments; writes docs/reproduce.md's tables (WEBS=FOLDER: real webs too)"
	@echo "make bench   the benchmarks; writes benchmarks/README.md's tables"
	@echo "make bench-large   the benchmark on 100 million pages: some 10 GB of disk, ten minutes"
	@echo "make bench-uk2007  crawls a web of the size of uk-2007-05: some 10 GB of disk, 16 GiB, half an hour"
	@echo "make clean   remove the environment and all caches"

demo: $(VENV)/ready
	$(BIN)/seedbed demo

test: $(VENV)/ready-test lint types
	$(BIN)/python -m pytest -n 2 --dist loadfile -m "not java"

test-java: $(VENV)/ready-test
	$(BIN)/python -m pytest -n 2 --dist loadfile -m java

lint: $(VENV)/ready-test
	$(BIN)/ruff check src tests benchmarks examples scripts
	$(BIN)/ruff format --check src tests benchmarks examples scripts

types: $(VENV)/ready-test
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

docs: $(VENV)/ready-docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet
	@echo "open site/index.html, or serve it: $(BIN)/python -m mkdocs serve"

evidence: $(VENV)/ready
	$(BIN)/python scripts/evidence.py $(if $(WEBS),--webs $(WEBS))

bench: $(VENV)/ready-bench
	$(BIN)/python benchmarks/run.py

bench-large: $(VENV)/ready-bench
	$(BIN)/python benchmarks/large.py

bench-uk2007: $(VENV)/ready-bench
	$(BIN)/python benchmarks/uk2007.py

$(VENV)/ready: pyproject.toml
	@scripts/environment $(PYTHON) $(VENV)
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/ready-test: $(VENV)/ready scripts/programs scripts/crawlers
	@scripts/programs
	$(BIN)/python -m pip install --quiet --group test
	@scripts/crawlers $(BIN)/python $(VENV)/crawlers
	@touch $@

$(VENV)/ready-docs: $(VENV)/ready
	$(BIN)/python -m pip install --quiet --group docs
	@touch $@

$(VENV)/ready-bench: $(VENV)/ready-test
	$(BIN)/python -m pip install --quiet --group bench
	@touch $@

clean:
	rm -rf $(VENV) site .numba .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist screenshots
