"""The soft bodies of a client: they take part in every substep.

A soft body has an id, a name and a place in the tables as a fixed body without shapes. Its base
stands where the particles' mass centre is, turned as they are on average; who moves the base moves
the particles.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from unibody.core.deform.embedding import Embedding
from unibody.core.deform.motion import mass_centre, mean_pose, mean_velocity, moved
from unibody.core.engine.soft.bodies import Anchor, SoftBody, SoftWorld
from unibody.core.engine.soft.contact_rows import Slid

if TYPE_CHECKING:
    from unibody.bullet.substeps.tick import SteppedClient
    from unibody.core.assets.description import Vec3

_GROUP, _MASK = 1, -1  # of soft bodies, for collision filters


@dataclass(eq=False)
class SoftRecord:
    """A soft body of a client.

    Attributes:
        body_id: Its id.
        soft: Its particles.
        rest: Where they were when it was made, about their mass centre, (p, 3) [m].
        tetrahedra: (n, 4), particles; of a surface alone there are none.
        drawn_faces: Triangles that are drawn, (g, 3), points that are drawn.
        drawing: How these points follow the particles; None: they are the particles.
        place: Where its base was put last.
    """

    body_id: int
    soft: SoftBody
    rest: Any
    tetrahedra: Any
    drawn_faces: Any
    drawing: Embedding | None = None
    place: tuple[Any, Any] = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))

    def drawn_places(self) -> Any:
        """Where the points that are drawn are, (q, 3) [m]."""
        places = self.soft.state.positions
        return places if self.drawing is None else self.drawing.places(places)


class SavedParticles(NamedTuple):
    """The particles of a soft body in a saved state.

    See `State`, `SoftRecord.place` and `SoftWorld.slid`.
    """

    place: tuple[Any, Any]
    slid: Slid
    positions: Any
    velocities: Any
    accelerations: Any


class SoftBodies:
    """The soft bodies of a client.

    Attributes:
        records: By body id.
        world: Their particles.
        anchors: By constraint id: a soft body and one of its particles, and the anchor if a rigid
            body holds it; else the world does.
    """

    def __init__(self) -> None:
        self.records: dict[int, SoftRecord] = {}
        self.world = SoftWorld()
        self.anchors: dict[int, tuple[SoftRecord, int, tuple[int, int] | None, Anchor | None]] = {}
        self._filters: tuple[Any, Any, Any] = (None, None, None)

    def before_tick(self, client: SteppedClient) -> None:
        """Move the particles, and push the rigid bodies they touch."""
        for record in self.records.values():
            self.follow_base(client, record)
        for _, _, holder, anchor in self.anchors.values():
            if anchor is not None and holder is not None:
                anchor.body = client.bodies[holder[0]].record.body + holder[1] + 1
        self.world.before_step(
            client.world, client.scene.options.gravity, self._touchable(*client.scene.geom_filters)
        )

    def _touchable(self, groups: Any, masks: Any) -> Any:
        """Geoms that soft bodies may touch; filters are new arrays whenever one changes."""
        if self._filters[0] is not groups or self._filters[1] is not masks:
            touches = ((groups & _MASK) != 0) & ((masks & _GROUP) != 0)
            self._filters = groups, masks, np.flatnonzero(touches)
        return self._filters[2]

    def after_tick(self, client: SteppedClient) -> None:
        """Take the pushes away, and put the bases where the particles are."""
        self.world.after_step(client.world)
        for record in self.records.values():
            self.place(client, record)

    def follow_base(self, client: SteppedClient, record: SoftRecord) -> None:
        """Move the particles of a body whose base was put elsewhere."""
        base = client.bodies[record.body_id].base_com_pose()
        now = (tuple(base.pos), tuple(base.quat))
        if now != record.place:
            state = record.soft.state
            state.positions[:] = moved(state.positions, record.place, now)
            state.velocities[:] = 0.0
            state.accelerations[:] = 0.0
            self.world.set_slid(record.soft, Slid.none())
            record.place = now

    def place(self, client: SteppedClient, record: SoftRecord) -> None:
        """Put a base where the particles are."""
        soft = record.soft
        pos, quat = mean_pose(record.rest, soft.state.positions, soft.masses)
        body = client.bodies[record.body_id]
        body.move_base(pos, quat)
        base = body.base_com_pose()
        record.place = (tuple(base.pos), tuple(base.quat))

    def velocity_of(self, body_id: int) -> tuple[Vec3, Vec3]:
        """Linear and angular velocity of a body as a whole [m/s, rad/s]."""
        soft = self.records[body_id].soft
        return mean_velocity(soft.state.positions, soft.state.velocities, soft.masses)

    def set_velocity(self, body_id: int, linear: Vec3, angular: Vec3) -> None:
        """Let all particles of a body but those that are held move as if it were rigid."""
        soft = self.records[body_id].soft
        masses = soft.masses
        arms = soft.state.positions - mass_centre(soft.state.positions, masses)
        found = np.array(linear) + np.cross(np.array(angular), arms)
        soft.state.velocities[:] = np.where(masses[:, None] > 0.0, found, 0.0)
        soft.state.accelerations[:] = 0.0

    def saved(self, client: SteppedClient) -> dict[int, SavedParticles]:
        """The present state of all particles, by body id."""
        for record in self.records.values():
            self.follow_base(client, record)
        return {
            number: SavedParticles(
                record.place,
                self.world.slid(record.soft),
                *(part.copy() for part in _parts(record)),
            )
            for number, record in self.records.items()
        }

    def put_back(self, saved: dict[int, SavedParticles]) -> None:
        """Put the particles of all bodies back, with their bases as they were.

        Args:
            saved: Of the very bodies that there are; see `differs`.
        """
        for number, particles in saved.items():
            record = self.records[number]
            for part, before in zip(_parts(record), particles[2:], strict=True):
                part[:] = before
            record.place = particles.place
            self.world.set_slid(record.soft, particles.slid)

    def differs(self, saved: dict[int, SavedParticles]) -> str:
        """What differs between the bodies of a saved state and those there are; "": nothing."""
        for number in sorted(saved.keys() ^ self.records.keys()):
            where = "the world" if number in self.records else "the saved state"
            return f"only {where} has the soft body {number}"
        for number, particles in saved.items():
            now, before = len(self.records[number].rest), len(particles.positions)
            if now != before:
                return (
                    f"the soft body {number} has {now} particles, and {before} in the saved state"
                )
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
        if record is not None:
            self.world.remove(record.soft)
        return gone

    def let_go(self, number: int) -> None:
        """Take an anchor away."""
        record, particle, _, anchor = self.anchors.pop(number)
        if anchor is not None:
            self.world.detach(anchor)
        elif not any(
            r is record and p == particle and a is None for r, p, _, a in self.anchors.values()
        ):
            self.world.let_go(record.soft, particle)


def _parts(record: SoftRecord) -> tuple[Any, Any, Any]:
    state = record.soft.state
    return state.positions, state.velocities, state.accelerations
