"""Which runs a sweep has, and how a script gets its parameters."""

from __future__ import annotations

import pytest

from unibody.errors import InvalidArgumentError
from unibody.scale.runs import Program, Run, grid, parameter


def test_a_grid_has_every_combination_with_every_seed_and_seeds_change_fastest() -> None:
    runs = grid([parameter("a=1,2"), parameter("b=x,y")], 2)
    assert list(map(str, runs)) == [
        "a=1 b=x seed=0", "a=1 b=x seed=1", "a=1 b=y seed=0", "a=1 b=y seed=1",
        "a=2 b=x seed=0", "a=2 b=x seed=1", "a=2 b=y seed=0", "a=2 b=y seed=1",
    ]  # fmt: skip
    assert len({run.key for run in runs}) == len(runs)


def test_a_run_has_the_same_key_in_a_larger_grid_and_with_parameters_in_another_order() -> None:
    small = grid([parameter("a=1"), parameter("b=x")], 1)
    large = grid([parameter("b=y,x"), parameter("a=2,1")], 3)
    assert small[0].key in {run.key for run in large}


def test_a_script_gets_its_own_arguments_then_parameters_then_its_seed() -> None:
    program = Program("/s.py", ("file", "--fast"), ("--max-steps", "5"), "seed", "/")
    run = Run((("dt", "0.1"), ("mode", "-1")), 7)
    words = "run --max-steps 5 --seed 7 /s.py file --fast --dt 0.1 --mode -1 --seed 7"
    assert " ".join(program.command(run)) == words


@pytest.mark.parametrize("text", ["a", "a=", "=1", "a=1,,2", "--a=1", "a=1,2,1"])
def test_a_parameter_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(InvalidArgumentError, match="--set"):
        parameter(text)


def test_a_grid_without_seeds_or_with_a_name_twice_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="--seeds"):
        grid([], 0)
    with pytest.raises(InvalidArgumentError, match="each name once"):
        grid([parameter("a=1"), parameter("a=2")], 1)
