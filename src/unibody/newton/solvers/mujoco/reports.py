"""What a step tells beside positions and velocities: forces, accelerations, contacts."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from unibody.core.engine.plain.worlds import PlainWorlds
from unibody.errors import InvalidArgumentError
from unibody.newton import poses
from unibody.newton.dialect import is_after_first_of_1, normal_sign
from unibody.newton.enums import JointType
from unibody.newton.solvers.mujoco.maps import Maps

_BODY_OUTPUTS = ("cacc", "cvel", "cfrc_int", "xipos", "subtree_com")
_FRICTION = "qfrc_frictionloss"
OF_DOFS = ("qfrc_actuator", "qfrc_bias", "qfrc_constraint", _FRICTION)
"""Names of forces on degrees of freedom."""
_OF_BODIES = frozenset({"body_qdd", "body_parent_f"})


def wanted(model: Any) -> bool:
    """Whether states have accelerations of bodies, or forces inside of joints."""
    return bool(_OF_BODIES & set(model.get_requested_state_attributes()))


def of_bodies(kinds: Any) -> bool:
    """Whether observables of these kinds tell accelerations of bodies or forces inside joints."""
    return bool(_OF_BODIES & kinds)


class Asked(NamedTuple):
    """Arrays that are written after a step; None: not asked for."""

    body_qdd: Any
    body_parent_f: Any
    qfrc_actuator: Any
    qfrc_bias: Any = None
    qfrc_constraint: Any = None
    qfrc_frictionloss: Any = None


def asked(state: Any, observables: Any) -> list[Asked]:
    """What a state has room for, and what observables ask for."""
    forces = getattr(getattr(state, "mujoco", None), "qfrc_actuator", None)
    found = [Asked(state.body_qdd, state.body_parent_f, forces)]
    if observables is not None:
        found.append(Asked(*(getattr(observables, name) for name in Asked._fields)))
    return [arrays for arrays in found if any(array is not None for array in arrays)]


def watch(worlds: PlainWorlds, asked: list[Asked]) -> None:
    """Have worlds tell in their steps what will be asked for after these."""
    names: set[str] = set()
    for arrays in asked:
        if arrays.body_qdd is not None or arrays.body_parent_f is not None:
            names.update(_BODY_OUTPUTS)
        names.update(name for name in OF_DOFS if getattr(arrays, name) is not None)
    for name in sorted(names - {_FRICTION}):
        worlds.output(name)


def write(model: Any, arrays: Asked, worlds: PlainWorlds, maps: Maps) -> None:
    """Write what was asked for."""
    if arrays.body_qdd is not None or arrays.body_parent_f is not None:
        _write_bodies(arrays, worlds, maps)
    for name in OF_DOFS:
        forces = getattr(arrays, name)
        if forces is not None:
            found = worlds.friction_forces() if name == _FRICTION else worlds.output(name)
            _write_joint_forces(model, forces, _numbers(found), worlds, maps)


def _numbers(array: Any) -> Any:
    return array if isinstance(array, np.ndarray) else array.numpy()


def work_out_bodies(worlds: PlainWorlds) -> None:
    """Have mujoco-warp work out accelerations of bodies, from the next step on."""
    on_device: Any = getattr(worlds, "mjw_model", None)
    if on_device is not None:
        on_device.opt.run_rne_postconstraint = True


def _write_bodies(asked: Asked, worlds: PlainWorlds, maps: Maps) -> None:
    work_out_bodies(worlds)
    worlds.tells_bodies = True
    cacc, cvel, force, xipos, com = (_numbers(worlds.output(name)) for name in _BODY_OUTPUTS)
    root = worlds.model.body_rootid
    arm = xipos - com[:, root]
    chosen = maps.body >= 0
    bodies = maps.body[chosen]
    if asked.body_qdd is not None:
        turning, moving = cvel[..., :3], cvel[..., 3:] - np.cross(arm, cvel[..., :3])
        linear = cacc[..., 3:] - np.cross(arm, cacc[..., :3]) + np.cross(turning, moving)
        linear = linear + worlds.read("opt.gravity")[:, None]
        _assign(asked.body_qdd, bodies, np.concatenate([linear, cacc[..., :3]], -1)[chosen])
    if asked.body_parent_f is not None:
        torque = force[..., :3] - np.cross(arm, force[..., 3:])
        rows = np.concatenate([force[..., 3:], torque], axis=-1)
        _assign(asked.body_parent_f, bodies, rows[chosen])


def _assign(array: Any, rows: Any, values: Any) -> None:
    present = array.numpy()
    present[rows] = values
    array.assign(present)


def _write_joint_forces(
    model: Any, forces: Any, found: Any, worlds: PlainWorlds, maps: Maps
) -> None:
    """Write forces of degrees of freedom; those of free joints act at centres of mass."""
    rows = forces.numpy().astype(float)
    rows[maps.dof] = found
    kinds, starts = model.joint_type.numpy(), model.joint_qd_start.numpy()
    qpos, com = _numbers(worlds.qpos), model.body_com.numpy()
    for i in np.flatnonzero(kinds[maps.ordered_joints[0]] == JointType.FREE):
        joints, place = maps.ordered_joints[:, i], maps.qpos[i]
        turn = poses.to_xyzw(qpos[:, place + 3 : place + 7])
        at = starts[joints][:, None] + np.arange(6)
        force = rows[at[:, :3]]
        arm = poses.rotate(turn, com[model.joint_child.numpy()[joints]])
        rows[at[:, 3:]] = poses.rotate(turn, rows[at[:, 3:]]) - np.cross(arm, force)
    forces.assign(rows.astype(np.float32))


def write_contacts(model: Any, contacts: Any, found: list[Any], state: Any, forces: Any) -> None:
    """Write contacts of MuJoCo into a `Contacts`.

    Args:
        model: The model.
        contacts: What is written.
        found: Of each group its maps, and what its worlds gave.
        state: Poses of bodies, which points are told in; None: points are not written.
        forces: Forces of the contacts, which are written too; None: they are not.

    Raises:
        InvalidArgumentError: There is not enough room.
    """
    parts = []
    for maps, (world, geom, normal, pos, dist, force) in found:
        shapes = maps.geom[world[:, None], geom] if len(world) else np.zeros((0, 2), np.int32)
        parts.append((shapes, normal, pos, dist, force))
    shapes, normal, pos, dist, force = (np.concatenate(c) for c in zip(*parts, strict=True))
    count = len(shapes)
    if count > contacts.rigid_contact_max:
        raise InvalidArgumentError(
            "contacts.rigid_contact_max", contacts.rigid_contact_max, f"at least {count}"
        )
    _head(contacts.rigid_contact_shape0, shapes[:, 0])
    _head(contacts.rigid_contact_shape1, shapes[:, 1])
    _head(contacts.rigid_contact_normal, -normal_sign() * normal)
    if state is not None:
        half = 0.5 * dist[:, None] * normal
        _head(contacts.rigid_contact_point0, _local(model, state, shapes[:, 0], pos - half))
        _head(contacts.rigid_contact_point1, _local(model, state, shapes[:, 1], pos + half))
    for array in (contacts.rigid_contact_offset0, contacts.rigid_contact_offset1):
        _head(array, np.zeros((count, 3)))  # points are on the surfaces
    if forces is not None:
        pushed = -force
        if not is_after_first_of_1():  # until then friction was left out
            along = np.einsum("ni,ni->n", force, normal)
            pushed = -np.maximum(along, 0.0)[:, None] * normal
        _head(forces, np.concatenate([pushed, np.zeros_like(pushed)], axis=-1))
    contacts.rigid_contact_count.assign(np.array([count], np.int32))
    contacts.n_contacts = contacts.rigid_contact_count


def _head(array: Any, values: Any) -> None:
    if len(values):
        rows = array.numpy()
        rows[: len(values)] = values
        array.assign(rows)


def _local(model: Any, state: Any, shapes: Any, points: Any) -> Any:
    body = model.shape_body.numpy()[shapes]
    frames = np.zeros((len(shapes), 7))
    frames[:, 6] = 1.0
    frames[body >= 0] = state.body_q.numpy()[body[body >= 0]]
    back = poses.inverse(frames)
    return back[:, :3] + poses.rotate(back[:, 3:], points)
