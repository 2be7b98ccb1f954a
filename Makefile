# Every target does its own set-up: all it needs is Python 3.11 or newer, pip, make and git.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
CLIENTS := .venv-clients
OLDEST  := .venv-oldest
PEER    := .venv-newton
SITE    := build/site
# Where else to look for torch; https://download.pytorch.org/whl/cpu has it without CUDA.
TORCH_INDEX ?=
TORCH  := $(if $(TORCH_INDEX),--extra-index-url $(TORCH_INDEX))
# Processes that the tests are shared out to, a file of tests to each; 0: all in the one that starts.
WORKERS ?= $(shell $(PYTHON) -c 'import os; print(2 if (os.cpu_count() or 1) > 1 else 0)')
# Tests that passed when this was last counted.
ISAAC_LEAST   := 175
ISAAC_SIX_LEAST := 392
TENSORS_LEAST := 100
SUITES  := 0.2.0 1.0.0 1.8.0
PINS   := panda-gym==3.0.7 gymnasium==0.29.1 pyb_utils==2.4.2 robot_descriptions 'numpy<2' \
          'pytest<9' hypothesis matplotlib pybullet-fleet==0.8.0

# The oldest versions that pyproject.toml allows, and the tests that meet most of their names.
OLDEST_PINS  := 'numpy==1.26.*' 'numba==0.63.*' 'mujoco==3.17.0' pytest hypothesis scipy pybullet
OLDEST_TESTS := tests/physics tests/machine_code/test_machine_code.py tests/machine_code/test_kept_code.py \
                tests/parity/test_joint_trajectories.py tests/parity/test_constraints.py

.PHONY: help demo test test-fast test-oldest check-wheel fuzz bench bench-isaac-core bench-newton lint docs site clients newton-suites \
        newton-examples isaac-suites omni-gym-envs omni-gym-training \
        clean
.DEFAULT_GOAL := help

help:
	@echo "make demo   see an unmodified PyBullet script run on unibody, in a small environment of its own"
	@echo "make test   run the tests, in two processes where there are two cores (WORKERS=0: in one);"
	@echo "            for torch without CUDA add TORCH_INDEX=https://download.pytorch.org/whl/cpu"
	@echo "make test-fast  run one quick test of each module"
	@echo "make test-oldest  run some of them with the oldest versions of NumPy, numba and MuJoCo"
	@echo "make check-wheel  build the wheel, install it elsewhere, run a script there"
	@echo "make fuzz   run the property tests on new random cases, and damaged files through all readers"
	@echo "make bench  measure unibody against the originals, write docs/performance.md"
	@echo "make bench-isaac-core  measure the API of Isaac core beside the engine alone and plain MuJoCo"
	@echo "make bench-newton  measure Newton's API beside newton 1.8"
	@echo "make lint   ruff and pyright"
	@echo "make docs   regenerate the generated pages of docs/, and the stubs for editors"
	@echo "make clients  run PyBullet's clients, and PyBulletFleet's tests, on the originals and on unibody,"
	@echo "              and parts of IsaacGymEnvs (ISAACGYMENVS=folder takes a checkout that is there)"
	@echo "make isaac-suites  run the public suites of Isaac core and its tensors on unibody (part of make"
	@echo "              clients; ISAACSIM=folder and PHYSX=folder take checkouts that are there)"
	@echo "make omni-gym-envs  step tasks of OmniIsaacGymEnvs on unibody (OMNIISAACGYMENVS=folder takes a"
	@echo "              checkout that is there)"
	@echo "make omni-gym-training  let OmniIsaacGymEnvs' own trainer learn its cartpole on unibody (rl_games,"
	@echo "              hydra-core and gym have to be installed)"
	@echo "make newton-suites  run Newton's own tests of three versions on unibody (part of make clients)"
	@echo "make newton-examples  run Newton's own examples of two versions on unibody"
	@echo "make site   build the documentation site in build/site"
	@echo "make clean  remove the virtual environments and caches"

# Installed again only when pyproject.toml changes. A Python without ensurepip (Debian without
# python3-venv) makes the environment without pip, and the outer pip installs into it.
$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "unibody needs Python 3.11 or newer: make PYTHON=python3.12 ..." >&2; exit 1; }
	@echo "packages for $(VENV): some minutes, where pip has to download them"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || $(PYTHON) -m venv --clear --without-pip $(VENV)
	@if test -x $(BIN)/pip; \
	  then $(BIN)/python -m pip install --quiet --disable-pip-version-check $(TORCH) -e '.[test]'; \
	  else $(PYTHON) -m pip --python $(BIN)/python install --quiet --disable-pip-version-check $(TORCH) -e '.[test]'; \
	fi
	@touch $@

# An environment of its own, without what only tests need.
demo:
	@$(PYTHON) scripts/demo.py $(ARGS)

test: $(STAMP)
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile $(ARGS)

test-fast: $(STAMP)
	$(BIN)/python -m pytest -q --fast -n $(WORKERS) --dist loadfile $(ARGS)

$(OLDEST)/.installed: pyproject.toml Makefile
	@test -x $(OLDEST)/bin/python || $(PYTHON) -m venv $(OLDEST) || \
	  $(PYTHON) -m venv --clear --without-pip $(OLDEST)
	@test -x $(OLDEST)/bin/pip || $(PYTHON) -m pip --python $(OLDEST)/bin/python install --quiet pip
	@$(OLDEST)/bin/python -m pip install --quiet --disable-pip-version-check -e . $(OLDEST_PINS)
	@touch $@

test-oldest: $(OLDEST)/.installed
	$(OLDEST)/bin/python -m pytest -q $(OLDEST_TESTS)

check-wheel:
	$(PYTHON) scripts/check_wheel.py

fuzz: $(STAMP)
	$(BIN)/python -m pytest -m hypothesis --hypothesis-profile=explore $(ARGS)
	$(BIN)/python -m tests.fuzz
	$(BIN)/python -m tests.fuzz.calls

bench: $(STAMP)
	$(BIN)/unibody bench $(ARGS)

# The peer has pins of its own.
$(PEER)/.installed: Makefile
	@test -x $(PEER)/bin/python || $(PYTHON) -m venv $(PEER) || \
	  $(PYTHON) -m venv --clear --without-pip $(PEER)
	@test -x $(PEER)/bin/pip || $(PYTHON) -m pip --python $(PEER)/bin/python install --quiet pip
	@$(PEER)/bin/python -m pip install --quiet --disable-pip-version-check 'newton[sim]==1.8.0'
	@touch $@

bench-isaac-core: $(STAMP)
	$(BIN)/unibody bench isaac-core $(ARGS)

bench-newton: $(STAMP) $(PEER)/.installed
	$(BIN)/unibody bench newton $(ARGS)

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright
	$(BIN)/python scripts/type_floor.py

docs: $(STAMP)
	$(BIN)/python scripts/coverage_page.py
	$(BIN)/python scripts/stubs.py
	$(BIN)/python scripts/fleet_yaml_page.py

site: $(STAMP)
	$(BIN)/python -m sphinx --quiet --fail-on-warning --keep-going --jobs auto docs $(SITE)
	@echo "$(SITE)/index.html"

# The clients have pins of their own, and bring PyBullet itself.
$(CLIENTS)/.installed: pyproject.toml Makefile
	@test -x $(CLIENTS)/bin/python || $(PYTHON) -m venv $(CLIENTS) || \
	  $(PYTHON) -m venv --clear --without-pip $(CLIENTS)
	@test -x $(CLIENTS)/bin/pip || $(PYTHON) -m pip --python $(CLIENTS)/bin/python install --quiet pip
	@$(CLIENTS)/bin/python -m pip install --quiet --disable-pip-version-check -e '.[serve,viewer,fleet]' $(PINS)
	@touch $@

clients: $(CLIENTS)/.installed $(STAMP)
	$(CLIENTS)/bin/python scripts/client_suites.py $(ARGS)
	$(CLIENTS)/bin/python scripts/run_clients.py --check
	$(BIN)/python -m scripts.isaacgym_clients $(if $(ISAACGYMENVS),--source $(ISAACGYMENVS))
	$(MAKE) newton-suites
	$(MAKE) isaac-suites

# The public suites of Isaac core and of its tensors, cloned unless a checkout is named.
isaac-suites: $(STAMP)
	$(BIN)/python tests/clients/isaac_suites.py $(if $(ISAACSIM),--source $(ISAACSIM)) \
	  --least $(ISAAC_LEAST)
	$(BIN)/python tests/clients/isaac_suites.py $(if $(ISAACSIM),--source $(ISAACSIM)) \
	  --experimental --least $(ISAAC_SIX_LEAST)
	$(BIN)/python tests/clients/physics_tensors_suite.py $(if $(PHYSX),--source $(PHYSX)) \
	  --least $(TENSORS_LEAST)

# Tasks of OmniIsaacGymEnvs, cloned unless a checkout is named; robots are those of an installed newton.
omni-gym-envs: $(STAMP) .venv-newton-1.8.0/.installed
	PYTHONPATH=$$(echo .venv-newton-1.8.0/lib/python3*/site-packages) $(BIN)/python \
	  tests/clients/omni_gym_envs.py $(if $(OMNIISAACGYMENVS),--source $(OMNIISAACGYMENVS))

omni-gym-training: $(STAMP)
	$(BIN)/python tests/clients/omni_gym_training.py \
	  $(if $(OMNIISAACGYMENVS),--source $(OMNIISAACGYMENVS))

# Each version's own tests and assets, in an environment of its own that is only read from.
.venv-newton-%/.installed: Makefile
	@test -x .venv-newton-$*/bin/python || $(PYTHON) -m venv .venv-newton-$* || \
	  $(PYTHON) -m venv --clear --without-pip .venv-newton-$*
	@test -x .venv-newton-$*/bin/pip || \
	  $(PYTHON) -m pip --python .venv-newton-$*/bin/python install --quiet pip
	@.venv-newton-$*/bin/python -m pip install --quiet --disable-pip-version-check --no-deps newton==$*
	@touch $@

newton-suites: $(STAMP) $(SUITES:%=.venv-newton-%/.installed)
	@worst=0; for version in $(SUITES); do \
	  $(BIN)/python tests/clients/newton_suites.py \
	    .venv-newton-$$version/lib/python*/site-packages/newton/tests --core $$version --check \
	    $(ARGS) || worst=1; \
	done; exit $$worst

newton-examples: $(STAMP) .venv-newton-0.2.0/.installed .venv-newton-1.8.0/.installed
	$(BIN)/python tests/clients/newton_examples.py \
	  .venv-newton-0.2.0/lib/python*/site-packages/newton/examples --api 0.2 $(ARGS)
	$(BIN)/python tests/clients/newton_examples.py \
	  .venv-newton-1.8.0/lib/python*/site-packages/newton/examples --api 1 $(ARGS)

clean:
	rm -rf $(VENV) .venv-demo demo.html $(CLIENTS) $(OLDEST) $(PEER) $(SUITES:%=.venv-newton-%) .pytest_cache .ruff_cache .hypothesis build dist
