"""Soft bodies of one world: their particles, their anchors, and steps that rigid bodies feel.

A step is staggered. Particles see each shape where it will be at the end of the step if nothing
pushes it, and take an implicit step; what their contacts and anchors exert is then given to the
rigid bodies as forces of the coming step. The stiffness of all contacts of one rigid body, and of
its anchors, stays below a share of its mass over the square of the time step: up to 4/3 of it that
exchange is stable (the determinant of the map of one contact is 1 - r for a share r).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unibody.core.deform.contacts import (
    COLUMNS,
    FRICTION,
    GROWTH,
    HEIGHT,
    MOTION,
    NORMAL,
    STIFFNESS,
    Contacts,
)
from unibody.core.deform.join import joined
from unibody.core.deform.state import State
from unibody.core.deform.tables import Springs, Tables
from unibody.core.deform.vbd.solver import SurfaceContact, VertexBlockDescent
from unibody.core.deform.vbd.touch import forces_of
from unibody.core.engine.soft.coupling import (
    HARD,
    SHARE,
    Touching,
    fastest,
    mass_of,
    stiffnesses,
    velocities,
)
from unibody.core.engine.soft.shapes import Shapes, shapes_of
from unibody.core.engine.soft.sticking import Slid, across, key_of, slid
from unibody.core.engine.soft.touch import near

if TYPE_CHECKING:
    from unibody.core.engine.world.world import World

FloatArray = NDArray[np.floating[Any]]

_ITERATIONS = 20
_GOES = 0.2  # of an overlap, in a step
_CREEP = 2e-3  # m/s: friction grows up to the way of a step at this speed
_FIRM = 10.0  # stiffness of contacts between soft bodies, in masses over the step squared


@dataclass(eq=False)
class SoftBody:
    """One soft body.

    Attributes:
        tables: Its particles and elements.
        state: Where its particles are.
        faces: Triangles of its surface, (f, 3), particles.
        radius: How far its surface is from what it touches [m].
        friction: Its coefficient; that of a contact is the product of both.
        gravity: Factor on gravity.
        rest: Where its particles are at rest, (p, 3) [m]; None: it does not touch itself.
        held: Particles that stay where they are, and their masses.
        start: Of its particles among those of the world.
        slid: How far its particles have slid, by their numbers in the body.
    """

    tables: Tables
    state: State
    faces: NDArray[np.integer[Any]]
    radius: float = 0.02
    friction: float = 1.0
    gravity: float = 1.0
    rest: FloatArray | None = None
    held: set[int] = field(default_factory=set[int])
    start: int = 0
    slid: Slid = field(default_factory=Slid.none)

    @property
    def masses(self) -> FloatArray:
        """Of its particles, those that are held zero, (p,) [kg]."""
        masses = np.array(self.tables.masses, dtype=np.float64)
        masses[list(self.held)] = 0.0
        return masses

    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """Smallest and largest corner of the box around its surface [m]."""
        places = self.state.positions.astype(np.float64)
        return places.min(axis=0) - self.radius, places.max(axis=0) + self.radius


@dataclass(eq=False)
class Anchor:
    """A particle that a rigid body holds.

    Attributes:
        soft: The soft body.
        particle: Its particle.
        body: Number of the rigid body in the compiled model; anew after each compile.
        local: Where the rigid body holds it, in its frame, (3,) [m].
    """

    soft: SoftBody
    particle: int
    body: int
    local: FloatArray


class SoftWorld:
    """The soft bodies of one world."""

    def __init__(self) -> None:
        self.bodies: list[SoftBody] = []
        self.anchors: list[Anchor] = []
        self._solver: VertexBlockDescent | None = None
        self._state = State.at(np.zeros((0, 3)))
        self._shapes: Shapes | None = None
        self._shapes_of: tuple[Any, int] = (None, -1)  # the world, and which of its generations
        self._stiffness: list[float] = []  # of the anchors [N/m]
        self._applied: tuple[Any, Any] | None = None

    def add(self, body: SoftBody) -> None:
        """Take a soft body in."""
        self._leave()
        self.bodies.append(body)

    def remove(self, body: SoftBody) -> None:
        """Let a soft body go, with its anchors."""
        self._leave()
        self.bodies.remove(body)
        self.anchors = [anchor for anchor in self.anchors if anchor.soft is not body]

    def hold(self, body: SoftBody, particle: int) -> None:
        """Keep a particle where it is."""
        self._leave()
        body.held.add(particle)
        body.state.velocities[particle] = 0.0

    def let_go(self, body: SoftBody, particle: int) -> None:
        """Let a particle move that was held."""
        self._leave()
        body.held.discard(particle)

    def attach(self, anchor: Anchor) -> None:
        """Let a rigid body hold a particle."""
        self._leave()
        self.anchors.append(anchor)

    def detach(self, anchor: Anchor) -> None:
        """Let a rigid body let a particle go."""
        self._leave()
        self.anchors.remove(anchor)

    def _leave(self) -> None:
        """Say that the particles of the world are others from now on."""
        self._solver = None

    def before_step(self, world: World, gravity: Any, filters: Any = None) -> None:
        """Move all particles by a time step, and push the rigid bodies they touch.

        Args:
            world: Of the rigid bodies.
            gravity: (3,) [m/s^2].
            filters: Which geoms particles may touch, (ngeom,); None: all.
        """
        if not self.bodies:
            return
        world.velocities()  # and poses
        dt = float(world.model.opt.timestep)
        solver, state = self._prepared(world, dt)
        found = self._touching(world, dt, filters)
        before = state.positions.copy()
        solver.step(
            state, dt, accelerations=self._gravity(gravity), contacts=found.contacts,
            surfaces=self._near_one_another(dt),
        )  # fmt: skip
        push = forces_of(state.positions, before, found.contacts, 1.0 / dt)
        self._remember(found, (state.positions - before)[found.particles], push)
        wrenches = found.wrenches(world, push)
        self._pull(world, wrenches)
        self._apply(world, wrenches)

    def after_step(self, world: World) -> None:
        """Take the forces of `before_step` away again."""
        if self._applied is not None:
            before, self._applied = self._applied, None
            if before[0] is world.data:
                world.data.xfrc_applied[:] = before[1]

    # --- one world of particles ----------------------------------------------------------------

    def _prepared(self, world: World, dt: float) -> tuple[VertexBlockDescent, State]:
        stiffness = self._anchor_stiffness(world, dt)
        if self._solver is None:
            self._gather()
        if self._solver is None or stiffness != self._stiffness:
            self._stiffness = stiffness
            self._solver = self._solver_with_anchors(stiffness)
        for number, anchor in enumerate(self.anchors, start=self._count):
            self._state.positions[number] = _held_place(world, anchor, dt)
        return self._solver, self._state

    def _gather(self) -> None:
        """Put the particles of all bodies behind one another, then one for each anchor."""
        parts = [body.state for body in self.bodies]
        ghosts = np.zeros((len(self.anchors), 3), dtype=np.float32)
        arrays = [
            np.concatenate([*(getattr(part, name) for part in parts), ghosts])
            for name in ("positions", "velocities", "accelerations")
        ]
        start = 0
        for body in self.bodies:
            body.start, end = start, start + len(body.state.positions)
            body.state = State(*(array[start:end] for array in arrays))
            start = end
        self._count = start
        self._state = State(*arrays)
        self._masses = np.concatenate([body.masses for body in self.bodies])
        self._radii = self._each("radius")
        self._anchored = np.zeros(start, dtype=bool)
        self._anchored[[anchor.soft.start + anchor.particle for anchor in self.anchors]] = True
        self._friction = self._each("friction")
        self._factor = np.append(self._each("gravity"), np.zeros(len(self.anchors)))[:, None]

    def _each(self, name: str) -> FloatArray:
        """A number of the body of each particle."""
        return self._of_each([getattr(body, name) for body in self.bodies])

    def _of_each(self, numbers: Iterable[float]) -> FloatArray:
        """For each particle what there is for each body."""
        return np.repeat(list(numbers), [len(body.state.positions) for body in self.bodies])

    def _solver_with_anchors(self, stiffness: list[float]) -> VertexBlockDescent:
        parts = [body.tables for body in self.bodies]
        count = sum(len(part.masses) for part in parts)
        masses = np.concatenate([body.masses for body in self.bodies] + [np.zeros(len(stiffness))])
        ends = [
            (anchor.soft.start + anchor.particle, count + number)
            for number, anchor in enumerate(self.anchors)
        ]
        number = len(ends)
        held = Springs(
            np.array(ends, dtype=np.int64).reshape(-1, 2),
            np.zeros(number), np.array(stiffness, dtype=np.float64), np.zeros(number),
            np.zeros(number),
        )  # fmt: skip
        return VertexBlockDescent(
            joined(parts, masses, held), iterations=_ITERATIONS, surface_contact=self._surfaces()
        )

    def _surfaces(self) -> SurfaceContact | None:
        """How soft bodies touch themselves and one another."""
        faces = np.concatenate([body.faces + body.start for body in self.bodies])
        if not len(faces) or (len(self.bodies) == 1 and self.bodies[0].rest is None):
            return None
        ghosts = len(self.anchors)
        rest = [body.state.positions if body.rest is None else body.rest for body in self.bodies]
        alone = self._of_each([body.rest is None for body in self.bodies])
        return SurfaceContact(
            faces,
            radius=np.append(self._radii, np.zeros(ghosts)),
            hardness=_FIRM,
            friction=np.append(self._friction, np.zeros(ghosts)),
            slow=_CREEP,
            bodies=np.append(self._of_each(range(len(self.bodies))), np.full(ghosts, -1)),
            alone=np.append(alone, np.ones(ghosts)),
            rest=np.concatenate([*rest, np.zeros((ghosts, 3))]),
            exclusion=2.0 * float(self._radii.max()),
        )

    def _near_one_another(self, dt: float) -> bool:
        """Whether a soft body may touch itself or another in a step."""
        if any(body.rest is not None for body in self.bodies):
            return True
        boxes: list[tuple[FloatArray, FloatArray]] = []
        for body in self.bodies if len(self.bodies) > 1 else []:
            low, high = body.bounds()
            way = 2.0 * dt * float(np.abs(body.state.velocities).max())
            boxes.append((low - way, high + way))
        return any(
            bool((low <= above).all() and (below <= high).all())
            for number, (low, high) in enumerate(boxes)
            for below, above in boxes[:number]
        )

    def _gravity(self, gravity: Any) -> FloatArray:
        return self._factor * np.asarray(gravity, dtype=np.float64)

    # --- what they touch -----------------------------------------------------------------------

    def _touching(self, world: World, dt: float, filters: Any) -> Touching:
        model, data = world.model, world.data
        if self._shapes is None or self._shapes_of != (world, world.generation):
            self._shapes, self._shapes_of = shapes_of(model), (world, world.generation)
        every = np.ones(model.ngeom, dtype=bool)
        geoms = np.flatnonzero(every if filters is None else filters)
        places = self._state.positions[: self._count]
        speeds = np.linalg.norm(self._state.velocities[: self._count], axis=1) + fastest(data)
        found = near(
            places, dt * speeds, self._radii, geoms, data.geom_xpos, data.geom_xmat,
            self._shapes,
        )  # fmt: skip
        free = ~self._anchored[found[0]]
        particles, partners, normals, gaps = (part[free] for part in found)
        bodies = model.geom_bodyid[partners].astype(np.int64)
        points = places[particles] - gaps[:, None] * normals
        motion = dt * velocities(world, bodies, points)
        rows = np.zeros((len(particles), COLUMNS), dtype=np.float32)
        rows[:, NORMAL : NORMAL + 3] = normals
        surface = np.einsum("ni,ni->n", normals, points + motion)
        overlap = np.maximum(self._radii[particles] - gaps, 0.0)
        rows[:, HEIGHT] = surface + self._radii[particles] - (1.0 - _GOES) * overlap
        rows[:, STIFFNESS] = stiffnesses(world, bodies, HARD * self._masses[particles], dt)
        rows[:, FRICTION] = self._friction[particles] * model.geom_friction[partners, 0]
        rows[:, GROWTH] = _CREEP * dt
        keys = key_of(particles, partners)
        rows[:, MOTION:] = motion - across(self._slid().of(keys), normals)
        contacts = Contacts.of(len(self._state.positions), particles, rows)
        order = contacts.order
        return Touching(contacts, bodies[order], points[order], particles[order], keys[order])

    def _slid(self) -> Slid:
        """How far all particles have slid, by their numbers in the world."""
        keys = [body.slid.keys + key_of(body.start, 0) for body in self.bodies]
        return Slid(np.concatenate(keys), np.concatenate([body.slid.ways for body in self.bodies]))

    def _remember(self, found: Touching, ways: FloatArray, push: FloatArray) -> None:
        """Let each body know how far its particles have slid."""
        keys, ways = slid(found.contacts, found.keys, ways, push)
        for body in self.bodies:
            start = key_of(body.start, 0)
            low, high = np.searchsorted(
                keys, [start, key_of(body.start + len(body.state.positions), 0)]
            )
            body.slid = Slid(keys[low:high] - start, ways[low:high])

    def _anchor_stiffness(self, world: World, dt: float) -> list[float]:
        counts: dict[int, int] = {}
        for anchor in self.anchors:
            counts[anchor.body] = counts.get(anchor.body, 0) + 1
        result: list[float] = []
        for anchor in self.anchors:
            own = HARD * float(anchor.soft.tables.masses[anchor.particle])
            mass = mass_of(world, anchor.body)
            result.append(min(own, SHARE * mass / counts[anchor.body]) / (dt * dt))
        return result

    def _pull(self, world: World, wrenches: FloatArray) -> None:
        """Add what anchors exert on rigid bodies."""
        places = self._state.positions.astype(np.float64)
        for number, anchor in enumerate(self.anchors):
            target = places[self._count + number]
            stretch = places[anchor.soft.start + anchor.particle] - target
            force = self._stiffness[number] * stretch
            wrenches[anchor.body, :3] += force
            wrenches[anchor.body, 3:] += np.cross(target - world.data.xipos[anchor.body], force)

    def _apply(self, world: World, wrenches: FloatArray) -> None:
        if wrenches.any():
            applied = world.data.xfrc_applied
            self._applied = world.data, applied.copy()
            applied += wrenches


def _held_place(world: World, anchor: Anchor, dt: float) -> FloatArray:
    """Where a rigid body will hold a particle at the end of a step."""
    data = world.data
    turn = data.xmat[anchor.body].reshape(3, 3)
    place = data.xpos[anchor.body] + turn @ anchor.local
    return place + dt * velocities(world, np.array([anchor.body]), place[None])[0]
