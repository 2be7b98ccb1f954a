# Every target does its own set-up: all it needs is Python 3.11 or newer, pip, make and git.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed

.PHONY: help demo test bench lint docs clean
.DEFAULT_GOAL := help

help:
	@echo "make demo   run an unmodified PyBullet script on unibody"
	@echo "make test   run the tests"
	@echo "make bench  measure unibody against the originals, write docs/performance.md"
	@echo "make lint   ruff and pyright"
	@echo "make docs   regenerate the generated pages of docs/"
	@echo "make clean  remove the virtual environment and caches"

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

bench: $(STAMP)
	$(BIN)/unibody bench $(ARGS)

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright

docs: $(STAMP)
	$(BIN)/python scripts/coverage_page.py

clean:
	rm -rf $(VENV) .pytest_cache .ruff_cache .hypothesis build dist
