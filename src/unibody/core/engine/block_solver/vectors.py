"""Vectors of eight numbers and blocks of six by eight, by address, as processor instructions.

numba leaves loops over six columns scalar, at twenty times the cost; here the instructions are
written out. A *lane vector* is eight doubles, of which six count and the last two are zero. A
*block* is six lane vectors, one after the other: 48 doubles. Addresses are integers, in bytes.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from unibody.machine_code import intrinsic, types

ir: Any = importlib.import_module("llvmlite.ir")  # comes with numba, untyped

LANES = 6  # that count
WIDTH = 8  # doubles of a lane vector
BLOCK = LANES * WIDTH  # doubles of a block
BYTES = 8 * WIDTH  # of a lane vector

_DOUBLE = ir.DoubleType()
_INT = ir.IntType(64)
_VECTOR = ir.VectorType(_DOUBLE, WIDTH)
_FUSED = ("contract",)  # a product and a sum may be one instruction


class _Code:
    """Writes instructions that act on lane vectors."""

    def __init__(self, builder: Any) -> None:
        self._builder = builder

    def _pointer(self, address: Any, doubles: int, kind: Any) -> Any:
        place = self._builder.add(address, ir.Constant(_INT, 8 * doubles))
        return self._builder.inttoptr(place, kind.as_pointer())

    def load(self, address: Any, row: int = 0) -> Any:
        """Lane vector ``row`` behind an address."""
        value = self._builder.load(self._pointer(address, WIDTH * row, _VECTOR))
        value.align = 8
        return value

    def store(self, value: Any, address: Any, row: int = 0) -> None:
        """Write lane vector ``row`` behind an address."""
        self._builder.store(value, self._pointer(address, WIDTH * row, _VECTOR)).align = 8

    def number(self, address: Any, doubles: int) -> Any:
        """One double, that many behind an address."""
        return self._builder.load(self._pointer(address, doubles, _DOUBLE))

    def put(self, value: Any, address: Any, doubles: int) -> None:
        """Write one double, that many behind an address."""
        self._builder.store(value, self._pointer(address, doubles, _DOUBLE))

    def lane(self, vector: Any, index: int) -> Any:
        """One number of a lane vector."""
        return self._builder.extract_element(vector, ir.Constant(ir.IntType(32), index))

    def spread(self, value: Any) -> Any:
        """A vector of one number in every lane."""
        nothing = ir.Constant(_VECTOR, ir.Undefined)
        first = self._builder.insert_element(nothing, value, ir.Constant(ir.IntType(32), 0))
        return self._shuffle(first, [0] * WIDTH)

    def _shuffle(self, vector: Any, lanes: list[int]) -> Any:
        mask = ir.Constant(ir.VectorType(ir.IntType(32), len(lanes)), lanes)
        return self._builder.shuffle_vector(vector, ir.Constant(vector.type, ir.Undefined), mask)

    def add_product(self, total: Any, a: Any, b: Any) -> Any:
        """``total + a b``."""
        product = self._builder.fmul(a, b, flags=_FUSED)
        return self._builder.fadd(total, product, flags=_FUSED)

    def subtract_product(self, total: Any, a: Any, b: Any) -> Any:
        """``total - a b``."""
        product = self._builder.fmul(a, b, flags=_FUSED)
        return self._builder.fsub(total, product, flags=_FUSED)

    def times(self, a: Any, b: Any) -> Any:
        """``a b``, lane by lane."""
        return self._builder.fmul(a, b)

    def square_root(self, value: Any) -> Any:
        """The root of a number; not a number where that is negative."""
        function = self._builder.module.declare_intrinsic("llvm.sqrt", [_DOUBLE])
        return self._builder.call(function, [value])

    def inverse(self, value: Any) -> Any:
        """One over a number."""
        return self._builder.fdiv(ir.Constant(_DOUBLE, 1.0), value)

    def smaller(self, a: Any, b: Any) -> Any:
        """The smaller of two numbers; the second where one is not a number."""
        return self._builder.select(self._builder.fcmp_unordered("<", b, a), b, a)

    def difference(self, a: Any, b: Any) -> Any:
        """``a - b`` of two numbers."""
        return self._builder.fsub(a, b)

    def total(self, vector: Any) -> Any:
        """The sum of all lanes."""
        lanes = WIDTH
        while lanes > 1:
            lanes //= 2
            low = self._shuffle(vector, list(range(lanes)))
            high = self._shuffle(vector, list(range(lanes, 2 * lanes)))
            vector = self._builder.fadd(low, high)
        return self.lane(vector, 0)


def _instructions(write: Callable[..., Any], *, arguments: str, result: Any = types.void) -> Any:
    """A function for compiled code from one that writes its instructions.

    Args:
        write: Takes a `_Code` and the arguments.
        arguments: A letter each: ``a`` an address, ``x`` a double.
        result: What it returns.
    """
    known: dict[str, Any] = {"a": types.int64, "x": types.float64}
    kinds = [known[letter] for letter in arguments]

    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        value = write(_Code(builder), *args)
        return context.get_dummy_value() if value is None else value

    def two(context: Any, a: Any, b: Any) -> Any:
        return result(*kinds), lower

    def three(context: Any, a: Any, b: Any, c: Any) -> Any:
        return result(*kinds), lower

    def four(context: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
        return result(*kinds), lower

    return intrinsic((two, three, four)[len(kinds) - 2])


def _dot(code: _Code, a: Any, b: Any) -> Any:
    return code.total(code.times(code.load(a), code.load(b)))


def _add_scaled(code: _Code, y: Any, scale: Any, x: Any) -> None:
    code.store(code.add_product(code.load(y), code.spread(scale), code.load(x)), y)


def _add_outer(rows: int) -> Callable[..., None]:
    def write(code: _Code, block: Any, a: Any, weights: Any, b: Any) -> None:
        right = [code.load(b, k) for k in range(rows)]
        weighted: list[Any] = []
        for j in range(rows):
            value = code.times(code.spread(code.number(weights, rows * j)), right[0])
            for k in range(1, rows):
                weight = code.spread(code.number(weights, rows * j + k))
                value = code.add_product(value, weight, right[k])
            weighted.append(value)
        for lane in range(LANES):
            total = code.load(block, lane)
            for j in range(rows):
                factor = code.spread(code.number(a, WIDTH * j + lane))
                total = code.add_product(total, factor, weighted[j])
            code.store(total, block, lane)

    return write


def _subtract_square(code: _Code, c: Any, a: Any, b: Any) -> None:
    right = [code.load(b, k) for k in range(LANES)]
    for lane in range(LANES):
        total = code.load(c, lane)
        for k in range(LANES):
            factor = code.spread(code.number(a, WIDTH * k + lane))
            total = code.subtract_product(total, factor, right[k])
        code.store(total, c, lane)


def _factor(code: _Code, block: Any, inverse: Any) -> Any:
    rows = [code.load(block, lane) for lane in range(LANES)]
    least = None
    for k in range(LANES):
        pivot = code.lane(rows[k], k)
        least = pivot if least is None else code.smaller(least, pivot)
        scale = code.inverse(code.square_root(pivot))
        code.put(scale, inverse, k)
        rows[k] = code.times(rows[k], code.spread(scale))
        for j in range(k + 1, LANES):
            factor = code.spread(code.lane(rows[k], j))
            rows[j] = code.subtract_product(rows[j], factor, rows[k])
        code.store(rows[k], block, k)
    return least


def _divide_rows(code: _Code, block: Any, factor: Any, inverse: Any) -> None:
    done: list[Any] = []
    for lane in range(LANES):
        row = code.load(block, lane)
        for k in range(lane):
            entry = code.spread(code.number(factor, WIDTH * k + lane))
            row = code.subtract_product(row, entry, done[k])
        row = code.times(row, code.spread(code.number(inverse, lane)))
        done.append(row)
        code.store(row, block, lane)


def _subtract_transposed(code: _Code, y: Any, block: Any, x: Any) -> None:
    total = code.load(y)
    for k in range(LANES):
        total = code.subtract_product(total, code.spread(code.number(x, k)), code.load(block, k))
    code.store(total, y)


def _subtract_applied(code: _Code, y: Any, block: Any, x: Any) -> None:
    vector = code.load(x)
    for k in range(LANES):
        value = code.total(code.times(code.load(block, k), vector))
        code.put(code.difference(code.number(y, k), value), y, k)


dot: Any = _instructions(_dot, arguments="aa", result=types.float64)
"""Scalar product of two lane vectors."""
add_scaled: Any = _instructions(_add_scaled, arguments="axa")
"""``y += scale x`` (y, scale, x)."""
add_outer_1: Any = _instructions(_add_outer(1), arguments="aaaa")
"""``block += a^T W b`` (block, a, W, b) of 1 lane vector each in a and b."""
add_outer_3: Any = _instructions(_add_outer(3), arguments="aaaa")
"""The same of 3 lane vectors each; W is 3 by 3."""
add_outer_4: Any = _instructions(_add_outer(4), arguments="aaaa")
"""The same of 4."""
add_outer_6: Any = _instructions(_add_outer(6), arguments="aaaa")
"""The same of 6."""
subtract_square: Any = _instructions(_subtract_square, arguments="aaa")
"""``C -= A^T B`` (C, A, B) of blocks."""
factor: Any = _instructions(_factor, arguments="aa", result=types.float64)
"""``A = U^T U`` in place (A, inverse diagonal of U), U above it; gives the least pivot."""
divide_rows: Any = _instructions(_divide_rows, arguments="aaa")
"""``B = U^-T B`` (B, U, inverse diagonal of U): U is upper triangular."""
subtract_transposed: Any = _instructions(_subtract_transposed, arguments="aaa")
"""``y -= B^T x`` (y, B, x)."""
subtract_applied: Any = _instructions(_subtract_applied, arguments="aaa")
"""``y -= B x`` (y, B, x)."""
