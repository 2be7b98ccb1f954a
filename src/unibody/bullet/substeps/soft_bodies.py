"""The soft bodies of a client: they take part in every substep.

A soft body has an id, a name and a place in the tables as a fixed body without shapes. Its base
stands where the particles' mass centre is, turned as they are on average; who moves the base moves
the particles.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from unibody.bullet.substeps.carried_particles import CarriedParticles
from unibody.core.deform.embedding import Embedding
from unibody.core.deform.modal import ModalBody
from unibody.core.deform.motion import (
    MeanPose,
    mass_centre,
    mean_velocity,
    moved,
    turn_between,
)
from unibody.core.engine.soft.bodies import Anchor, SoftBody, SoftWorld
from unibody.core.engine.soft.contact_tables import Slid, key_of
from unibody.core.engine.soft.modal import ModalWorld
from unibody.core.engine.soft.position_based import PositionWorld

if TYPE_CHECKING:
    from unibody.bullet.substeps.tick import SteppedBody, SteppedClient
    from unibody.core.assets.description import Vec3

SOFT_GROUP = 1
"""Collision group of all soft bodies."""

_MASK = -1  # of soft bodies, for collision filters
_NEW_MARGIN = 0.25  # m: of Bullet's soft bodies, until they have been moved or taken a step


@dataclass(eq=False)
class SoftRecord:
    """A soft body of a client.

    Attributes:
        body_id: Its id.
        soft: Its particles.
        rest: Where they were when it was made, about their mass centre, (p, 3) [m].
        faces: Triangles of its surface, (f, 3), particles.
        tetrahedra: (n, 4), particles; of a surface alone there are none.
        drawn_faces: Triangles that are drawn, (g, 3), points that are drawn.
        drawn_uvs: Texture coordinates of their corners, (3 g, 2); None: there are none.
        file: Of the mesh that is drawn.
        drawing: How these points follow the particles; None: they are the particles.
        place: Where its base was put last.
        boxed: What its box was last put around: it as it was made, as it is now, or as the last
            step saw it.
    """

    body_id: int
    soft: SoftBody | ModalBody
    rest: Any
    faces: Any
    tetrahedra: Any
    drawn_faces: Any
    drawn_uvs: Any = None
    file: str = ""
    drawing: Embedding | None = None
    place: tuple[Any, Any] = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))
    boxed: Literal["made", "now", "step"] = "made"

    def __post_init__(self) -> None:
        self._mean = MeanPose(self.rest)

    def mean_pose(self) -> tuple[Any, Any]:
        """Where its particles are as a whole; see `motion.mean_pose`."""
        return self._mean.of(self.soft.state.positions, self.soft.masses)

    def drawn_places(self) -> Any:
        """Where the points that are drawn are, (q, 3) [m]."""
        places = self.soft.state.positions
        return places if self.drawing is None else self.drawing.places(places)


HeldParticle = tuple[SoftRecord, int, tuple[int, int] | None, Anchor | None]


class SavedParticles(NamedTuple):
    """The particles of a soft body in a saved state.

    Attributes:
        place: See `SoftRecord.place`.
        slid: See `SoftWorld.slid`.
        parts: Arrays of its state, and of the motion of a modal body.
    """

    place: tuple[Any, Any]
    slid: Slid
    parts: tuple[Any, ...]


class SoftBodies:
    """The soft bodies of a client.

    Args:
        deformable: Whether the world is deformable; else position based dynamics moves them.

    Attributes:
        records: By body id.
        world: Their particles.
        modal: Those of them that have a few modes of deformation.
        anchors: By constraint id: a soft body and one of its particles, and the anchor if a rigid
            body holds it; else the world does; None: nothing does.
        apart: Soft bodies and links of other bodies that do not touch: ids of both, and the link.
        forces: On particles in the next step, by body id and particle [N].
    """

    def __init__(self, *, deformable: bool) -> None:
        self.records: dict[int, SoftRecord] = {}
        self.world: SoftWorld | PositionWorld = (
            SoftWorld(symplectic=True) if deformable else PositionWorld()
        )
        self._deformable = deformable
        self._generation: tuple[Any, int] | None = None
        self._left: tuple[Any, int] | None = None  # the world and its version after the last step
        self.modal: ModalWorld = ModalWorld()
        self.anchors: dict[int, HeldParticle] = {}
        self.apart: frozenset[tuple[int, int, int]] = frozenset()
        self._apart_of: Any = None
        self.forces: dict[tuple[int, int], Any] = {}
        self._carried = CarriedParticles()
        self._filters: tuple[Any, Any, Any] = (None, None, None)

    def add(self, record: SoftRecord) -> None:
        """Take a body in."""
        self.records[record.body_id] = record
        if isinstance(record.soft, ModalBody):
            self.modal.bodies.append(record.soft)
        else:
            self.world.add(record.soft)

    def before_tick(self, client: SteppedClient) -> None:
        """Move the particles, and push the rigid bodies they touch."""
        scene, world = client.scene, client.world
        if self._left != (world, world.version):
            for record in self.records.values():
                self.follow_base(client, record)
            self.follow_holders(client)
        if self._generation != (world, world.generation):
            self._generation = world, world.generation
            self._say_maximal(client)
            self._apart_of = None
        if self._apart_of is not self.apart:
            self._say_apart(client)
        if self.forces:
            self._push_particles(float(world.model.opt.timestep))
        if isinstance(self.world, PositionWorld):
            self.world.cell = client.soft_cell
        gravity, geoms = scene.options.gravity, self._touchable(*scene.geom_filters)
        self.world.before_step(world, gravity, geoms)
        self.modal.before_step(world, gravity, geoms)
        for record in self.records.values():
            record.boxed = "step"

    def set_pair(self, pair: tuple[int, int, int], *, meet: bool) -> None:
        """Say whether a soft body touches a link of another body; ids of both, and the link."""
        self.apart = self.apart - {pair} if meet else self.apart | {pair}

    def _say_apart(self, client: SteppedClient) -> None:
        """Say which bodies of the compiled model soft ones do not touch."""
        self._apart_of = self.apart
        found: dict[Any, list[int]] = {}
        for soft, other, link in sorted(self.apart):
            record, body = self.records.get(soft), client.bodies.get(other)
            if record is not None and body is not None and other not in self.records:
                found.setdefault(record.soft, []).append(body.record.body + link + 1)
        self.world.apart = self.modal.apart = found

    def add_force(self, body_id: int, particle: int, force: Any) -> None:
        """Add to the force on a particle in the next step [N]."""
        at = (body_id, particle)
        self.forces[at] = self.forces.get(at, 0.0) + np.array(force, dtype=np.float64)

    def _push_particles(self, dt: float) -> None:
        """Let forces on particles act for a step."""
        forces, self.forces = self.forces, {}
        for (body_id, particle), force in forces.items():
            soft = self.records[body_id].soft
            if soft.masses[particle] > 0.0:
                soft.state.velocities[particle] += dt / soft.masses[particle] * force

    def _say_maximal(self, client: SteppedClient) -> None:
        """Say after a compile which bodies are of maximal coordinates.

        Multi-bodies get half of the size of an impulse, along the normal, in PyBullet, and
        particles do not feel their mass.
        """
        soft = self.world
        if not isinstance(soft, PositionWorld):
            return
        soft.whole = np.zeros(client.world.model.nbody, dtype=np.int64)
        for body in client.bodies.values():
            if is_maximal(body):
                soft.whole[body.record.body : body.record.body + body.joint_count + 1] = 1

    def _touchable(self, groups: Any, masks: Any) -> Any:
        """Geoms that soft bodies may touch; filters are new arrays whenever one changes."""
        if self._filters[0] is not groups or self._filters[1] is not masks:
            touches = ((groups & _MASK) != 0) & ((masks & SOFT_GROUP) != 0)
            self._filters = groups, masks, np.flatnonzero(touches)
        return self._filters[2]

    def after_tick(self, client: SteppedClient) -> None:
        """Take the pushes away, and put the bases where the particles are."""
        world = client.world
        self.modal.after_step(world)
        self.world.after_step(world)
        for record in self.records.values():
            self.place(client, record)
        if self._deformable:
            self._carried.leave(world, self._anchors_on_bodies(client))
        self._left = world, world.version

    def follow_holders(self, client: SteppedClient) -> None:
        """Move the particles that rigid bodies hold which were put elsewhere.

        Where the world is not deformable, they are put to where they are held in any step.
        """
        self._carried.carry(client.world, self._anchors_on_bodies(client))

    def _anchors_on_bodies(self, client: SteppedClient) -> list[Anchor]:
        """Anchors whose particles rigid bodies hold, with the present numbers of these bodies."""
        found: list[Anchor] = []
        for _, _, holder, anchor in self.anchors.values():
            if anchor is not None and holder is not None:
                anchor.body = client.bodies[holder[0]].record.body + holder[1] + 1
                found.append(anchor)
        return found

    def follow_base(self, client: SteppedClient, record: SoftRecord) -> None:
        """Move the particles of a body whose base was put elsewhere."""
        base = client.bodies[record.body_id].base_com_pose()
        now = (tuple(base.pos), tuple(base.quat))
        if now != record.place:
            soft, before = record.soft, record.place
            record.place, record.boxed = now, "now"
            if isinstance(soft, ModalBody):
                soft.move(turn_between(before, now), np.array(before[0]), np.array(now[0]))
                return
            state = soft.state  # velocities stay as they are, as in PyBullet
            state.positions[:] = moved(state.positions, before, now)
            self.world.set_slid(soft, Slid.none())

    def place(self, client: SteppedClient, record: SoftRecord) -> None:
        """Put a base where the particles are."""
        pos, quat = record.mean_pose()
        client.bodies[record.body_id].move_base(pos, quat)
        record.place = pos, quat

    def box(self, client: SteppedClient, record: SoftRecord) -> tuple[Any, Any]:
        """Smallest and largest corner of the box around a body, as PyBullet has it [m].

        It is made when the body is moved, and in each step before particles are put right; one
        that was just made has another margin.
        """
        self.follow_base(client, record)
        soft = record.soft
        if record.boxed == "step":
            return (
                self.modal.step_bounds(soft)
                if isinstance(soft, ModalBody)
                else (self.world.step_bounds(soft))
            )
        low, high = soft.bounds()
        wider = _NEW_MARGIN - soft.radius if record.boxed == "made" else 0.0
        return low - wider, high + wider

    def velocity_of(self, body_id: int) -> tuple[Vec3, Vec3]:
        """Linear and angular velocity of a body as a whole [m/s, rad/s]."""
        soft = self.records[body_id].soft
        return mean_velocity(soft.state.positions, soft.state.velocities, soft.masses)

    def set_velocity(self, body_id: int, linear: Vec3, angular: Vec3) -> None:
        """Let all particles of a body but those that are held move as if it were rigid."""
        soft = self.records[body_id].soft
        if isinstance(soft, ModalBody):
            soft.set_velocity(np.array(linear), np.array(angular))
            return
        masses = soft.masses
        arms = soft.state.positions - mass_centre(soft.state.positions, masses)
        found = np.array(linear) + np.cross(np.array(angular), arms)
        soft.state.velocities[:] = np.where(masses[:, None] > 0.0, found, 0.0)
        soft.state.accelerations[:] = 0.0

    def saved(self, client: SteppedClient) -> dict[int, SavedParticles]:
        """The present state of all particles, by body id."""
        for record in self.records.values():
            self.follow_base(client, record)
        self.follow_holders(client)
        return {
            number: SavedParticles(
                record.place,
                Slid.none() if isinstance(record.soft, ModalBody) else self.world.slid(record.soft),
                tuple(part.copy() for part in _parts(record)),
            )
            for number, record in self.records.items()
        }

    def put_back(self, saved: dict[int, SavedParticles]) -> None:
        """Put the particles of all bodies back, with their bases as they were.

        Args:
            saved: Of the very bodies that there are; see `differs`.
        """
        self._carried = CarriedParticles()
        for number, particles in saved.items():
            record = self.records[number]
            for part, before in zip(_parts(record), particles.parts, strict=True):
                part[:] = before
            record.place, record.boxed = particles.place, "now"
            if not isinstance(record.soft, ModalBody):
                self.world.set_slid(record.soft, particles.slid)

    def differs(self, saved: dict[int, SavedParticles]) -> str:
        """What differs between the bodies of a saved state and those there are; "": nothing."""
        for number in sorted(saved.keys() ^ self.records.keys()):
            where = "the world" if number in self.records else "the saved state"
            return f"only {where} has the soft body {number}"
        for number, particles in saved.items():
            now, before = _parts(self.records[number]), particles.parts
            if [part.shape for part in now] != [part.shape for part in before]:
                return (
                    f"the soft body {number} has {len(now[0])} particles, and "
                    f"{len(before[0])} in the saved state, or other modes of deformation"
                )
            soft, keys = self.records[number].soft, particles.slid.keys
            slots = 0 if isinstance(soft, ModalBody) else len(now[0]) + soft.face_count
            if len(keys) and keys[-1] >= key_of(slots):
                return f"the soft body {number} has fewer particles or faces than slid"
        return ""

    def forget(self, body_id: int) -> list[int]:
        """Let a body go that is soft or holds particles; ids of the anchors that go with it."""
        record = self.records.pop(body_id, None)
        gone = [
            number
            for number, (soft, _, holder, _) in self.anchors.items()
            if soft is record or (holder is not None and holder[0] == body_id)
        ]
        for number in gone:
            self.let_go(number)
        self.apart = frozenset(pair for pair in self.apart if body_id not in pair[:2])
        self.forces = {at: force for at, force in self.forces.items() if at[0] != body_id}
        soft = None if record is None else record.soft
        if isinstance(soft, ModalBody):
            self.modal.remove(soft)
        elif soft is not None:
            self.world.remove(soft)
        return gone

    def let_go(self, number: int) -> None:
        """Take an anchor away."""
        record, particle, holder, anchor = self.anchors.pop(number)
        if anchor is not None:
            self.world.detach(anchor)
        elif (
            isinstance(record.soft, SoftBody)
            and holder is None
            and not any(
                r is record and p == particle and h is None for r, p, h, _ in self.anchors.values()
            )
        ):
            self.world.let_go(record.soft, particle)


def is_maximal(body: SteppedBody) -> bool:
    """Whether a body was made with ``useMaximalCoordinates``."""
    return body.record.options.quadratic_damping == 0.0


def _parts(record: SoftRecord) -> tuple[Any, ...]:
    state, soft = record.soft.state, record.soft
    parts = state.positions, state.velocities, state.accelerations
    if isinstance(soft, ModalBody):
        return *parts, *soft.motion
    return parts if soft.links is None else (*parts, soft.links.length)
