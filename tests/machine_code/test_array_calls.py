"""Compiled functions of arrays, loaded without numba's cache."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from tests.support.process import run_python
from unibody.machine_code.array_calls import array_function

PROGRAM = """
import sys
from typing import NamedTuple
import numpy as np
from unibody.machine_code.array_calls import array_function

class Table(NamedTuple):
    rows: np.ndarray
    scale: float

@array_function(returns=True)
def total(table, chosen, out, twice):
    for k in range(len(chosen)):
        for column in range(table.rows.shape[1]):
            out[column] += table.scale * table.rows[chosen[k], column] * (2 if twice else 1)
    return len(chosen)

out = np.zeros(3)
rows = np.arange(12, dtype=np.float32).reshape(4, 3)
print(total(Table(rows, 0.5), np.array([1, 3]), out, True), *out)
print("numba.np.arrayobj" in sys.modules)
"""


class Pair(NamedTuple):
    numbers: Any
    factor: Any


def _scaled(pair: Pair, out: Any, shift: int) -> None:
    for i in range(len(out)):
        for k in range(pair.numbers.shape[1]):
            out[i] += pair.factor * pair.numbers[i, k] + shift


@pytest.fixture(scope="module")
def scaled() -> Callable[..., int]:
    return array_function()(_scaled)


def result_of(function: Callable[..., Any], numbers: Any, factor: Any, shift: Any) -> list[float]:
    out = np.zeros(len(numbers))
    function(Pair(numbers, factor), out, shift)
    return out.tolist()


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.int32, np.uint8])
def test_results_are_those_of_python(scaled: Callable[..., int], dtype: Any) -> None:
    numbers = np.arange(12).reshape(4, 3).astype(dtype)
    assert result_of(scaled, numbers, 0.5, 7) == result_of(_scaled, numbers, 0.5, 7)


@pytest.mark.parametrize(
    "numbers",
    [
        np.arange(6.0).reshape(2, 3).view(np.memmap),
        pickle.loads(pickle.dumps(np.arange(6.0).reshape(2, 3))),
        np.zeros((0, 3)),
        np.broadcast_to(np.float64(2.0), (1, 1)),
    ],
)
def test_arrays_from_anywhere_are_read(scaled: Callable[..., int], numbers: Any) -> None:
    expected = result_of(_scaled, numbers, 2.0, 1)
    assert result_of(scaled, numbers, 2.0, 1) == expected
    assert result_of(scaled, numbers, np.float64(2.0), True) == expected


@pytest.mark.parametrize(
    "numbers", [np.zeros((4, 4))[:, ::2], np.asfortranarray(np.zeros((2, 3))), [[1.0]], None, "no",
                np.zeros((2, 2), dtype=">f8"), np.zeros((2, 2), dtype=complex)],
)  # fmt: skip
def test_what_is_not_an_array_of_rows_is_an_error(scaled: Callable[..., int], numbers: Any) -> None:
    out = np.zeros(1)
    with pytest.raises(TypeError, match="arrays and numbers"):
        scaled(Pair(numbers, 1.0), out, 1)
    assert out.tolist() == [0.0]


def test_fewer_arguments_are_an_error(scaled: Callable[..., int]) -> None:
    scaled(Pair(np.ones((1, 1)), 1.0), np.zeros(1), 1)
    with pytest.raises(Exception, match="argument"):
        scaled(Pair(np.ones((1, 1)), 1.0), np.zeros(1))


def test_threads_call_it_at_once(scaled: Callable[..., int]) -> None:
    numbers = np.ones((500, 50))
    with ThreadPoolExecutor(4) as pool:
        found = pool.map(lambda k: result_of(scaled, numbers, float(k), 0), range(40))
    assert [set(row) for row in found] == [{50.0 * k} for k in range(40)]


def test_code_that_was_kept_is_loaded_without_what_compiles(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(PROGRAM)
    found: list[list[str]] = []
    for _ in range(2):
        environment = {"NUMBA_CACHE_DIR": str(tmp_path / "kept")}
        ran = run_python(["script.py"], cwd=tmp_path, environment=environment)
        assert ran.returncode == 0, ran.stderr
        found.append(ran.stdout.splitlines())
    assert [lines[0] for lines in found] == ["2 12.0 14.0 16.0"] * 2
    assert [lines[1] for lines in found] == ["True", "False"]


MANY = """
import numpy as np
from unibody.machine_code.array_calls import array_function

numbers = np.ones(1)
"""
ONE = """
@array_function()
def scale{0}(numbers):
    numbers[0] *= {0}
scale{0}(numbers)
"""


def test_code_of_each_of_many_functions_is_kept(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(MANY + "".join(ONE.format(k) for k in range(1, 7)))
    environment = {"NUMBA_CACHE_DIR": str(tmp_path / "kept")}
    ran = run_python(["script.py"], cwd=tmp_path, environment=environment)
    assert ran.returncode == 0, ran.stderr
    kept = [path.name for path in (tmp_path / "kept").rglob("*.code")]
    assert sum("scale" in name for name in kept) == 6
