"""Soft bodies of a simulation: those of its actors, and all their particles as arrays."""

from __future__ import annotations

from collections.abc import Hashable
from copy import copy
from typing import Any

import numpy as np

from unibody.core.assets.description import Pose
from unibody.core.assets.rotations import rotations
from unibody.core.assets.transforms import pose_multiply
from unibody.core.batch.soft import Attachment, SoftEnvironments
from unibody.core.deform.state import State
from unibody.core.deform.stress import cauchy_stress
from unibody.core.deform.tables import Tables
from unibody.core.engine.soft.bodies import SoftBody, SoftWorld
from unibody.core.engine.soft.contact_tables import Slid
from unibody.core.engine.soft.solids import particle_masses, stiffest
from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.isaacgym.models.soft import SoftInfo, elements_of
from unibody.isaacgym.types import records
from unibody.isaacgym.types.properties import SoftMaterial
from unibody.notices import tell_once

WIDTH = 11
"""Numbers of a particle: position [m], inverse mass [1/kg], velocity [m/s], normal, and a zero."""

_SKIN = 0.02  # of an element: how far a surface is at least from what it touches
_SAME = 1e-4  # of an inverse mass: it is meant to stay


class SoftPart:
    """A soft body of an actor.

    Attributes:
        actor: The actor, an ``environment.Actor``.
        info: What it is.
        soft: The engine's.
        material: Its own.
        world: The soft bodies of its environment, once it is among them.
        start: Of its particles among those of the simulation.
        first_tetrahedron: The same.
        first_triangle: The same.
    """

    def __init__(self, actor: Any, info: SoftInfo) -> None:
        self.actor: Any = actor
        self.info: SoftInfo = info
        self.material: SoftMaterial = copy(info.material)
        self.world: SoftWorld | None = None
        self.start = self.first_tetrahedron = self.first_triangle = 0
        masses = particle_masses(info.density, info.points, info.tetrahedra)
        self.masses = np.maximum(masses, actor.model.options.min_particle_mass)
        pose = _pose_of(actor, info.carrier)
        turn = rotations(np.array(pose.quat))
        self._start = info.points @ turn.T + np.array(pose.pos)
        edges = np.ptp(info.points[info.tetrahedra], axis=1).max(axis=1)
        self._skin = _SKIN * float(edges.mean())
        sim = actor.env.sim
        self.soft: SoftBody = SoftBody(
            self._tables(sim.soft_step()), State.at(self._start), info.faces,
            radius=max(sim.params.flex.shape_collision_distance, self._skin),
            friction=sim.params.flex.dynamic_friction,
        )  # fmt: skip
        self.follow_params()

    @property
    def origin(self) -> Any:
        """Of its environment's frame in the simulation's, (3,) [m]."""
        origin = self.actor.env.origin
        return np.array([origin.x, origin.y, origin.z])

    @property
    def count(self) -> int:
        """Of its particles."""
        return len(self.masses)

    def _tables(self, dt: float) -> Tables:
        info, material = self.info, self.material
        most = stiffest(self.masses, info.points, info.tetrahedra, dt)
        if material.youngs > most:
            tell_once(
                f"{info.name!r}: a Young's modulus of {material.youngs:.3g} Pa is simulated as "
                f"{most:.3g} Pa, the largest that steps of {dt:.3g} s are short enough for"
            )
        return Tables(self.masses, tetrahedra=elements_of(info, material, most))

    def follow_material(self) -> None:
        """Take its present material, and what is simulated of it in the present time step."""
        tables = self._tables(self.actor.env.sim.soft_step())
        if self.world is None:
            self.soft.tables = tables
        else:
            self.world.rebuild(self.soft, tables)

    def follow_params(self) -> None:
        """Take the present parameters of the simulation that are of FleX."""
        sim = self.actor.env.sim
        flex, (x, y, z) = sim.params.flex, sim.gravity
        self.soft.radius = max(flex.shape_collision_distance, self._skin)
        self.soft.friction = flex.dynamic_friction
        self.soft.state.accelerations[:] = x, y, z  # the first step begins with free fall

    def place(self, positions: Any, velocities: Any) -> None:
        """Put its particles elsewhere, in the environment's frame."""
        state = self.soft.state
        state.positions[:], state.velocities[:], state.accelerations[:] = positions, velocities, 0.0
        if self.world is not None:
            self.world.set_slid(self.soft, Slid.none())

    def reset(self) -> None:
        """Put its particles where they were when the actor was made, at rest."""
        self.place(self._start, 0.0)

    def weigh(self, inverse: Any) -> None:
        """Hold the particles whose inverse mass is zero, and let others go.

        Raises:
            NotSupportedError: Another inverse mass is none of these.
        """
        own = 1.0 / self.masses
        wrong = (inverse != 0.0) & (np.abs(inverse - own) > _SAME * own)
        if wrong.any():
            raise NotSupportedError(
                f"an inverse mass of {float(inverse[wrong][0]):g} 1/kg for a particle",
                f"zero, which holds it, or its own, {float(own[wrong][0]):g}",
            )
        held = set(np.flatnonzero(inverse == 0.0).tolist())
        assert self.world is not None
        for particle in held - self.soft.held:
            self.world.hold(self.soft, particle)
        for particle in self.soft.held - held:
            self.world.let_go(self.soft, particle)

    def rows(self) -> Any:
        """Its particles as the tensor has them, (p, WIDTH)."""
        found = np.zeros((self.count, WIDTH), np.float32)
        state = self.soft.state
        found[:, :3] = state.positions + self.origin
        found[:, 3] = 1.0 / self.masses
        found[list(self.soft.held), 3] = 0.0
        found[:, 4:7] = state.velocities
        found[:, 7:10] = self.info.normals(state.positions)
        return found

    def stresses(self) -> Any:
        """Of its tetrahedra, (n, 3, 3) [Pa]."""
        return cauchy_stress(self.soft.tables.tetrahedra, self.soft.state.positions)


def _pose_of(actor: Any, carrier: str) -> Pose:
    """The pose of a link with all joints at zero, in the environment's frame; "": of the actor."""
    links, pose = actor.tree.links, Pose()
    number = next((n for n, link in enumerate(links) if link.name == carrier), 0)
    while number > 0:
        pose = pose_multiply(links[number].joint.origin, pose)
        number = links[number].parent
    return pose_multiply(actor.home, pose)


class Particles:
    """All soft bodies of a simulation, in the order of environments and actors.

    Attributes:
        parts: All of them.
        tetrahedra: How many there are.
        triangles: The same.
        state: The tensor, (particles, WIDTH); None until it is acquired.
    """

    def __init__(self, sim: Any) -> None:
        self._sim = sim
        self.parts: list[SoftPart] = []
        self.tetrahedra = self.triangles = self.count = 0
        self.state: Any = None
        self._stepped = False

    def number(self) -> None:
        """Give all parts their numbers, and those that are new their places in environments."""
        sim = self._sim
        self.parts = [part for env in sim.envs for actor in env.actors for part in actor.soft]
        self.count = self.tetrahedra = self.triangles = 0
        for part in self.parts:
            part.start, part.first_tetrahedron = self.count, self.tetrahedra
            part.first_triangle = self.triangles
            self.count += part.count
            self.tetrahedra += len(part.info.tetrahedra)
            self.triangles += len(part.info.faces)
            if part.world is None:
                self._enter(part)
        if self.state is not None and len(self.state) != self.count:
            self.state = None

    def _enter(self, part: SoftPart) -> None:
        sim, actor = self._sim, part.actor
        if sim.soft is None:
            sim.soft = SoftEnvironments(sim)
        own: Hashable = (actor.group, max(actor.filter, 0), actor.aggregate)
        part.world = sim.soft.add(actor.env, part.soft, own)
        if part.info.carrier:
            link = next(
                n for n, one in enumerate(actor.tree.links) if one.name == part.info.carrier
            )
            distance = part.info.attach_distance
            sim.soft.attach(Attachment(part.soft, actor, link, part.info.points, distance))

    def stepped(self) -> None:
        """Say that a step was taken."""
        self._stepped = True

    def follow_params(self) -> None:
        """Take changed parameters of the simulation."""
        for part in self.parts:
            part.follow_params()
            part.follow_material()

    def acquire(self) -> Any:
        """The tensor with the present states; None: there are no particles."""
        if self.state is None and self.count:
            self.state = np.zeros((self.count, WIDTH), np.float32)
        self.refresh()
        return self.state

    def refresh(self) -> None:
        """Bring the tensor up to the state."""
        if self.state is not None:
            for part in self.parts:
                self.state[part.start : part.start + part.count] = part.rows()

    def put(self, values: Any, parts: list[SoftPart]) -> None:
        """Set the states of soft bodies from those of all, (particles, WIDTH).

        Raises:
            InvalidArgumentError: A number is not finite.
            NotSupportedError: A particle is to have another mass.
        """
        rows = np.asarray(values, np.float64).reshape(-1, WIDTH)
        for part in parts:
            own = rows[part.start : part.start + part.count]
            if not np.isfinite(own[:, :7]).all():
                raise InvalidArgumentError("particle states", "a number that is not finite",
                                           "finite numbers")  # fmt: skip
            part.weigh(own[:, 3])
            part.place(own[:, :3] - part.origin, own[:, 4:7])
        self.moved()

    def moved(self) -> None:
        """Say that particles were put elsewhere: what they touched is not known any more."""
        self._stepped = False
        self._sim.state_changed()

    def contacts(self) -> Any:
        """What particles touched in the last step, records ``SoftContact``."""
        if not self._stepped:
            return np.zeros(0, records.SOFT_CONTACT)
        found: list[Any] = []
        for env in self._sim.envs:
            parts = [part for actor in env.actors for part in actor.soft]
            if parts:
                found.append(_contacts(self._sim, env, parts))
        return np.concatenate(found) if found else np.zeros(0, records.SOFT_CONTACT)


def _contacts(sim: Any, env: Any, parts: list[SoftPart]) -> Any:
    """What the soft bodies of an environment touched."""
    world = parts[0].world
    assert world is not None
    touched = world.touches()
    result = np.zeros(len(touched.particles), records.SOFT_CONTACT)
    bases = np.zeros(sum(part.count for part in parts), np.int64)
    triangles = np.zeros((len(bases), 3), np.int64)
    for part in parts:
        own = slice(part.soft.start, part.soft.start + part.count)
        triangles[own] = part.start + part.info.corners()
    result["env0"] = result["env1"] = env.index
    result["particleIndices"] = _as_records(triangles[touched.particles], records.INT3)
    result["particleBarys"]["x"] = 1.0
    group = sim.group_of(env.actors[0])
    own_body = np.full(int(group.worlds.model.nbody), -1)
    own_body[group.places.bodies] = np.arange(env.body_count) + env.body_base
    bodies = own_body[touched.bodies]
    result["bodyIndex"] = bodies
    result["bodyOffset"] = records.records(
        _local(sim, bodies, touched.surface_points), records.VEC3
    )
    result["normal"] = records.records(-touched.normals, records.VEC3)
    result["lambda"] = touched.pushes
    return result


def _as_records(numbers: Any, dtype: Any) -> Any:
    return np.ascontiguousarray(numbers, np.int32).view(dtype)[:, 0]


def _local(sim: Any, bodies: Any, points: Any) -> Any:
    """Points in the frames of their bodies, (n, 3) [m]; those of the ground stay."""
    sim.read_bodies()
    sim.buffers.to_host("bodies")
    states = sim.buffers.host.bodies
    known = bodies >= 0
    rows = states[bodies[known]]
    turns = rotations(np.roll(rows[:, 3:7], 1, axis=1))
    found = np.array(points)
    found[known] = np.einsum("nji,nj->ni", turns, points[known] - rows[:, :3])
    return found
