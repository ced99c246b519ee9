# Two commands set everything up: `make demo` and `make test`. Both work in a fresh clone with Python 3.11+ and make.

PYTHON ?= $(shell for candidate in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	$$candidate -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$candidate && break; done)
VENV := .venv
BIN := $(VENV)/bin

.NOTPARALLEL:
.DEFAULT_GOAL := help

.PHONY: help demo test test-long fuzz kernels lint style types contracts docs reference catalogue screenshots bench cluster-demo cluster-faults environment clean

help: ## What can be made.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-14s %s\n", $$1, $$2 }' Makefile

demo: $(VENV)/demo.stamp ## Anonymize generated check-ins, prove and measure the result, write a release with a report.
	@$(BIN)/python -m compileall -q src
	@$(BIN)/crypsis demo --out demo-release --overwrite

test: environment ## Every test that is quick, with the system packages they need.
	@.ci/system-packages
	@$(BIN)/python -m pytest -n 2 --dist worksteal -m "not long"

test-long: environment ## What takes long: brokers, browsers, real data, faults.
	@.ci/system-packages
	@$(BIN)/python -m pytest -n 2 --dist worksteal -m long -rR --durations=40 --durations-min=5

fuzz: environment ## Property tests with new examples each time; a failure prints the line that repeats it.
	@$(BIN)/python -m pytest -n 2 --dist worksteal -m "not long" --hypothesis-profile=fuzz

kernels: environment ## Compile every kernel ahead of time, so that no test waits for it.
	@$(BIN)/crypsis warmup

lint: style types contracts ## Style, types and the dependency rule.

style: environment
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: environment
	$(BIN)/mypy

contracts: environment
	$(BIN)/lint-imports

docs: environment ## Build the documentation into site/, without network.
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict

reference: environment ## Write docs/reference from the code.
	$(BIN)/python docs/generate_reference.py

catalogue: environment ## Write the catalogue of texts from the code, and compile the translations.
	$(BIN)/python docs/write_catalogue.py --missing

screenshots: environment ## Look at every page of the browser interface; writes docs/images.
	@.ci/system-packages
	$(BIN)/python docs/screenshots.py

bench: environment ## Times as ratios from one run; needs g++ for the comparison with plain C++.
	@.ci/system-packages
	$(BIN)/python -m benchmarks

cluster-demo: environment ## Ten million rows on three workers, one of which is killed: the digest of one machine.
	@$(BIN)/python -m benchmarks.executors.cluster_demo

cluster-faults: environment ## Fifty workers die in the middle of their work; a scheduler is lost, a disk fills.
	@CRYPSIS_DEATHS=50 $(BIN)/python -m pytest tests/executors/test_faults.py

environment: $(VENV)/test.stamp
	@$(BIN)/python -m compileall -q src

clean: ## Remove what was made here.
	rm -rf $(VENV) demo-release site

$(VENV)/demo.stamp: pyproject.toml constraints.txt
	$(call install,.)

$(VENV)/test.stamp: pyproject.toml constraints.txt
	$(call install,.[dev$(,)docs])
	@touch $(VENV)/demo.stamp

, := ,

# A stamp is written last, so an interrupted installation is taken up again.
define install
	@test -n "$(PYTHON)" || { echo "Crypsis needs Python 3.11 or newer; none was found. Name one: make PYTHON=/path/to/python3" >&2; exit 2; }
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear $(VENV) \
		|| { echo "Python cannot make a virtual environment; on Debian or Ubuntu: apt-get install python3-venv" >&2; exit 2; }
	@echo "Installing Crypsis into $(VENV) (about a minute, first time only)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '$(1)'
	@$(BIN)/python -m compileall -qq $(VENV)/lib || true # pip may have been told not to compile; packages may ship broken files
	@touch $@
endef
