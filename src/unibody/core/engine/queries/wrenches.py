"""What joints transmit: force and torque from a parent to its child, noted in each step."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from unibody.core.engine.layout import layout
from unibody.core.engine.rows import table as t
from unibody.core.engine.scene import Scene

_Vectors = NDArray[np.float64]
_EQUALITY = int(mujoco.mjtConstraint.mjCNSTR_EQUALITY)
_FRICTION_DOF = int(mujoco.mjtConstraint.mjCNSTR_FRICTION_DOF)
_FRICTION_TENDON = int(mujoco.mjtConstraint.mjCNSTR_FRICTION_TENDON)
_LIMIT_JOINT = int(mujoco.mjtConstraint.mjCNSTR_LIMIT_JOINT)
_BALL = int(mujoco.mjtJoint.mjJNT_BALL)
_HINGE = int(mujoco.mjtJoint.mjJNT_HINGE)
_SLIDE = int(mujoco.mjtJoint.mjJNT_SLIDE)


@dataclass(slots=True)
class JointWrench:
    """Force [N] and torque [Nm] on a child in the last step, world frame, at its mass centre.

    Attributes:
        force: Of the parent on the child.
        torque: The same, but for what motors and limits of the joint itself exert.
        turn: Orientation of the child's inertial frame in the world, (3, 3), at that time.
    """

    force: _Vectors
    torque: _Vectors
    turn: _Vectors


class JointSensors:
    """Notes what some joints transmit. One has to be told about every step.

    Args:
        scene: Whose joints they are.
    """

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._readings: dict[tuple[int, int], JointWrench | None] = {}

    def add(self, body_id: int, link: int) -> None:
        """Begin to note what the joint above a link transmits."""
        self._readings.setdefault((body_id, link))

    def remove(self, body_id: int, link: int | None = None) -> None:
        """Stop noting one joint of a body, or all of them."""
        for key in [key for key in self._readings if key[0] == body_id and link in (None, key[1])]:
            del self._readings[key]

    def reading(self, body_id: int, link: int) -> JointWrench | None:
        """What a joint transmitted in the last step; None before one, or without a sensor."""
        return self._readings.get((body_id, link))

    def note(self) -> None:
        """Read all joints: right after a step, before anything is brought up to date."""
        if not self._readings:
            return
        world = self._scene.world
        model, data = world.model, world.data
        _find_forces(data, lambda: mujoco.mj_rnePostConstraint(model, data))
        own = _own_forces(model, data)
        drag = _drag(model, data)
        for key in self._readings:
            body = self._scene.bodies[key[0]].links[key[1]].body
            root = int(model.body_rootid[body])
            moment, force = data.cfrc_int[body, :3].copy(), data.cfrc_int[body, 3:].copy()
            if drag is not None:
                below = _subtree(model, body)
                moment -= drag[below, :3].sum(axis=0)
                force -= drag[below, 3:].sum(axis=0)
            torque = moment + np.cross(data.subtree_com[root] - data.xipos[body], force)
            own_torque, own_force = _own_wrench(model, data, body, own)
            turn = data.ximat[body].reshape(3, 3).copy()
            self._readings[key] = JointWrench(force - own_force, torque - own_torque, turn)


def _find_forces(data: Any, compute: Any) -> None:
    """Compute with the equality rows counted as such, which the rules count as friction rows."""
    place = layout()
    counts = [
        ctypes.c_int.from_address(data._address + offset) for offset in (place.d_ne, place.d_nf)
    ]
    moved = int(np.count_nonzero(data.efc_type == _EQUALITY)) - counts[0].value
    counts[0].value += moved
    counts[1].value -= moved
    compute()
    counts[0].value -= moved
    counts[1].value += moved


def _own_forces(model: Any, data: Any) -> _Vectors:
    """What drives and limits exert on each coordinate, (nv,) [N or Nm]."""
    out = np.zeros(model.nv)
    drives = int(model.numeric_data[t.N_DRIVES])
    force = data.efc_force
    for row in range(data.ne + data.nf + data.nl):
        kind, number = int(data.efc_type[row]), int(data.efc_id[row])
        if kind == _FRICTION_TENDON and number < drives:
            out[model.jnt_dofadr[model.wrap_objid[model.tendon_adr[number]]]] += force[row]
        elif kind == _FRICTION_DOF and model.jnt_user[model.dof_jntid[number], t.J_BALL] > 0.0:
            out[number] += force[row]
        elif kind == _LIMIT_JOINT and model.jnt_type[number] != _BALL:
            out[model.jnt_dofadr[number]] += force[row] * _direction(model, data, number)
    return out


def _direction(model: Any, data: Any, joint: int) -> float:
    """1 where the lower limit of a joint is nearer, -1 where the upper one is."""
    lower, upper = model.jnt_range[joint]
    position = data.qpos[model.jnt_qposadr[joint]]
    return 1.0 if position - lower < upper - position else -1.0


def _own_wrench(model: Any, data: Any, body: int, own: _Vectors) -> tuple[_Vectors, _Vectors]:
    """Torque and force that a joint's own motors and limits exert on the child, world frame."""
    torque, force = np.zeros(3), np.zeros(3)
    first = int(model.body_jntadr[body])
    for joint in range(first, first + int(model.body_jntnum[body])):
        kind, dof = int(model.jnt_type[joint]), int(model.jnt_dofadr[joint])
        if kind == _BALL:
            torque += data.xmat[body].reshape(3, 3) @ own[dof : dof + 3]
        elif kind == _HINGE:
            torque += own[dof] * data.xaxis[joint]
        elif kind == _SLIDE:
            force += own[dof] * data.xaxis[joint]
    return torque, force


def _subtree(model: Any, body: int) -> slice:
    """A body and all below it."""
    end = body + 1
    while end < model.nbody and body <= model.body_parentid[end] < end:
        end += 1
    return slice(body, end)


def _drag(model: Any, data: Any) -> _Vectors | None:
    """Torque and force of Bullet's damping on each body, about its tree's mass centre, (nbody, 6).

    None where nothing is damped. The law is that of `rows.damping`.
    """
    linear = model.body_user[:, t.B_LINEAR_DAMPING]
    angular = model.body_user[:, t.B_ANGULAR_DAMPING]
    if not linear.any() and not angular.any():
        return None
    quadratic = model.body_user[:, t.B_QUADRATIC_DAMPING]
    cap = 1.0 / model.opt.timestep
    arm = data.xipos - data.subtree_com[model.body_rootid]
    spin = data.cvel[:, :3]
    speed = data.cvel[:, 3:] + np.cross(spin, arm)
    rate = np.minimum(cap, linear * (1.0 + quadratic * np.linalg.norm(speed, axis=1)))
    force = -(model.body_mass * rate)[:, None] * speed
    rate = np.minimum(cap, angular * (1.0 + quadratic * np.linalg.norm(spin, axis=1)))
    axes = data.ximat.reshape(-1, 3, 3)
    local = np.einsum("bij,bi->bj", axes, spin) * model.body_inertia
    torque = -rate[:, None] * np.einsum("bij,bj->bi", axes, local)
    return np.hstack((torque + np.cross(arm, force), force))
