"""What deformable bodies consist of: particles, and the elements between them."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from unibody.core.deform.topology import angles
from unibody.errors import InvalidArgumentError

FloatArray = npt.NDArray[np.floating[Any]]
IntArray = npt.NDArray[np.integer[Any]]

_FLAT = 1e-9  # least area or volume of an element, relative to that of its longest edge


@dataclass(frozen=True)
class Springs:
    """Springs between two particles.

    Attributes:
        corners: (n, 2), particles.
        length: At rest, (n,) [m].
        stiffness: (n,) [N/m].
        damping: Of a change of length, (n,) [N s/m].
        drag: Of any motion of one end beside the other, turns included, (n,) [N s/m].
    """

    corners: IntArray
    length: FloatArray
    stiffness: FloatArray
    damping: FloatArray
    drag: FloatArray

    @classmethod
    def at_rest(
        cls, points: Any, corners: Any, *, stiffness: Any, damping: Any = 0.0, drag: Any = 0.0
    ) -> Self:
        """Springs that are at rest in given places.

        Args:
            points: Of all particles, (p, 3) [m].
            corners: (n, 2), particles.
            stiffness: One number or (n,) [N/m].
            damping: See the class; one number or (n,) [N s/m].
            drag: See the class; one number or (n,) [N s/m].

        Raises:
            InvalidArgumentError: If a number is not allowed; it is named.
        """
        points, corners = _points(points), _corners(corners, 2, points)
        length = np.linalg.norm(points[corners[:, 1]] - points[corners[:, 0]], axis=1)
        count = len(corners)
        given = (("stiffness", stiffness), ("damping", damping), ("drag", drag))
        return cls(corners, length, *(_each(name, value, count) for name, value in given))

    @classmethod
    def none(cls) -> Self:
        """No springs."""
        return cls.at_rest(np.zeros((0, 3)), np.zeros((0, 2)), stiffness=0.0)


class MembraneLaw(Enum):
    """How the energy of a triangle grows; both laws are equal where the strain is small."""

    NEO_HOOKEAN = "neo-Hookean"
    SAINT_VENANT_KIRCHHOFF = "Saint Venant-Kirchhoff"


@dataclass(frozen=True)
class Triangles:
    """Triangles that resist stretch and shear.

    Attributes:
        corners: (n, 3), particles.
        inverse_rest: Inverse of the matrix whose columns are the edges from the first corner at
            rest, in the plane of the triangle, (n, 2, 2) [1/m].
        shear: First Lame parameter mu of the surface, (n,) [N/m].
        stretch: Second Lame parameter lambda of the surface, (n,) [N/m].
        damping: Resistance to the rate of the metric F'F, (n,) [N s/m].
        law: How the energy grows.
    """

    corners: IntArray
    inverse_rest: FloatArray
    shear: FloatArray
    stretch: FloatArray
    damping: FloatArray
    law: MembraneLaw = MembraneLaw.NEO_HOOKEAN

    @property
    def area(self) -> FloatArray:
        """At rest, (n,) [m^2]."""
        return 0.5 / np.linalg.det(self.inverse_rest)

    @classmethod
    def at_rest(
        cls,
        points: Any,
        corners: Any,
        *,
        shear: Any,
        stretch: Any,
        damping: Any = 0.0,
        law: MembraneLaw = MembraneLaw.NEO_HOOKEAN,
    ) -> Self:
        """Triangles that are at rest in given places.

        Args:
            points: Of all particles, (p, 3) [m].
            corners: (n, 3), particles.
            shear: See the class; one number or (n,).
            stretch: See the class; one number or (n,).
            damping: See the class; one number or (n,).
            law: See the class.

        Raises:
            InvalidArgumentError: If a number is not allowed, or a triangle has no area; it is
                named.
        """
        points, corners = _points(points), _corners(corners, 3, points)
        count = len(corners)
        first = points[corners[:, 1]] - points[corners[:, 0]]
        second = points[corners[:, 2]] - points[corners[:, 0]]
        length = np.linalg.norm(first, axis=1)
        doubled = np.linalg.norm(np.cross(first, second), axis=1)
        longest = np.maximum(length, np.linalg.norm(second, axis=1))
        _not_flat("triangle", "area", 0.5 * doubled, longest**2, corners)
        rest = np.zeros((count, 2, 2))
        rest[:, 0, 0] = length
        rest[:, 0, 1] = np.einsum("ni,ni->n", first, second) / length
        rest[:, 1, 1] = doubled / length
        return cls(
            corners,
            np.linalg.inv(rest),
            *_lame(shear, stretch, count),
            _each("damping", damping, count),
            law,
        )

    @classmethod
    def none(cls) -> Self:
        """No triangles."""
        return cls.at_rest(np.zeros((0, 3)), np.zeros((0, 3)), shear=0.0, stretch=0.0)


@dataclass(frozen=True)
class Bends:
    """Angles between neighbouring triangles.

    Attributes:
        corners: (n, 4), particles: one opposite the edge on either side, then the ends of the edge.
        angle: At rest, (n,) [rad]; zero where the triangles are in one plane.
        length: Of the edge at rest, (n,) [m].
        stiffness: Of a metre of edge, (n,) [N/rad].
        damping: Of a metre of edge, (n,) [N s/rad].
    """

    corners: IntArray
    angle: FloatArray
    length: FloatArray
    stiffness: FloatArray
    damping: FloatArray

    @classmethod
    def at_rest(cls, points: Any, corners: Any, *, stiffness: Any, damping: Any = 0.0) -> Self:
        """Edges whose angles are at rest in given places.

        Args:
            points: Of all particles, (p, 3) [m].
            corners: (n, 4), as `topology.inner_edges` finds them.
            stiffness: One number or (n,) [N/rad].
            damping: One number or (n,) [N s/rad].

        Raises:
            InvalidArgumentError: If a number is not allowed; it is named.
        """
        points, corners = _points(points), _corners(corners, 4, points)
        count = len(corners)
        return cls(
            corners,
            angles(points, corners),
            np.linalg.norm(points[corners[:, 3]] - points[corners[:, 2]], axis=1),
            _each("stiffness", stiffness, count),
            _each("damping", damping, count),
        )

    @classmethod
    def none(cls) -> Self:
        """No edges."""
        return cls.at_rest(np.zeros((0, 3)), np.zeros((0, 4)), stiffness=0.0)


@dataclass(frozen=True)
class Tetrahedra:
    """Tetrahedra that resist stretch, shear and change of volume.

    Attributes:
        corners: (n, 4), particles; the determinant of the edges from the first is positive at rest.
        inverse_rest: Inverse of the matrix whose columns are those edges, (n, 3, 3) [1/m].
        shear: First Lame parameter mu, (n,) [Pa].
        stretch: Second Lame parameter lambda, (n,) [Pa].
        damping: Resistance to the rate of the metric F'F, (n,) [Pa s].
        barrier: Share of the shear's barrier against collapse, 0 to 1, (n,); see
            `vbd.tetrahedra`. With it the small-strain parameters are (1 - barrier / 4) mu and
            lambda + 3 / 8 barrier mu.
        dilation: Resistance to the rate of tr F'F / 2, in symplectic steps alone, (n,) [Pa s].
    """

    corners: IntArray
    inverse_rest: FloatArray
    shear: FloatArray
    stretch: FloatArray
    damping: FloatArray
    barrier: FloatArray
    dilation: FloatArray

    @property
    def volume(self) -> FloatArray:
        """At rest, (n,) [m^3]."""
        return 1.0 / (6.0 * np.linalg.det(self.inverse_rest))

    @classmethod
    def at_rest(
        cls,
        points: Any,
        corners: Any,
        *,
        shear: Any,
        stretch: Any,
        damping: Any = 0.0,
        barrier: Any = 0.0,
        dilation: Any = 0.0,
    ) -> Self:
        """Tetrahedra that are at rest in given places, corners in any order.

        Args:
            points: Of all particles, (p, 3) [m].
            corners: (n, 4), particles.
            shear: See the class; one number or (n,).
            stretch: See the class; one number or (n,).
            damping: See the class; one number or (n,).
            barrier: See the class; one number or (n,).
            dilation: See the class; one number or (n,).

        Raises:
            InvalidArgumentError: If a number is not allowed, or one has no volume; it is named.
        """
        points, corners = _points(points), _corners(corners, 4, points)
        edges: FloatArray = points[corners[:, 1:]] - points[corners[:, :1]]  # rows
        volumes = np.linalg.det(edges) / 6.0
        longest = np.linalg.norm(edges, axis=2).max(axis=1, initial=0.0)
        _not_flat("tetrahedron", "volume", np.abs(volumes), longest**3, corners)
        inverted = volumes < 0.0
        corners[inverted] = corners[inverted][:, [0, 2, 1, 3]]
        edges[inverted] = edges[inverted][:, [1, 0, 2]]
        inverse: Any = np.linalg.inv(edges.transpose(0, 2, 1))
        count = len(corners)
        return cls(
            corners,
            inverse,
            *_lame(shear, stretch, count),
            _each("damping", damping, count),
            1.0 - _each("1 - barrier", 1.0 - np.asarray(barrier), count),
            _each("dilation", dilation, count),
        )

    @classmethod
    def none(cls) -> Self:
        """No tetrahedra."""
        return cls.at_rest(np.zeros((0, 3)), np.zeros((0, 4)), shear=0.0, stretch=0.0)


@dataclass(frozen=True)
class Tables:
    """All particles of a world, and the elements between them.

    Attributes:
        masses: Of the particles, (p,) [kg]; zero for one that is held where it is.
        springs: Between two particles.
        triangles: Between three.
        bends: Between four.
        tetrahedra: Between four.
    """

    masses: FloatArray
    springs: Springs = field(default_factory=Springs.none)
    triangles: Triangles = field(default_factory=Triangles.none)
    bends: Bends = field(default_factory=Bends.none)
    tetrahedra: Tetrahedra = field(default_factory=Tetrahedra.none)

    def __post_init__(self) -> None:
        """Check that elements and masses fit.

        Raises:
            InvalidArgumentError: If a mass is negative or not finite, or an element has a particle
                that is not there.
        """
        masses = np.asarray(self.masses, dtype=np.float64)
        if masses.ndim != 1:
            raise InvalidArgumentError("masses", masses.shape, "one number for each particle")
        wrong = np.flatnonzero(~(np.isfinite(masses) & (masses >= 0.0)))
        if len(wrong):
            value = float(masses[wrong[0]])
            raise InvalidArgumentError(f"masses[{wrong[0]}]", value, "a finite number from 0 on")
        for name in ("springs", "triangles", "bends", "tetrahedra"):
            _check_range(name, getattr(self, name).corners, len(masses))

    def elements(self) -> tuple[IntArray, ...]:
        """Corners of the elements of each kind, (n, k)."""
        kinds = (self.springs, self.triangles, self.bends, self.tetrahedra)
        return tuple(kind.corners for kind in kinds)

    def longest(self) -> float:
        """The longest edge of an element at rest [m]; without elements zero."""
        edges = [self.springs.length, self.bends.length]
        for elements in (self.triangles, self.tetrahedra):
            edges.append(np.linalg.norm(np.linalg.inv(elements.inverse_rest), axis=1).reshape(-1))
        return max(float(part.max(initial=0.0)) for part in edges)


def _points(points: Any) -> FloatArray:
    found = np.array(points, dtype=np.float64).reshape(-1, 3)
    wrong = np.flatnonzero(~np.isfinite(found).all(axis=1))
    if len(wrong):
        value = tuple(found[wrong[0]].tolist())
        raise InvalidArgumentError(f"points[{wrong[0]}]", value, "three finite numbers")
    return found


def _corners(corners: Any, count: int, points: FloatArray) -> IntArray:
    found = np.array(corners, dtype=np.int64).reshape(-1, count)
    _check_range("corners", found, len(points))
    ordered = np.sort(found, axis=1)
    twice = np.flatnonzero((ordered[:, 1:] == ordered[:, :-1]).any(axis=1))
    if len(twice):
        value = tuple(found[twice[0]].tolist())
        raise InvalidArgumentError(f"corners[{twice[0]}]", value, "particles that differ")
    return found


def _check_range(name: str, corners: IntArray, particles: int) -> None:
    wrong = np.flatnonzero(((corners < 0) | (corners >= particles)).any(axis=1))
    if len(wrong):
        value = tuple(corners[wrong[0]].tolist())
        raise InvalidArgumentError(
            f"{name}[{wrong[0]}]", value, f"numbers of particles, 0 to {particles - 1}"
        )


def _each(name: str, value: Any, count: int) -> FloatArray:
    """One number for each of so many, none of them negative."""
    given = np.asarray(value, dtype=np.float64)
    if given.ndim and given.shape != (count,):
        raise InvalidArgumentError(name, given.shape, f"one number or {count}")
    found = np.broadcast_to(given, (count,)).copy()
    wrong = np.flatnonzero(~(np.isfinite(found) & (found >= 0.0)))
    if len(wrong):
        where = f"{name}[{wrong[0]}]" if given.ndim else name
        raise InvalidArgumentError(where, float(found[wrong[0]]), "a finite number from 0 on")
    return found


def _lame(shear: Any, stretch: Any, count: int) -> tuple[FloatArray, FloatArray]:
    """Lame parameters: the first is not negative, nor is their sum."""
    first = _each("shear", shear, count)
    return first, _each("shear + stretch", first + np.asarray(stretch), count) - first


def _not_flat(
    kind: str, what: str, sizes: FloatArray, scale: FloatArray, corners: IntArray
) -> None:
    flat = np.flatnonzero(~(sizes > _FLAT * scale))
    if len(flat):
        n = flat[0]
        raise InvalidArgumentError(
            f"{kind} {n} of particles {tuple(corners[n].tolist())}",
            float(sizes[n]),
            f"{what} above {_FLAT:g} of its longest edge's",
        )
