"""The examples run, each in a process of its own, and find the end state that they check."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.process import run_python

EXAMPLES = sorted((Path(__file__).parents[2] / "examples" / "isaac_core").glob("*.py"))


@pytest.mark.slow
@pytest.mark.parametrize("script", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_of_isaac_core_reaches_the_end_that_it_checks(
    script: Path, tmp_path: Path
) -> None:
    result = run_python(["-m", "unibody", "run", str(script)], cwd=tmp_path, timeout=900)
    assert result.returncode == 0, result.stderr[-3000:]


def test_there_are_examples_for_the_main_tutorials() -> None:
    assert len(EXAMPLES) >= 15
