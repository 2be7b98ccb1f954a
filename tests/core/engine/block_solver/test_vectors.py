"""Instructions on blocks do what NumPy does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numba import types

from unibody.core.engine.block_solver import vectors as v
from unibody.machine_code import numba

L, W = v.LANES, v.WIDTH
_CHANCE = np.random.default_rng(2)
_CLOSE = {"rtol": 0, "atol": 1e-13}  # sums of six products of numbers of size one


def block() -> Any:
    numbers = np.zeros((L, W))
    numbers[:, :L] = _CHANCE.normal(size=(L, L))
    return numbers


def vector() -> Any:
    numbers = np.zeros(W)
    numbers[:L] = _CHANCE.normal(size=L)
    return numbers


def run(function: Any, *arrays: Any) -> Any:
    """Call an instruction with the addresses of arrays, or with numbers."""
    kinds = [types.float64 if isinstance(a, float) else types.int64 for a in arrays]
    names = ", ".join(f"a{k}" for k in range(len(arrays)))
    scope: dict[str, Any] = {"function": function}
    exec(f"def call({names}):\n    return function({names})", scope)
    compiled = numba.njit(tuple(kinds))(scope["call"])
    return compiled(*[a if isinstance(a, float) else a.ctypes.data for a in arrays])


def test_products_of_vectors() -> None:
    a, b = vector(), vector()
    np.testing.assert_allclose(run(v.dot, a, b), a @ b, **_CLOSE)
    expected = a + 0.7 * b
    run(v.add_scaled, a, 0.7, b)
    np.testing.assert_allclose(a, expected, **_CLOSE)


@pytest.mark.parametrize("rows", [1, 3, 4, 6])
def test_weighted_products_of_rows(rows: int) -> None:
    c, left, right = block(), block()[:rows].copy(), block()[:rows].copy()
    weights = _CHANCE.normal(size=(rows, rows))
    expected = c + np.vstack([left.T @ weights @ right])[:L]
    run(getattr(v, f"add_outer_{rows}"), c, left, weights, right)
    np.testing.assert_allclose(c, expected, **_CLOSE)


def test_a_product_of_blocks_is_subtracted() -> None:
    c, a, b = block(), block(), block()
    expected = c - (a.T @ b)[:L]
    run(v.subtract_square, c, a, b)
    np.testing.assert_allclose(c, expected, **_CLOSE)


def test_a_factor_and_what_is_divided_by_it() -> None:
    root, b, inverse = block(), block(), np.zeros(W)
    square = np.zeros((L, W))
    square[:, :L] = root[:, :L].T @ root[:, :L] + np.eye(L)
    expected = np.linalg.cholesky(square[:, :L])
    assert run(v.factor, square, inverse) > 0.0
    np.testing.assert_allclose(np.triu(square[:, :L]), expected.T, rtol=0, atol=1e-12)
    np.testing.assert_allclose(inverse[:L], 1.0 / np.diag(expected), rtol=0, atol=1e-12)
    divided = np.linalg.solve(expected, b)
    run(v.divide_rows, b, square, inverse)
    np.testing.assert_allclose(b, divided, rtol=0, atol=1e-12)


@pytest.mark.parametrize("bad", [-1.0, np.nan])
def test_a_block_that_is_not_positive_definite_has_no_positive_pivot(bad: float) -> None:
    square = np.zeros((L, W))
    square[:, :L] = np.eye(L)
    square[3, 3] = bad
    assert not run(v.factor, square, np.zeros(W)) > 0.0


def test_blocks_are_applied_to_vectors() -> None:
    y, b, x = vector(), block(), vector()
    expected = y - np.append(b[:, :L] @ x[:L], [0.0, 0.0])
    run(v.subtract_applied, y, b, x)
    np.testing.assert_allclose(y, expected, **_CLOSE)
    expected = y - np.append(b[:, :L].T @ x[:L], [0.0, 0.0])
    run(v.subtract_transposed, y, b, x)
    np.testing.assert_allclose(y, expected, **_CLOSE)
