"""Methods of ``Gym``: states as structured NumPy arrays, and of single bodies and joints.

The arrays that are returned are views of the simulation's own: what the next call brings up to
date, it writes there.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.isaacgym import handles
from unibody.isaacgym.batch.environment import Actor
from unibody.isaacgym.batch.simulation import Simulation
from unibody.isaacgym.convert import to_transform
from unibody.isaacgym.gym.checks import (
    actor_of,
    body_of,
    dof_of,
    env_of,
    envs_of,
    flags_of,
    joint_of,
    records_of,
    sim_of,
    transform_of,
    vector_of,
)
from unibody.isaacgym.types import records
from unibody.isaacgym.types.fields import to_list
from unibody.isaacgym.types.poses import DofFrame, Transform
from unibody.isaacgym.types.vectors import Vec3

_POSE, _VELOCITY = 1, 2  # STATE_POS, STATE_VEL
_REDUCED = 1e-4  # m, rad: how well a body state must be one that the joints allow


class StateCalls:
    """States."""

    # --- degrees of freedom --------------------------------------------------------------------

    def get_actor_dof_states(self, arg0: handles.Env, arg1: int, arg2: int) -> Any:
        """Return positions and velocities of an actor, records ``DofState`` (dofs,)."""
        actor = actor_of(arg0, arg1)
        flags_of("flags", arg2)
        return _dofs(actor).view(records.DOF_STATE)[:, 0]

    def get_vec_actor_dof_states(self, arg0: list[handles.Env], arg1: int, arg2: int) -> Any:
        """Return the same for one actor of several environments, (environments * dofs,)."""
        parts = [self.get_actor_dof_states(env, arg1, arg2) for env in envs_of(arg0)]
        return np.concatenate(parts) if parts else np.zeros(0, records.DOF_STATE)

    def set_actor_dof_states(self, arg0: handles.Env, arg1: int, arg2: Any, arg3: int) -> bool:
        """Set positions, velocities or both (``STATE_*``) of an actor."""
        actor = actor_of(arg0, arg1)
        values = records_of("states", arg2, records.DOF_STATE, len(actor.model.dofs))
        parts = flags_of("flags", arg3)
        own = _dofs(actor)
        for part, column in ((_POSE, 0), (_VELOCITY, 1)):
            if parts & part:
                own[:, column] = values[:, column]
        _write_dofs(actor, parts)
        return True

    def get_dof_position(self, arg0: handles.Env, arg1: int) -> float:
        """Return the position of a degree of freedom [m, rad]."""
        actor, number = dof_of(arg0, arg1)
        return float(_dofs(actor)[number, 0])

    def get_dof_velocity(self, arg0: handles.Env, arg1: int) -> float:
        """Return the velocity of a degree of freedom [m/s, rad/s]."""
        actor, number = dof_of(arg0, arg1)
        return float(_dofs(actor)[number, 1])

    def get_joint_position(self, arg0: handles.Env, arg1: int) -> float:
        """Return the position of a joint with one degree of freedom; 0 of a fixed one."""
        dof = joint_dof(*joint_of(arg0, arg1))
        return 0.0 if dof < 0 else self.get_dof_position(arg0, dof)

    def get_joint_velocity(self, arg0: handles.Env, arg1: int) -> float:
        """Return the velocity of a joint with one degree of freedom; 0 of a fixed one."""
        dof = joint_dof(*joint_of(arg0, arg1))
        return 0.0 if dof < 0 else self.get_dof_velocity(arg0, dof)

    # --- rigid bodies --------------------------------------------------------------------------

    def get_actor_rigid_body_states(self, arg0: handles.Env, arg1: int, arg2: int) -> Any:
        """Return poses and velocities of an actor's bodies, records ``RigidBodyState``."""
        actor = actor_of(arg0, arg1)
        flags_of("flags", arg2)
        sim = actor.env.sim
        return _bodies(sim, actor.env.sim.actors[actor.index].sim_body, len(actor.body_records))

    def get_env_rigid_body_states(self, arg0: handles.Env, arg1: int) -> Any:
        """Return the same for an environment."""
        env = env_of(arg0)
        flags_of("flags", arg1)
        env.sim.build()
        return _bodies(env.sim, env.body_base, env.body_count)

    def get_sim_rigid_body_states(self, arg0: handles.Sim, arg1: int) -> Any:
        """Return the same for the simulation."""
        sim = sim_of(arg0)
        flags_of("flags", arg1)
        sim.build()
        return _bodies(sim, 0, sim.buffers.counts[1])

    def set_actor_rigid_body_states(
        self, arg0: handles.Env, arg1: int, arg2: Any, arg3: int
    ) -> bool:
        """Set poses, velocities or both (``STATE_*``) of an actor's bodies.

        The joints follow from the bodies: a state that they do not allow is taken as far as they
        do.
        """
        actor = actor_of(arg0, arg1)
        values = records_of("states", arg2, records.RIGID_BODY_STATE, len(actor.body_records))
        set_bodies([actor], values, flags_of("flags", arg3))
        return True

    def set_env_rigid_body_states(self, arg0: handles.Env, arg1: Any, arg2: int) -> bool:
        """Set the same for an environment."""
        env = env_of(arg0)
        values = records_of("states", arg1, records.RIGID_BODY_STATE, env.body_count)
        set_bodies(env.actors, values, flags_of("flags", arg2))
        return True

    def set_sim_rigid_body_states(self, arg0: handles.Sim, arg1: Any, arg2: int) -> bool:
        """Set the same for the simulation."""
        sim = sim_of(arg0)
        sim.build()
        values = records_of("states", arg1, records.RIGID_BODY_STATE, sim.buffers.counts[1])
        set_bodies(sim.actors, values, flags_of("flags", arg2))
        return True

    # --- single bodies -------------------------------------------------------------------------

    def get_rigid_transform(self, arg0: handles.Env, arg1: int) -> Transform:
        """Return the pose of a rigid body in its environment's frame."""
        row = _body(arg0, arg1)
        return to_transform(row[:3], np.roll(row[3:7], 1))

    def get_rigid_linear_velocity(self, arg0: handles.Env, arg1: int) -> Vec3:
        """Return the velocity of a body's mass centre [m/s]."""
        return Vec3(*(float(value) for value in _body(arg0, arg1)[7:10]))

    def get_rigid_angular_velocity(self, arg0: handles.Env, arg1: int) -> Vec3:
        """Return the angular velocity of a body [rad/s]."""
        return Vec3(*(float(value) for value in _body(arg0, arg1)[10:13]))

    def get_rigid_name(self, arg0: handles.Env, arg1: int) -> str:
        """Return the name of a rigid body."""
        actor, number = body_of(arg0, arg1)
        return actor.model.body_names[number]

    def get_vec_rigid_transform(self, arg0: list[handles.Env], arg1: int | list[int]) -> Any:
        """Return poses of one body handle, or one of each, of environments: ``Transform``."""
        return records.records(_rows(arg0, arg1)[:, :7], records.TRANSFORM)

    def get_vec_rigid_linear_velocity(self, arg0: list[handles.Env], arg1: int | list[int]) -> Any:
        """Return the same of velocities of mass centres: ``Vec3`` [m/s]."""
        return records.records(_rows(arg0, arg1)[:, 7:10], records.VEC3)

    def get_vec_rigid_angular_velocity(self, arg0: list[handles.Env], arg1: int | list[int]) -> Any:
        """Return the same of angular velocities: ``Vec3`` [rad/s]."""
        return records.records(_rows(arg0, arg1)[:, 10:13], records.VEC3)

    def set_rigid_transform(self, arg0: handles.Env, arg1: int, arg2: Transform) -> None:
        """Set the pose of an actor's first body; the others come along.

        Raises:
            NotSupportedError: The body is not the first of its actor.
        """
        pose = transform_of("transform", arg2)
        actor = _first_body(arg0, arg1, "set_rigid_transform")
        turn = pose.r.normalize()
        root = _root(actor)
        root[:7] = pose.p.x, pose.p.y, pose.p.z, turn.x, turn.y, turn.z, turn.w
        _write_root(actor, _POSE)

    def set_rigid_linear_velocity(self, arg0: handles.Env, arg1: int, arg2: Vec3) -> None:
        """Set the velocity [m/s] of the mass centre of an actor's first body."""
        value = vector_of("velocity", arg2)
        actor = _first_body(arg0, arg1, "set_rigid_linear_velocity")
        _root(actor)[7:10] = value.x, value.y, value.z
        _write_root(actor, _VELOCITY)

    def set_rigid_angular_velocity(self, arg0: handles.Env, arg1: int, arg2: Vec3) -> None:
        """Set the angular velocity [rad/s] of an actor's first body."""
        value = vector_of("velocity", arg2)
        actor = _first_body(arg0, arg1, "set_rigid_angular_velocity")
        _root(actor)[10:13] = value.x, value.y, value.z
        _write_root(actor, _VELOCITY)

    # --- frames of joints ----------------------------------------------------------------------

    def get_dof_frame(self, arg0: handles.Env, arg1: int) -> DofFrame:
        """Return where a degree of freedom is, and its axis, in its environment's frame."""
        actor, number = dof_of(arg0, arg1)
        row = self.get_actor_dof_frames(arg0, actor.handle)[number]
        return DofFrame(Vec3(*row["origin"].tolist()), Vec3(*row["axis"].tolist()))

    def get_actor_dof_frames(self, arg0: handles.Env, arg1: int) -> Any:
        """Return the same for all of an actor: records ``DofFrame``."""
        actor = actor_of(arg0, arg1)
        values = np.zeros((len(actor.model.dofs), 6))
        for row, dof in zip(values, actor.model.dofs, strict=True):
            turn, origin = actor.env.sim.link_frame(actor, dof.link)
            joint = dof.joint_of(actor.tree)
            row[:3] = origin + turn @ np.array(joint.anchor)
            row[3:] = turn @ np.array(joint.axis)
        return records.records(values, records.DOF_FRAME)

    def get_joint_transform(self, arg0: handles.Env, arg1: int) -> Transform:
        """Return the frame of a joint in its environment's frame: that of the body below it."""
        actor, number = joint_of(arg0, arg1)
        return self._below(actor, number)

    def get_actor_joint_transforms(self, arg0: handles.Env, arg1: int) -> Any:
        """Return the same for all joints of an actor: records ``Transform``."""
        actor = actor_of(arg0, arg1)
        found = [self._below(actor, number) for number in range(len(actor.model.joints))]
        values = [[t.p.x, t.p.y, t.p.z, t.r.x, t.r.y, t.r.z, t.r.w] for t in found]
        return records.records(np.array(values).reshape(-1, 7), records.TRANSFORM)

    def _below(self, actor: Actor, number: int) -> Transform:
        links = actor.model.body_links
        link = actor.model.joints[number].link
        body = next(place for place, own in enumerate(links) if own >= link)
        return self.get_rigid_transform(actor.env, actor.first_body + body)


def joint_dof(actor: Actor, number: int) -> int:
    """Handle of the degree of freedom of a joint; -1 for a fixed one.

    Raises:
        NotSupportedError: The joint has several.
    """
    own = [place for place, dof in enumerate(actor.model.dofs) if dof.joint == number]
    if len(own) > 1:
        name = actor.model.joints[number].name
        raise NotSupportedError(f"the one position of joint {name!r} with {len(own)} DOFs", "DOFs")
    return actor.first_dof + own[0] if own else -1


def _dofs(actor: Actor) -> Any:
    sim = actor.env.sim
    if sim.built:
        sim.read_dofs()
        sim.buffers.to_host("dofs")
    return actor.dofs


def _root(actor: Actor) -> Any:
    sim = actor.env.sim
    if sim.built:
        sim.read_roots()
        sim.buffers.to_host("roots")
    return actor.root


def _write_dofs(actor: Actor, parts: int) -> None:
    sim = actor.env.sim
    if sim.built:
        sim.buffers.to_device("dofs")
        numbers = sim.buffers.indices(np.array([actor.index], np.int32))
        sim.group_of(actor).exchange.write_dofs(numbers, sim.buffers.dofs, parts)
        sim.state_changed("dofs", "roots")


def _write_root(actor: Actor, parts: int) -> None:
    sim = actor.env.sim
    if sim.built:
        sim.buffers.to_device("roots")
        numbers = sim.buffers.indices(np.array([actor.index], np.int32))
        sim.group_of(actor).exchange.write_roots(numbers, sim.buffers.roots, parts)
        sim.state_changed("dofs", "roots")


def _bodies(sim: Simulation, first: int, count: int) -> Any:
    sim.read_bodies()
    sim.buffers.to_host("bodies")
    rows = sim.buffers.host.bodies[first : first + count]
    return rows.view(records.RIGID_BODY_STATE)[:, 0]


def _body(env: Any, handle: Any) -> Any:
    actor, number = body_of(env, handle)
    sim = actor.env.sim
    sim.read_bodies()
    sim.buffers.to_host("bodies")
    return sim.buffers.host.bodies[actor.sim_body + number]


def _rows(envs: Any, numbers: Any) -> Any:
    places = envs_of(envs)
    try:
        each = [operator.index(numbers)] * len(places)
    except TypeError:
        wanted = "a rigid body handle, or a list of them"
        each = to_list("rigid body handles", numbers, wanted)
    if len(each) != len(places):
        allowed = f"{len(places)}, one an environment"
        raise InvalidArgumentError("rigid body handles", f"{len(each)} handles", allowed)
    rows = [_body(env, number) for env, number in zip(places, each, strict=True)]
    return np.array(rows).reshape(-1, 13)


def _first_body(env: Any, handle: Any, what: str) -> Actor:
    actor, number = body_of(env, handle)
    if number:
        raise NotSupportedError(
            f"{what} of a body that is not the first of its actor", "set_actor_dof_states"
        )
    return actor


def set_bodies(actors: list[Actor], values: Any, parts: int) -> None:
    """Set roots and joints from the states of bodies: coordinates follow link by link."""
    start = 0
    for actor in actors:
        rows = values[start : start + len(actor.body_records)]
        start += len(rows)
        root, dofs = _root(actor), _dofs(actor)
        if parts & _POSE:
            root[:7] = rows[0, :7]
            dofs[:, 0] = actor.positions_of(rows, dofs[:, 0])
        if parts & _VELOCITY:
            root[7:13] = rows[0, 7:13]
            dofs[:, 1] = actor.velocities_of(rows, dofs[:, 0])
        _write_root(actor, parts)
        _write_dofs(actor, parts)
