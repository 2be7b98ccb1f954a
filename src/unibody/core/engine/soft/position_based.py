"""Soft bodies of one world that links hold together, by position based dynamics.

As in Bullet's world that is not deformable: what particles touch is found before the rigid bodies
step, where particles come to if nothing holds them; after that particles are put right, and the
rigid bodies get impulses, which are part of their velocities from then on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np

from unibody.core.deform.pbd.contacts import Rigid as Pushed
from unibody.core.deform.pbd.contacts import Rows, Sides
from unibody.core.deform.pbd.links import PLACE, Groups, Links, grouped
from unibody.core.deform.pbd.rounds import Bodies
from unibody.core.deform.state import State
from unibody.core.engine.soft.bodies import Anchor, SoftBody, meets_of
from unibody.core.engine.soft.contact_tables import Rigid, Slid
from unibody.core.engine.soft.position_contacts import approach, finish, weigh
from unibody.core.engine.soft.position_sides import find_sides
from unibody.core.engine.soft.pushed_bodies import Arrays, PushedBodies
from unibody.core.engine.soft.sampled_distance import Lattice
from unibody.core.engine.soft.shapes import Shapes, shapes_of
from unibody.core.engine.soft.touches import Touches
from unibody.errors import EngineError

if TYPE_CHECKING:
    from unibody.core.engine.world.world import World

_ITERATIONS = 20  # of Bullet
_ROOM = 64  # rows, at first
_NOBODY, _NONE = Pushed.room(0), np.zeros(0, dtype=np.int64)


class PositionWorld:
    """The soft bodies of one world, whose `SoftBody.links` hold them together.

    Attributes:
        bodies: All of them.
        anchors: Particles that rigid bodies hold.
        whole: Of each body of the compiled model, whether it gets impulses where particles touch
            it, in all directions; else it gets half of their size along the normal, and particles
            do not feel its mass, (nbody,); None: all do.
        apart: See `SoftWorld.apart`.
        cell: Width of the lattice that distances from convex shapes are sampled on; 0: they are
            exact [m].
    """

    def __init__(self, cell: float = 0.0) -> None:
        self.bodies: list[SoftBody] = []
        self.anchors: list[Anchor] = []
        self.whole: Any = None
        self.apart: Mapping[Any, Sequence[int]] = {}
        self.cell = cell
        self._all: Bodies | None = None
        self._groups: Groups | None = None
        self._seen: tuple[Any, ...] = ()  # the world, its generation and its data
        self._pushed: PushedBodies | None = None  # in this step
        self._kept: PushedBodies | None = None  # in this one or an earlier one
        self._known = cell, Lattice.room()
        self._rows, self._sides = Rows.room(0, _ROOM), Sides.room(0, _ROOM)
        self._fallen: Any = None  # boxes around bodies in the last step, (b, 2, 3) [m]

    def add(self, body: SoftBody) -> None:
        """Take a soft body in."""
        self._all = None
        self.bodies.append(body)

    def remove(self, body: SoftBody) -> None:
        """Let a soft body go, with its anchors."""
        self._all = None
        self.bodies.remove(body)
        self.anchors = [anchor for anchor in self.anchors if anchor.soft is not body]

    def hold(self, body: SoftBody, particle: int) -> None:
        """Keep a particle where it is; links are at rest as they are now, as in Bullet."""
        self._all = None
        body.held.add(particle)
        body.state.velocities[particle] = 0.0
        links_of(body).rest_in(body.state.positions)

    def let_go(self, body: SoftBody, particle: int) -> None:
        """Let a particle move that was held; links are at rest as they are now, as in Bullet."""
        self._all = None
        body.held.discard(particle)
        links_of(body).rest_in(body.state.positions)

    def attach(self, anchor: Anchor) -> None:
        """Let a rigid body hold a particle; it does not touch the soft body any more."""
        self._all = None
        self.anchors.append(anchor)

    def detach(self, anchor: Anchor) -> None:
        """Let a rigid body let a particle go."""
        self._all = None
        self.anchors.remove(anchor)

    def slid(self, body: SoftBody) -> Slid:
        """How far a body's particles have slid: nothing is known of it from step to step."""
        return body.slid

    def set_slid(self, body: SoftBody, slid: Slid) -> None:
        """Say that a body's particles are elsewhere now, and its links have other lengths."""
        del body, slid
        self._groups = None

    def step_bounds(self, body: SoftBody) -> tuple[Any, Any]:
        """The box around a body's surface where it came to in the last step if nothing held it.

        Smallest corner first [m].
        """
        if self._all is None or self._fallen is None:
            return body.bounds()
        low, high = self._fallen[self.bodies.index(body)]
        return low, high

    def touches(self) -> Touches:
        """What particles touched in the last step: Bullet tells of none."""
        return Touches.none()

    def before_step(self, world: World, gravity: Any, geoms: Any = None) -> None:
        """Find what particles touch where they come to if nothing holds them.

        Args:
            world: Of the rigid bodies.
            gravity: (3,) [m/s^2].
            geoms: Which geoms particles may touch, in ascending order, (g,); None: all.
        """
        if not self.bodies:
            return
        world.kinematics()
        bodies = self._all or self._gather()
        self._see(world)
        if geoms is None:
            geoms = np.arange(len(self._shapes.kinds))
        dt = float(world.model.opt.timestep)
        self._find(bodies, np.array(gravity, dtype=np.float64), geoms, dt)
        self._pushed = self._pushed_bodies(world)
        if self._pushed is not None:
            pushed = self._pushed
            weigh(
                bodies, self._rows, pushed.bodies, pushed.free, self._arrays, pushed.centres,
                pushed.rigid, dt,
            )  # fmt: skip

    def after_step(self, world: World) -> None:
        """Put the particles right, and push the rigid bodies."""
        bodies, pushed = self._all, self._pushed
        if bodies is None:
            return
        self._see(world)  # a step that needs more memory has other arrays
        if self._groups is None:
            parts = [links_of(body) for body in self.bodies]
            self._groups = grouped(parts, bodies.first[:-1], bodies.x[:, PLACE - 1])
        rigid, numbers, free = _NOBODY, _NONE, _NONE
        if pushed is not None:
            pushed.look()
            rigid, numbers, free = pushed.rigid, pushed.bodies, pushed.free
        if self.anchors:
            world.kinematics()
        finish(
            bodies, self._groups, self._held, self._rows, self._sides, self._holders, self._places,
            numbers, free, self._arrays, self._rigid, rigid, _ITERATIONS,
            float(world.model.opt.timestep),
        )  # fmt: skip
        if pushed is not None:
            pushed.push()

    # --- one world of particles ----------------------------------------------------------------

    def _gather(self) -> Bodies:
        """Put the particles of all bodies behind one another."""
        parts = [body.state for body in self.bodies]
        positions = np.concatenate([part.positions for part in parts])
        velocities = np.concatenate([part.velocities for part in parts]).astype(np.float64)
        counts = [len(part.positions) for part in parts]
        first = np.cumsum([0, *counts]).astype(np.int64)
        for body, start, stop in zip(self.bodies, first[:-1].tolist(), first[1:], strict=True):
            body.start = start
            accelerations = body.state.accelerations
            body.state = State(positions[start:stop], velocities[start:stop], accelerations)
        masses = np.concatenate([body.masses for body in self.bodies])
        x = np.zeros((len(positions) + 1, PLACE))
        np.divide(1.0, masses, out=x[:-1, -1], where=masses > 0.0)
        self._all = Bodies(
            first, positions, velocities, x, np.zeros((len(x), 3)), self._each("gravity"),
            self._each("radius"),
        )  # fmt: skip
        self._friction = self._each("friction")
        self._faces = np.concatenate([body.faces + body.start for body in self.bodies])
        self._faces = self._faces.astype(np.int64)
        self._starts = np.cumsum([0, *(len(body.faces) for body in self.bodies)]).astype(np.int64)
        self._groups, self._seen, self._fallen = None, (), None
        self._rows = Rows.room(len(counts), len(self._rows.particles))
        self._sides = Sides.room(len(counts), len(self._sides.corners))
        return self._all

    def _each(self, name: str) -> Any:
        """A number of each body."""
        return np.array([getattr(body, name) for body in self.bodies], dtype=np.float64)

    def _see(self, world: World) -> None:
        """Take the arrays of the rigid bodies, which stay until a compile."""
        seen = world, world.generation, world.data, self.apart
        if self._seen == seen:
            return
        model = world.model
        self._seen, self._kept = seen, None
        self._known = self.cell, Lattice.room()
        self._shapes: Shapes = shapes_of(model)
        self._boxes = np.array(model.geom_aabb, dtype=np.float64)
        self._boxes[model.geom_type == mujoco.mjtGeom.mjGEOM_PLANE, 3:] = np.inf
        self._rigid = Rigid.of(model, world.data)
        self._arrays = Arrays.of(model, world.data)
        self._free = np.ones(len(self._all.positions) if self._all else 0, dtype=np.int64)
        counts = [len(body.state.positions) for body in self.bodies]
        self._meets = meets_of(self.bodies, counts, self.apart, model.nbody).allowed
        for anchor in self.anchors:
            self._free[anchor.soft.start + anchor.particle] = 0
            self._meets[self.bodies.index(anchor.soft), anchor.body] = 0
        anchors = sorted(self.anchors, key=lambda a: a.soft.start + a.particle)
        self._holders = np.array([anchor.body for anchor in anchors], dtype=np.int64)
        self._places = np.array([a.local for a in anchors], dtype=np.float64).reshape(-1, 3)
        self._moving = self._holders[self._rigid.body_invweight0[self._holders, 0] > 0.0]
        self._held = Rows.room(len(self.bodies), len(anchors))
        self._held.particles[:] = [anchor.soft.start + anchor.particle for anchor in anchors]
        first = [body.start for body in self.bodies]
        self._held.first[:-1] = np.searchsorted(self._held.particles, first)
        self._held.first[-1] = len(anchors)
        self._found = np.zeros(model.nbody, dtype=np.int64)
        self._count = np.zeros(1, dtype=np.int64)

    # --- what they touch -----------------------------------------------------------------------

    def _find(self, bodies: Bodies, gravity: Any, geoms: Any, dt: float) -> None:
        """Begin a step, and find what particles touch, with as much room as it needs."""
        if self._known[0] != self.cell:
            self._known = self.cell, Lattice.room()
        fallen = self._fallen
        if fallen is None:
            fallen = self._fallen = np.zeros((len(self.bodies), 2, 3))
        while True:
            number = approach(
                bodies, gravity, dt, self._free, self._meets, self._friction, self._rigid,
                self._shapes, self._boxes, geoms, float(self.cell), self._known[1], self._rows,
                self._moving, self._found, self._count, fallen,
            )  # fmt: skip
            if number <= len(self._rows.particles):
                break
            self._rows = Rows.room(len(self.bodies), 2 * number)
        while len(self.bodies) > 1:
            number = find_sides(bodies, self._faces, self._starts, self._sides)
            if number <= len(self._sides.corners):
                break
            self._sides = Sides.room(len(self.bodies), 2 * number)

    def _pushed_bodies(self, world: World) -> PushedBodies | None:
        """The rigid bodies that particles touch or that hold them, and that move."""
        count = int(self._count[0])
        if count == 0:
            return None
        whole = self.whole
        kept = self._kept
        if kept is None or not kept.are(self._found[:count], whole):
            kept = self._kept = PushedBodies(world, self._found[:count].copy(), whole)
        kept.begin()
        return kept


def links_of(body: SoftBody) -> Links:
    """The links of a body of such a world."""
    if body.links is None:
        raise EngineError("a soft body of position based dynamics has no links")
    return body.links
