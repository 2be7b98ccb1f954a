"""Methods of ``Gym``: targets, efforts and forces of single actors."""

from __future__ import annotations

from typing import Any

import numpy as np

from unibody.errors import InvalidArgumentError
from unibody.isaacgym import handles
from unibody.isaacgym.batch.environment import Actor
from unibody.isaacgym.gym.checks import (
    actor_of,
    body_of,
    dof_of,
    floats_of,
    joint_of,
    space_of,
    vector_of,
)
from unibody.isaacgym.gym.states import joint_dof
from unibody.isaacgym.types.enums import CoordinateSpace, DofDriveMode
from unibody.isaacgym.types.fields import to_finite
from unibody.isaacgym.types.vectors import Vec3

_POS, _VEL = int(DofDriveMode.DOF_MODE_POS), int(DofDriveMode.DOF_MODE_VEL)
_NAMES = {_POS: "position_targets", _VEL: "velocity_targets"}


class ControlCalls:
    """Controls."""

    # --- targets -------------------------------------------------------------------------------

    def set_actor_dof_position_targets(self, arg0: handles.Env, arg1: int, arg2: Any) -> bool:
        """Set position targets [m, rad] of all degrees of freedom of an actor.

        Those that are not in position mode ignore them.
        """
        return _set_targets(actor_of(arg0, arg1), arg2, _POS)

    def set_actor_dof_velocity_targets(self, arg0: handles.Env, arg1: int, arg2: Any) -> bool:
        """Set velocity targets [m/s, rad/s]; who is not in velocity mode ignores them."""
        return _set_targets(actor_of(arg0, arg1), arg2, _VEL)

    def get_actor_dof_position_targets(self, arg0: handles.Env, arg1: int) -> Any:
        """Return the position targets of an actor, float32 (dofs,)."""
        return actor_of(arg0, arg1).position_targets.copy()

    def get_actor_dof_velocity_targets(self, arg0: handles.Env, arg1: int) -> Any:
        """Return the velocity targets of an actor, float32 (dofs,)."""
        return actor_of(arg0, arg1).velocity_targets.copy()

    def set_dof_target_position(self, arg0: handles.Env, arg1: int, arg2: float) -> None:
        """Set the position target of a degree of freedom."""
        _set_target(*dof_of(arg0, arg1), arg2, _POS)

    def set_dof_target_velocity(self, arg0: handles.Env, arg1: int, arg2: float) -> None:
        """Set the velocity target of a degree of freedom."""
        _set_target(*dof_of(arg0, arg1), arg2, _VEL)

    def set_joint_target_position(self, arg0: handles.Env, arg1: int, arg2: float) -> None:
        """Set the position target of a joint with one degree of freedom."""
        _set_target(*dof_of(arg0, _movable(arg0, arg1)), arg2, _POS)

    def set_joint_target_velocity(self, arg0: handles.Env, arg1: int, arg2: float) -> None:
        """Set the velocity target of a joint with one degree of freedom."""
        _set_target(*dof_of(arg0, _movable(arg0, arg1)), arg2, _VEL)

    def get_joint_target_position(self, arg0: handles.Env, arg1: int) -> float:
        """Return the position target of a joint with one degree of freedom."""
        actor, number = dof_of(arg0, _movable(arg0, arg1))
        return float(actor.position_targets[number])

    def get_joint_target_velocity(self, arg0: handles.Env, arg1: int) -> float:
        """Return the velocity target of a joint with one degree of freedom."""
        actor, number = dof_of(arg0, _movable(arg0, arg1))
        return float(actor.velocity_targets[number])

    # --- efforts and forces: they last for one step --------------------------------------------

    def apply_actor_dof_efforts(self, arg0: handles.Env, arg1: int, arg2: Any) -> bool:
        """Add forces [N] or torques [Nm] to all degrees of freedom of an actor, for one frame.

        Those that are not in effort mode ignore them.
        """
        actor = actor_of(arg0, arg1)
        efforts = floats_of("efforts", arg2, len(actor.model.dofs))
        actor.env.sim.build()
        actor.efforts += efforts
        _write_efforts(actor)
        return True

    def apply_dof_effort(self, arg0: handles.Env, arg1: int, arg2: float) -> None:
        """Add a force [N] or torque [Nm] to a degree of freedom, for one frame."""
        actor, number = dof_of(arg0, arg1)
        effort = to_finite("effort", arg2)
        actor.env.sim.build()
        actor.efforts[number] += effort
        _write_efforts(actor)

    def apply_body_forces(
        self,
        env: handles.Env,
        rigidHandle: int,
        force: Vec3 | None = None,
        torque: Vec3 | None = None,
        space: CoordinateSpace = CoordinateSpace.ENV_SPACE,
    ) -> None:
        """Add a force [N] at a body's mass centre and a torque [Nm], for one frame."""
        _apply(env, rigidHandle, force, torque, None, space)

    def apply_body_force_at_pos(
        self,
        env: handles.Env,
        rigidHandle: int,
        force: Vec3,
        pos: Vec3 | None = None,
        space: CoordinateSpace = CoordinateSpace.ENV_SPACE,
    ) -> None:
        """Add a force [N] at a point [m] of a body, for one frame; without a point, like above."""
        _apply(env, rigidHandle, force, None, pos, space)


def _set_targets(actor: Actor, values: Any, mode: int) -> bool:
    targets = floats_of("targets", values, len(actor.model.dofs))
    fits = actor.dof_table["driveMode"] == mode
    own = getattr(actor, _NAMES[mode])
    own[fits] = targets[fits]
    _write_targets(actor, mode)
    return True


def _set_target(actor: Actor, number: int, value: Any, mode: int) -> None:
    target = to_finite("target", value)
    if actor.dof_table["driveMode"][number] == mode:
        getattr(actor, _NAMES[mode])[number] = target
        _write_targets(actor, mode)


def _write_targets(actor: Actor, mode: int) -> None:
    sim = actor.env.sim
    if sim.built:
        sim.buffers.to_device(_NAMES[mode])
        numbers = sim.buffers.indices(np.array([actor.index], np.int32))
        values = getattr(sim.buffers, _NAMES[mode])
        sim.group_of(actor).exchange.write_targets(numbers, values, mode)


def _write_efforts(actor: Actor) -> None:
    sim = actor.env.sim
    sim.buffers.to_device("efforts")
    numbers = sim.buffers.indices(np.array([actor.index], np.int32))
    buffers = sim.buffers
    sim.group_of(actor).exchange.write_efforts(numbers, buffers.efforts)
    sim.forced()


def _movable(env: Any, handle: Any) -> int:
    dof = joint_dof(*joint_of(env, handle))
    if dof < 0:
        raise InvalidArgumentError("joint handle", handle, "a joint that can move")
    return dof


def _apply(env: Any, handle: Any, force: Any, torque: Any, point: Any, space: Any) -> None:
    actor, number = body_of(env, handle)
    sim = actor.env.sim
    chosen = space_of(space)
    given = {"force": force, "torque": torque, "pos": point}
    sim.kinematics()
    rows: dict[str, Any] = {}
    for name, value in given.items():
        if value is None:
            rows[name] = None
            continue
        vector = vector_of(name, value)
        rows[name] = np.zeros((sim.buffers.counts[1], 3), np.float32)
        rows[name][actor.sim_body + number] = vector.x, vector.y, vector.z
    if rows["pos"] is not None:  # a point of the others does no harm: they have no force
        rows["pos"][:] = rows["pos"][actor.sim_body + number]
    own = {name: None if row is None else sim.buffers.put(row) for name, row in rows.items()}
    group = sim.group_of(actor)
    world = group.world_of(actor.env)
    group.exchange.add_wrenches(own["force"], own["torque"], own["pos"], int(chosen), world)
    sim.forced()
