"""Training of policies, in a process of its own.

The first optimiser of PyTorch brings a compiler with an LLVM of its own, and other libraries that
tests load bring others: an import of the one after the other can end the process.
"""

from __future__ import annotations

import pytest

from tests.support.process import ROOT, run_python

pytest.importorskip("stable_baselines3")
pytest.importorskip("tensorboard")


@pytest.mark.slow
def test_policies_are_trained_kept_resumed_and_played() -> None:
    ran = run_python(
        [
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "tests/envs/training_cases.py",
            "tests/envs/rsl_rl_cases.py",
        ],
        cwd=ROOT,
        timeout=1200,
    )
    assert ran.returncode == 0, ran.stdout[-4000:] + ran.stderr[-2000:]
    assert " passed" in ran.stdout
