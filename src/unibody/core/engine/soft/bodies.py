"""Soft bodies of one world: their particles, their anchors, and steps that rigid bodies feel.

A step is staggered. Particles see each shape where it will be at the end of the step if nothing
pushes it, and take an implicit step, or a symplectic one with implicit contacts; what their
contacts and anchors exert is then given to the rigid bodies as forces of the coming step. The
stiffness of all contacts of one rigid body, and of its anchors, stays below a share of its mass
over the square of the time step: up to 4/3 of it that exchange is stable (the determinant of the
map of one contact is 1 - r for a share r).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unibody.core.deform.contacts import Contacts
from unibody.core.deform.join import joined
from unibody.core.deform.pbd.links import Links
from unibody.core.deform.state import State
from unibody.core.deform.symplectic.solver import SymplecticEuler
from unibody.core.deform.tables import Tables
from unibody.core.deform.vbd.solver import SurfaceContact, VertexBlockDescent
from unibody.core.engine.soft.contact_rows import CREEP, find
from unibody.core.engine.soft.contact_tables import (
    Held,
    Meets,
    Particles,
    Rigid,
    Rows,
    Slid,
    key_of,
)
from unibody.core.engine.soft.face_rows import find_with_faces
from unibody.core.engine.soft.face_tables import FaceRows, Faces, feature_room
from unibody.core.engine.soft.reactions import react, react_to_points
from unibody.core.engine.soft.shapes import Shapes, shapes_of
from unibody.core.engine.soft.touches import Touches, touches_of

if TYPE_CHECKING:
    from unibody.core.engine.world.world import World

FloatArray = NDArray[np.floating[Any]]

_ITERATIONS = 20
_ROOM = 4  # rows of a particle, at first
_FACE_ROOM = 64  # rows of faces, at first
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
        faces_touch: Whether its faces touch rigid bodies between their corners too.
        held: Particles that stay where they are, and their masses.
        links: What holds it together where position based dynamics moves it.
        start: Of its particles among those of the world.
        first_face: The number of its first face among those of the world that touch.
        slid: How far its particles and faces have slid, as long as it is in no world; then see
            `SoftWorld.slid`.
    """

    tables: Tables
    state: State
    faces: NDArray[np.integer[Any]]
    radius: float = 0.02
    friction: float = 1.0
    gravity: float = 1.0
    rest: FloatArray | None = None
    faces_touch: bool = False
    held: set[int] = field(default_factory=set[int])
    links: Links | None = None
    start: int = 0
    first_face: int = 0
    slid: Slid = field(default_factory=Slid.none)
    _masses: FloatArray | None = field(default=None, init=False)
    _masses_of: tuple[Any, set[int]] = field(default=(None, set()), init=False)

    @property
    def masses(self) -> FloatArray:
        """Of its particles, those that are held zero; not to be changed, (p,) [kg]."""
        given, held = self.tables.masses, self.held
        if self._masses is None or self._masses_of[0] is not given or self._masses_of[1] != held:
            self._masses = np.array(given, dtype=np.float64)
            self._masses[list(held)] = 0.0
            self._masses_of = given, set(held)
        return self._masses

    @property
    def face_count(self) -> int:
        """How many faces touch."""
        return len(self.faces) if self.faces_touch else 0

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


def meets_of(
    bodies: Sequence[Any], counts: Sequence[int], apart: Mapping[Any, Sequence[int]], nbody: int
) -> Meets:
    """Which soft bodies touch which rigid ones.

    Args:
        bodies: The soft bodies.
        counts: How many particles each has.
        apart: Rigid bodies that soft ones do not touch, numbers in the compiled model.
        nbody: How many bodies the compiled model has.
    """
    meets = Meets.all(counts, nbody)
    for number, body in enumerate(bodies):
        meets.allowed[number, list(apart.get(body, ()))] = 0
    return meets


class SoftWorld:
    """The soft bodies of one world.

    Args:
        symplectic: Whether bodies of springs and tetrahedra that are soft for the time step take
            symplectic steps; else all steps are implicit.

    Attributes:
        bodies: All of them.
        anchors: Particles that rigid bodies hold.
        apart: Rigid bodies that soft ones do not touch, numbers in the compiled model; to be
            replaced by another mapping whenever it changes.
    """

    def __init__(self, *, symplectic: bool = False) -> None:
        self._symplectic = symplectic
        self._quick: SymplecticEuler | None = None
        self.bodies: list[SoftBody] = []
        self.anchors: list[Anchor] = []
        self.apart: Mapping[Any, Sequence[int]] = {}
        self._before: FloatArray | None = None  # where particles were at the start of the last step
        self._solver: VertexBlockDescent | None = None
        self._state = State.at(np.zeros((0, 3)))
        self._seen: tuple[Any, ...] = ()  # the world, its generation and its data
        self._slid = self._slid_before = Slid.none()
        self._slid_now = 0  # how many there are
        self._applied: tuple[Any, Any] | None = None
        self._touched: Rows | None = None  # in the last step

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

    def rebuild(self, body: SoftBody, tables: Tables) -> None:
        """Give a body other elements, of the same particles."""
        self._leave()
        body.tables = tables

    def slid(self, body: SoftBody) -> Slid:
        """How far a body's particles have slid, by their numbers in the body, then its faces.

        A face has its number behind those of the particles.
        """
        if self._solver is None:
            return body.slid
        keys, ways = self._slid
        spans = self._kept_of(body)
        return Slid(
            np.concatenate([keys[low:high] - shift for low, high, shift in spans]),
            np.concatenate([ways[low:high] for low, high, _ in spans]),
        )

    def set_slid(self, body: SoftBody, slid: Slid) -> None:
        """Say how far a body's particles and faces have slid, that are elsewhere now."""
        self._touched = None
        if self._solver is None:
            body.slid = slid
        else:
            self._put_slid(body, slid)

    def _put_slid(self, body: SoftBody, slid: Slid) -> None:
        """Put a body's ways slid among those of all, in place of what it has there."""
        keys, ways = self._slid
        (a, b, first), (c, d, other) = self._kept_of(body)
        cut = int(np.searchsorted(slid.keys, key_of(len(body.state.positions))))
        own = slid.keys[:cut] + first, slid.keys[cut:] + other
        now = self._slid_now
        keys = np.concatenate([keys[:a], own[0], keys[b:c], own[1], keys[d:now]])
        ways = np.concatenate([ways[:a], slid.ways[:cut], ways[b:c], slid.ways[cut:], ways[d:now]])
        self._slid_now = len(keys)
        if len(keys) > len(self._slid.keys):
            self._rows(2 * len(keys))
        self._slid.keys[: len(keys)], self._slid.ways[: len(keys)] = keys, ways

    def _kept_of(self, body: SoftBody) -> list[tuple[int, int, int]]:
        """The ways slid of a body among those of all: from, to, and what its keys have more there.

        Those of particles, then those of faces: of the world, too, faces come behind particles.
        """
        count, particles = len(body.state.positions), len(self._state.positions)
        face = particles + body.first_face
        ends = [body.start, body.start + count, face, face + body.face_count]
        keys = self._slid.keys[: self._slid_now]
        a, b, c, d = (int(n) for n in np.searchsorted(keys, [key_of(end) for end in ends]))
        return [(a, b, key_of(body.start)), (c, d, key_of(face) - key_of(count))]

    def _leave(self) -> None:
        """Say that the particles of the world are others from now on."""
        for body in self.bodies:
            body.slid = self.slid(body)
        self._solver = self._touched = self._before = None

    def before_step(self, world: World, gravity: Any, geoms: Any = None) -> None:
        """Move all particles by a time step, and push the rigid bodies they touch.

        Args:
            world: Of the rigid bodies.
            gravity: (3,) [m/s^2].
            geoms: Which geoms particles may touch, in ascending order, (g,); None: all.
        """
        if not self.bodies:
            return
        world.velocities()  # and poses
        dt = float(world.model.opt.timestep)
        solver = self._solver or self._gather()
        seen = world, world.generation, world.data, self.apart
        if self._seen != seen:
            self._see(world, seen)
        self._touched = None
        found = self._found(np.arange(len(self._shapes.kinds)) if geoms is None else geoms, dt)
        state = self._state
        contacts, drive = Contacts(found.first, found.rows, found.keys), self._gravity(gravity)
        quick, features = self._quick, self._features if self._points.number[0] else None
        if quick is not None and quick.step(
            state, dt, accelerations=drive, contacts=contacts, features=features
        ):
            before = quick.before
        else:
            solver.step(
                state, dt, accelerations=drive, contacts=contacts, features=features,
                surfaces=self._near_one_another(dt),
            )  # fmt: skip
            before = solver.before
        self._before = before
        if found.first[-1] or features is not None:
            self._react(before, found, dt)
            self._touched = found

    def after_step(self, world: World) -> None:
        """Take the forces of `before_step` away again."""
        if self._applied is not None:
            before, self._applied = self._applied, None
            if before[0] is world.data:
                world.data.xfrc_applied[:] = before[1]

    def step_bounds(self, body: SoftBody) -> tuple[FloatArray, FloatArray]:
        """The box around a body's surface at the start of the last step, smallest corner first."""
        if self._before is None:
            return body.bounds()
        places = self._before[body.start : body.start + len(body.state.positions)]
        return places.min(axis=0) - body.radius, places.max(axis=0) + body.radius

    def touches(self) -> Touches:
        """What particles touched in the last step, as long as they are where it left them."""
        if self._touched is None:
            return Touches.none()
        return touches_of(
            self._touched, self._features, self._points, self._state.positions,
            self._particles.radii,
        )  # fmt: skip

    # --- one world of particles ----------------------------------------------------------------

    def _gather(self) -> VertexBlockDescent:
        """Put the particles of all bodies behind one another; what moves them."""
        parts = [body.state for body in self.bodies]
        arrays = [
            np.concatenate([getattr(part, name) for part in parts])
            for name in ("positions", "velocities", "accelerations")
        ]
        start = 0
        for body in self.bodies:
            body.start, end = start, start + len(body.state.positions)
            body.state = State(*(array[start:end] for array in arrays))
            start = end
        self._state = State(*arrays)
        masses = np.concatenate([body.masses for body in self.bodies])
        self._particles = Particles(
            self._state.positions, self._state.velocities, masses,
            self._each("radius").astype(np.float64), self._each("friction").astype(np.float64),
        )  # fmt: skip
        self._factor = self._each("gravity")[:, None]
        self._drive: tuple[Any, Any] = (None, None)
        self._slid_now = 0
        self._gather_faces()
        self._rows(_ROOM * start + len(self.anchors))
        for body in self.bodies:
            self._put_slid(body, body.slid)
        tables = joined([body.tables for body in self.bodies], masses)
        surfaces = self._surfaces()
        self._solver = VertexBlockDescent(
            tables, iterations=_ITERATIONS, surface_contact=surfaces, faces=self._faces.corners
        )
        self._quick = None
        if self._symplectic and not len(tables.triangles.corners) and not len(tables.bends.corners):
            self._quick = SymplecticEuler(
                tables,
                starts=[*(body.start for body in self.bodies), start],
                radii=self._particles.radii,
                itself=[body.rest is not None for body in self.bodies],
                surface_contact=surfaces,
            )
        self._seen = ()
        return self._solver

    def _gather_faces(self) -> None:
        """Put the faces that touch behind one another."""
        corners: list[NDArray[np.integer[Any]]] = [np.zeros((0, 3), dtype=np.int64)]
        count = 0
        for body in self.bodies:
            body.first_face = count
            count += body.face_count
            if body.faces_touch:
                corners.append(body.faces + body.start)
        self._faces = Faces.of(np.concatenate(corners))
        self._points = FaceRows.room(_FACE_ROOM if count else 0)

    def _rows(self, count: int) -> None:
        """Make room for so many rows; ways slid are kept."""
        particles, inside = len(self._state.positions), len(self._points.keys)
        self._found_room = Rows.room(particles, count, 1)
        self._features = feature_room(particles, inside)
        now = min(self._slid_now, len(self._slid.keys))
        kept = Slid(self._slid.keys[:now], self._slid.ways[:now])
        count += inside
        fresh = [Slid(np.zeros(count, dtype=np.int64), np.zeros((count, 3))) for _ in range(2)]
        self._slid, self._slid_before = fresh
        self._slid.keys[:now], self._slid.ways[:now] = kept

    def _see(self, world: World, seen: tuple[Any, ...]) -> None:
        """Take the arrays of the rigid bodies, which stay until a compile."""
        self._seen = seen
        self._shapes: Shapes = shapes_of(world.model)
        self._rigid = Rigid.of(world.model, world.data)
        counts = np.zeros(world.model.nbody, dtype=np.int64)
        self._found_room = self._found_room._replace(counts=counts)
        self._pushed = np.zeros((world.model.nbody, 6))
        counts = [len(body.state.positions) for body in self.bodies]
        self._meets = meets_of(self.bodies, counts, self.apart, world.model.nbody)
        anchors = sorted(self.anchors, key=lambda a: a.soft.start + a.particle)
        self._held = Held(
            np.array([a.soft.start + a.particle for a in anchors], dtype=np.int64),
            np.array([anchor.body for anchor in anchors], dtype=np.int64),
            np.array([anchor.local for anchor in anchors], dtype=np.float64).reshape(-1, 3),
            np.array([a.soft.tables.masses[a.particle] for a in anchors], dtype=np.float64),
        )

    def _each(self, name: str) -> FloatArray:
        """A number of the body of each particle."""
        return self._of_each([getattr(body, name) for body in self.bodies])

    def _of_each(self, numbers: Iterable[float]) -> FloatArray:
        """For each particle what there is for each body."""
        return np.repeat(list(numbers), [len(body.state.positions) for body in self.bodies])

    def _surfaces(self) -> SurfaceContact | None:
        """How soft bodies touch themselves and one another."""
        faces = np.concatenate([body.faces + body.start for body in self.bodies])
        if not len(faces) or (len(self.bodies) == 1 and self.bodies[0].rest is None):
            return None
        rest = [body.state.positions if body.rest is None else body.rest for body in self.bodies]
        alone = self._of_each([body.rest is None for body in self.bodies])
        return SurfaceContact(
            faces,
            radius=self._particles.radii,
            hardness=_FIRM,
            friction=self._particles.friction,
            slow=CREEP,
            bodies=self._of_each(range(len(self.bodies))),
            alone=alone,
            rest=np.concatenate(rest),
            exclusion=2.0 * float(self._particles.radii.max()),
            interval=-1,
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

    def _gravity(self, gravity: Any) -> Any:
        """Accelerations of all particles, (p, 3) [m/s^2]."""
        given = tuple(gravity)
        if self._drive[0] != given:
            self._drive = given, (self._factor * np.array(given)).astype(np.float32)
        return self._drive[1]

    # --- what they touch -----------------------------------------------------------------------

    def _found(self, geoms: Any, dt: float) -> Rows:
        """What particles touch, and what holds them."""
        while True:
            room, points = self._found_room, self._points
            slid = Slid(self._slid.keys[: self._slid_now], self._slid.ways[: self._slid_now])
            if len(self._faces.corners):
                number = find_with_faces(
                    self._particles, self._faces, self._rigid, self._shapes, geoms, self._meets,
                    self._held, slid, room, self._features, points, dt,
                )  # fmt: skip
            else:
                number = find(
                    self._particles, self._rigid, self._shapes, geoms, self._meets, self._held,
                    slid, room, dt,
                )  # fmt: skip
            lacks = points.number[0] > len(points.keys)
            if number <= len(room.keys) and not lacks:
                return room
            if lacks:
                self._points = FaceRows.room(2 * int(points.number[0]))
            self._rows(max(2 * number, len(room.keys)))
            self._found_room = self._found_room._replace(counts=room.counts)

    def _react(self, before: Any, found: Rows, dt: float) -> None:
        """Push the rigid bodies, and remember how far particles have slid."""
        applied = self._rigid.xfrc_applied
        self._pushed[:] = applied
        self._applied = self._seen[2], self._pushed
        places, ways = self._state.positions, self._slid_before
        self._slid_now = react(places, before, found, self._rigid, ways, dt)
        if self._points.number[0]:
            self._slid_now = react_to_points(
                places, before, self._features, self._points, self._rigid, ways, self._slid_now, dt
            )
        self._slid, self._slid_before = self._slid_before, self._slid
