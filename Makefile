# Every target does its own set-up: all it needs is Python 3.11 or newer, pip, make and git.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
CLIENTS := .venv-clients
PINS   := panda-gym==3.0.7 gymnasium==0.29.1 pyb_utils==2.4.2 robot_descriptions 'numpy<2' \
          'pytest<9' hypothesis matplotlib

.PHONY: help demo test fuzz bench lint docs clients clean
.DEFAULT_GOAL := help

help:
	@echo "make demo   run an unmodified PyBullet script on unibody"
	@echo "make test   run the tests"
	@echo "make fuzz   run the property tests on new random cases, and damaged files through all readers"
	@echo "make bench  measure unibody against the originals, write docs/performance.md"
	@echo "make lint   ruff and pyright"
	@echo "make docs   regenerate the generated pages of docs/"
	@echo "make clients  run PyBullet's clients from the package index on PyBullet and on unibody"
	@echo "make clean  remove the virtual environments and caches"

# Installed again only when pyproject.toml changes. A Python without ensurepip (Debian without
# python3-venv) makes the environment without pip, and the outer pip installs into it.
$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "unibody needs Python 3.11 or newer: make PYTHON=python3.12 ..." >&2; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || $(PYTHON) -m venv --clear --without-pip $(VENV)
	@if test -x $(BIN)/pip; \
	  then $(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[test]'; \
	  else $(PYTHON) -m pip --python $(BIN)/python install --quiet --disable-pip-version-check -e '.[test]'; \
	fi
	@touch $@

demo: $(STAMP)
	$(BIN)/unibody run examples/bullet/kuka_table.py

test: $(STAMP)
	$(BIN)/python -m pytest $(ARGS)

fuzz: $(STAMP)
	$(BIN)/python -m pytest -m hypothesis --hypothesis-profile=explore $(ARGS)
	$(BIN)/python -m tests.fuzz

bench: $(STAMP)
	$(BIN)/unibody bench $(ARGS)

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright

docs: $(STAMP)
	$(BIN)/python scripts/coverage_page.py

# The clients have pins of their own, and bring PyBullet itself.
$(CLIENTS)/.installed: pyproject.toml Makefile
	@test -x $(CLIENTS)/bin/python || $(PYTHON) -m venv $(CLIENTS) || \
	  $(PYTHON) -m venv --clear --without-pip $(CLIENTS)
	@test -x $(CLIENTS)/bin/pip || $(PYTHON) -m pip --python $(CLIENTS)/bin/python install --quiet pip
	@$(CLIENTS)/bin/python -m pip install --quiet --disable-pip-version-check -e '.[serve,viewer]' $(PINS)
	@touch $@

clients: $(CLIENTS)/.installed
	$(CLIENTS)/bin/python scripts/client_suites.py $(ARGS)
	$(CLIENTS)/bin/python scripts/run_clients.py --check

clean:
	rm -rf $(VENV) $(CLIENTS) .pytest_cache .ruff_cache .hypothesis build dist
