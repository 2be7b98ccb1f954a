"""Without each of the mechanisms that make it fast, the library still does what it does with it."""

from __future__ import annotations

import pytest

from tests.support.process import run_python
from unibody.mechanisms import MECHANISMS, VARIABLE

# What of the tests here needs a mechanism most, and takes a few seconds.
_CASES = {
    "calls": ("test_joint_trajectories.py", "torques", 1),
    "slots": ("test_constraints.py", "moved_frame or removed_constraint or held_to_itself", 4),
    "solver": ("test_heaps.py", "caught_in_one_another and 4", 1),
    "threads": ("../fleet/test_parity.py", "picked_up", 1),
    "machine-code": ("test_touching_bodies.py", "carried_from_the_first_step", 1),
    "shared-memory": ("../scale/test_workers.py", "bits_of_one_process and NextStep", 1),
    "shipped": ("test_joint_trajectories.py", "torques", 1),
}
_COMPILING = 500.0  # s: without kept machine code numba compiles all of it, once on a machine


@pytest.mark.parametrize("name", MECHANISMS)
@pytest.mark.slow
def test_without_a_mechanism_results_are_pybullets(name: str) -> None:
    file, chosen, least = _CASES[name]
    run = run_python(
        ["-m", "pytest", "-q", "-p", "no:cacheprovider", f"tests/parity/{file}", "-k", chosen],
        environment={VARIABLE: name},
        timeout=_COMPILING,
    )
    assert run.returncode == 0, run.stdout
    summary = run.stdout.strip().splitlines()[-1]
    assert int(summary.split()[0]) >= least, summary
    assert "passed" in summary
