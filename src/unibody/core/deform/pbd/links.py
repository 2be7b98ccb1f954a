"""Links: pairs of particles that come back to a distance, projected four at a time.

A link of rest length r whose ends are d apart is put right by (Jakobsen 2001, section 4)

    k = share (r^2 - d.d) / (r^2 + d.d) / (w_a + w_b),   a -= w_a k d,   b += w_b k d,

which takes no square root. No two links of a group have a particle in common, so that the four of
it can be done at once; groups follow one another by color, so that the processor need not wait for
what the group before has written.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from unibody.core.deform.tables import Springs
from unibody.machine_code import intrinsic, numba, types
from unibody.machine_code.jit import kernel

FloatArray = npt.NDArray[np.floating[Any]]
IntArray = npt.NDArray[np.integer[Any]]

GROUP = 4
"""Links that are projected at once."""

PLACE = 4
"""Numbers of a particle: where it is, x, y, z [m], and the inverse of its mass [1/kg]."""

_SEED = 1
_TINY = 1e-30  # m^2


@dataclass(frozen=True)
class Links:
    """Pairs of particles that are held at a distance.

    Attributes:
        corners: (n, 2), particles.
        length: At rest, (n,) [m].
        share: Of what a pair is off, how much one projection puts right, 0 to 1, (n,).
    """

    corners: IntArray
    length: FloatArray
    share: FloatArray

    @classmethod
    def at_rest(cls, points: Any, corners: Any, share: Any) -> Self:
        """Links that are at rest in given places.

        Args:
            points: Of all particles, (p, 3) [m].
            corners: (n, 2), particles.
            share: One number or (n,).

        Raises:
            InvalidArgumentError: If a number is not allowed; it is named.
        """
        found = Springs.at_rest(points, corners, stiffness=share)
        return cls(found.corners, found.length, found.stiffness)

    def rest_in(self, points: Any) -> None:
        """Take the distances in given places as those at rest, (p, 3) [m]."""
        ends = points[self.corners]
        self.length[:] = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)


class Groups(NamedTuple):
    """Links of all bodies in groups.

    Attributes:
        first: The first link of each body and the number of all, whole groups, (b + 1,).
        ends: Where the numbers of both particles begin, of each link, flat.
        numbers: Of each group the squares of the lengths at rest [m^2], then shares over the sums
            of both inverse masses [kg], flat.
    """

    first: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int32]
    numbers: FloatArray


def grouped(links: list[Links], starts: Any, inverse_masses: FloatArray) -> Groups:
    """Order the links of bodies by color, in whole groups.

    Args:
        links: Of each body.
        starts: The first particle of each body.
        inverse_masses: Of all particles, and of one more at the end, which nothing moves and which
            fills groups, (p + 1,) [1/kg].
    """
    first, squares, gives = [0], [np.zeros(0)], [np.zeros(0)]
    ends = [np.zeros((0, 2), dtype=np.int64)]
    nobody = len(inverse_masses) - 1
    for part, start in zip(links, starts, strict=True):
        order = _order(part.corners)
        used = order >= 0
        pairs = np.full((len(order), 2), nobody, dtype=np.int64)
        pairs[used] = part.corners[order[used]] + start
        lengths, shares = np.ones(len(order)), np.zeros(len(order))
        lengths[used], shares[used] = part.length[order[used]], part.share[order[used]]
        sums = inverse_masses[pairs].sum(axis=1)
        first.append(first[-1] + len(order))
        ends.append(pairs)
        squares.append(lengths**2)
        gives.append(np.divide(shares, sums, out=np.zeros(len(order)), where=sums > 0.0))
    rows = [np.concatenate(part).reshape(-1, GROUP) for part in (squares, gives)]
    return Groups(
        np.array(first, dtype=np.int64),
        (PLACE * np.concatenate(ends)).astype(np.int32).reshape(-1),
        np.ascontiguousarray(np.stack(rows, axis=1)).reshape(-1),
    )


def _order(corners: IntArray) -> IntArray:
    """Links color after color, in whole groups; -1 fills them.

    Colors are given in a shuffled order: were neighbours done one after the other, errors would
    wander along with them.
    """
    shuffled = np.random.default_rng(_SEED).permutation(len(corners))
    count = int(corners.max(initial=-1)) + 1
    colors = np.empty(len(corners), dtype=np.int64)
    last = np.full(count, -1, dtype=np.int64)
    left, color = shuffled, 0
    while len(left):
        chosen = _disjoint(corners[left], last, color)
        colors[left[chosen]] = color
        left, color = left[~chosen], color + 1
    parts: list[IntArray] = [np.zeros(0, dtype=np.int64)]
    for each in range(color):
        members = np.flatnonzero(colors == each)
        parts.append(np.pad(members, (0, -len(members) % GROUP), constant_values=-1))
    return np.concatenate(parts)


@numba.njit(cache=True)
def _disjoint(pairs: Any, last: Any, color: int) -> Any:
    """Which of the pairs, in their order, have no particle in common with one before."""
    found = np.zeros(len(pairs), dtype=np.bool_)
    for n in range(len(pairs)):
        a, b = pairs[n, 0], pairs[n, 1]
        if last[a] != color and last[b] != color:
            last[a] = last[b] = color
            found[n] = True
    return found


@intrinsic
def _project_group(typing_context: Any, x: Any, ends: Any, numbers: Any, at: Any) -> Any:
    """Put a group of links right; the compiler would not find that its links are independent.

    Each particle is one vector of four numbers. The squares of the four ways between ends are
    turned from rows to columns, so that the sums and the division are done for all four at once.
    """

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        ir: Any = importlib.import_module("llvmlite.ir")
        arrays: Any = importlib.import_module("numba.np.arrayobj")
        places, corners, given = (
            arrays.make_array(signature.args[k])(context, builder, args[k]).data for k in range(3)
        )
        number, index = ir.IntType(32), ir.IntType(64)
        vector = ir.VectorType(ir.DoubleType(), 4)
        zero = ir.Constant(vector, [0.0] * 4)

        def away(start: Any, count: int) -> Any:
            return builder.add(start, ir.Constant(index, count))

        def at_numbers(base: Any, start: Any) -> Any:
            return builder.bitcast(builder.gep(base, [start]), vector.as_pointer())

        def mixed(a: Any, b: Any, *order: int) -> Any:
            mask = ir.Constant(ir.VectorType(number, 4), list(order))
            return builder.shuffle_vector(a, b, mask)

        doubled = builder.mul(args[3], ir.Constant(index, 2))
        pointers: list[Any] = []
        for k in range(2 * GROUP):
            end = builder.load(builder.gep(corners, [away(doubled, k)]))
            pointers.append(at_numbers(places, builder.sext(end, index)))
        values = [builder.load(pointer, align=8) for pointer in pointers]
        ways = [builder.fsub(values[2 * k + 1], values[2 * k]) for k in range(GROUP)]
        a, b, c, d = (builder.fmul(way, way) for way in ways)
        even, odd = mixed(a, b, 0, 4, 2, 6), mixed(a, b, 1, 5, 3, 7)
        more, less = mixed(c, d, 0, 4, 2, 6), mixed(c, d, 1, 5, 3, 7)
        squares = builder.fadd(mixed(even, more, 0, 1, 4, 5), mixed(odd, less, 0, 1, 4, 5))
        squares = builder.fadd(squares, mixed(even, more, 2, 3, 6, 7))
        rest = builder.load(at_numbers(given, doubled), align=8)
        give = builder.load(at_numbers(given, away(doubled, GROUP)), align=8)
        pull = builder.fmul(give, builder.fsub(rest, squares))
        both = builder.fadd(rest, squares)
        there = builder.fcmp_ordered(">", both, ir.Constant(vector, [_TINY] * 4))
        pull = builder.select(there, builder.fdiv(pull, both), zero)
        for k in range(GROUP):
            first, second = values[2 * k], values[2 * k + 1]
            way = builder.fmul(mixed(ways[k], zero, 0, 1, 2, 7), mixed(pull, pull, *(k,) * 4))
            back = builder.fmul(way, mixed(first, first, *(3,) * 4))
            forth = builder.fmul(way, mixed(second, second, *(3,) * 4))
            builder.store(builder.fsub(first, back), pointers[2 * k], align=8)
            builder.store(builder.fadd(second, forth), pointers[2 * k + 1], align=8)
        return context.get_dummy_value()

    return types.void(x, ends, numbers, at), codegen


@kernel
def project_links(x: Any, groups: Groups, begin: int, end: int) -> None:
    """Put links right, one group after the other.

    Args:
        x: Places and inverse masses of all particles, flat; see `PLACE`.
        groups: See `Groups`.
        begin: The first link.
        end: Behind the last one.
    """
    for at in range(begin, end, GROUP):
        _project_group(x, groups.ends, groups.numbers, at)
