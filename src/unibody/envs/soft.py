"""Cloths of the worlds of a task: each world has its own among its rigid bodies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unibody.core.assets.rotations import rotations
from unibody.core.batch.soft import WorldOfMany
from unibody.core.deform.state import State
from unibody.core.deform.tables import Bends, Springs, Tables, Triangles
from unibody.core.deform.topology import edges, inner_edges
from unibody.core.engine.soft.bodies import Anchor, SoftBody, SoftWorld
from unibody.core.engine.worlds.base import Worlds
from unibody.core.render.mesh import Part, make_mesh
from unibody.errors import NotSupportedError

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Cloth:
    """A rectangle of cloth of ``count`` particles a side.

    Attributes:
        side: Length of its sides [m].
        count: Particles a side.
        mass: [kg].
        stretch: Stiffness of its edges [N/m].
        shear: Of its triangles [N/m].
        bend: Of its folds [N/rad for a metre].
        radius: Half of its thickness [m].
        friction: Its coefficient.
        rgba: Its colour.
    """

    side: float
    count: int
    mass: float = 0.03
    stretch: float = 200.0
    shear: float = 20.0
    bend: float = 2e-4
    radius: float = 0.004
    friction: float = 0.8
    rgba: tuple[float, float, float, float] = (0.80, 0.35, 0.35, 1.0)

    def points(self) -> Array:
        """Its particles at rest about the origin, row by row along x, (count^2, 3) [m]."""
        along = np.linspace(-0.5, 0.5, self.count) * self.side
        y, x = np.meshgrid(along, along, indexing="ij")
        return np.stack([x, y, np.zeros_like(x)], axis=-1).reshape(-1, 3)

    def faces(self) -> NDArray[np.int64]:
        """Its triangles; diagonals alternate, so that no direction is softer, (n, 3)."""
        row, column = (g.reshape(-1) for g in np.mgrid[0 : self.count - 1, 0 : self.count - 1])
        a = row * self.count + column
        b, c, d = a + 1, a + self.count, a + self.count + 1
        even = ((row + column) % 2 == 0)[:, None]
        first = np.where(even, np.stack([a, b, d], 1), np.stack([a, b, c], 1))
        second = np.where(even, np.stack([a, d, c], 1), np.stack([b, d, c], 1))
        return np.concatenate([first, second])

    def tables(self) -> Tables:
        """Its elements."""
        points, faces = self.points(), self.faces()
        return Tables(
            np.full(len(points), self.mass / len(points)),
            springs=Springs.at_rest(points, edges(faces), stiffness=self.stretch, damping=0.05),
            triangles=Triangles.at_rest(points, faces, shear=self.shear, stretch=self.shear),
            bends=Bends.at_rest(points, inner_edges(faces), stiffness=self.bend, damping=1e-6),
        )


class SoftWorlds:
    """The cloth of each of many worlds. What a world does depends on nothing of others.

    Attributes:
        points: Places of the particles, (N, p, 3) [m]; see ``put``.
    """

    def __init__(self, worlds: Worlds, cloth: Cloth) -> None:
        """Make them, flat about the origin.

        Raises:
            NotSupportedError: The worlds are on another device.
        """
        if worlds.device != "cpu":
            raise NotSupportedError(f"cloth on the device {worlds.device}", 'device="cpu"')
        self._worlds, self._cloth = worlds, cloth
        self._rest, self._faces, self._tables = cloth.points(), cloth.faces(), cloth.tables()
        # bodies that touch nothing rigid are seen through by cloth, too
        self._geoms = np.flatnonzero(worlds.model.geom_contype | worlds.model.geom_conaffinity)
        self._seen: list[Any] = [WorldOfMany(worlds, number) for number in range(worlds.count)]
        self._soft = [SoftWorld() for _ in self._seen]
        self._bodies = [self._at(self._rest) for _ in self._seen]
        for soft, body in zip(self._soft, self._bodies, strict=True):
            soft.add(body)
        self._held: list[list[Anchor]] = [[] for _ in self._seen]
        self.points: Array = np.tile(self._rest, (worlds.count, 1, 1))

    def _at(self, places: Array) -> SoftBody:
        """A cloth with its particles there, at rest, (p, 3) [m]."""
        return SoftBody(
            self._tables, State.at(places), self._faces, radius=self._cloth.radius,
            friction=self._cloth.friction, rest=self._rest,
        )  # fmt: skip

    def put(self, worlds: Sequence[int], points: Array) -> None:
        """Put the cloths of some worlds to places, at rest and held by nobody.

        Args:
            worlds: Their numbers.
            points: (worlds, p, 3) [m].
        """
        for world, places in zip(worlds, points, strict=True):
            soft = self._soft[world]
            soft.remove(self._bodies[world])
            self._held[world] = []
            body = self._bodies[world] = self._at(places)
            soft.add(body)
            self.points[world] = body.state.positions

    def holds(self, world: int) -> bool:
        """Whether a rigid body of a world holds particles."""
        return bool(self._held[world])

    def hold(self, world: int, body: int, point: Array, within: float) -> None:
        """Let a rigid body hold the particles that are near a point.

        Args:
            world: Its number.
            body: Row of the rigid body in ``xpos``.
            point: (3,) [m].
            within: How near [m].
        """
        off = self.points[world] - point
        place, quat = self._worlds.xpos[world, body], self._worlds.xquat[world, body]
        matrix = rotations(quat)
        for particle in np.flatnonzero((off * off).sum(axis=1) < within * within).tolist():
            local = matrix.T @ (self.points[world, particle] - place)
            anchor = Anchor(self._bodies[world], particle, body, local)
            self._soft[world].attach(anchor)
            self._held[world].append(anchor)

    def let_go(self, world: int) -> None:
        """Let go of all particles of a world."""
        for anchor in self._held[world]:
            self._soft[world].detach(anchor)
        self._held[world] = []

    def step(self, substeps: int) -> None:
        """Step worlds and cloths in turns; see ``core.engine.soft``."""
        worlds = self._worlds
        for _ in range(substeps):
            before = worlds.xfrc_applied.copy()
            for soft, seen in zip(self._soft, self._seen, strict=True):
                soft.before_step(seen, seen.model.opt.gravity, self._geoms)
                seen.push()
            worlds.step(1)
            worlds.xfrc_applied[:] = before
        worlds.kinematics()
        for number, body in enumerate(self._bodies):
            self.points[number] = body.state.positions

    def part(self, world: int) -> Part:
        """How the cloth of a world looks now."""
        return Part(make_mesh(self.points[world], self._faces), rgba=self._cloth.rgba,
                    double_sided=True)  # fmt: skip
