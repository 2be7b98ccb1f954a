"""Bodies of one link that take a place in a running model, of a like body or at its end.

A script that clears away objects and puts out others of the same kind, or adds them one by one,
would compile everything for each of them. But a body of one link is a few rows in the arrays of a
model: where there is a place of its kind, its values are written there.
"""

from __future__ import annotations

import functools
from typing import Any

import mujoco
import numpy as np

from unibody.core.assets.description import Pose, Quat, Shape, ShapeKind, Vec3
from unibody.core.engine.constants import FreeConstants, free_constants
from unibody.core.engine.geometry import primitive
from unibody.core.engine.record import BodyRecord
from unibody.core.engine.writer import body_mass, body_user, condim, surface_numbers

_GEOM = mujoco.mjtGeom
_PRIMITIVES = (
    ShapeKind.BOX, ShapeKind.SPHERE, ShapeKind.CAPSULE, ShapeKind.CYLINDER, ShapeKind.ELLIPSOID
)  # fmt: skip
_HERE = Pose()


def is_plain(record: BodyRecord) -> bool:
    """Whether a body is one link of primitives: each of them is one geom, and none is refused."""
    link = record.links[0].link
    return len(record.links) == 1 and all(shape.kind in _PRIMITIVES for shape in link.collisions)


def fits(record: BodyRecord) -> bool:
    """Whether a body is of the kind that takes places."""
    state = record.links[0]
    return (
        len(record.links) == 1
        and not record.drive_joints
        and record.options.gravity
        and len(state.shape_of_geom) == len(state.link.collisions) > 0
        and not any(
            shape.kind is ShapeKind.HEIGHTFIELD or shape.concave for shape in state.link.collisions
        )
    )


def alike(pattern: BodyRecord, record: BodyRecord) -> bool:
    """Whether a body that ``fits`` can have the place of another one."""
    ours, theirs = pattern.links[0], record.links[0]
    if record.fixed != pattern.fixed or ours.com != theirs.com:
        return False
    shapes, others = ours.link.collisions, theirs.link.collisions
    return len(shapes) == len(others) and all(
        own is other or own == other or (theirs.com == _HERE and _free_of_place(own, other))
        for own, other in zip(shapes, others, strict=True)
    )


def same_shapes(pattern: BodyRecord, record: BodyRecord) -> bool:
    """Whether two bodies that are alike have the same shapes, too."""
    shapes, others = pattern.links[0].link.collisions, record.links[0].link.collisions
    return all(own is other or own == other for own, other in zip(shapes, others, strict=True))


def _free_of_place(own: Shape, other: Shape) -> bool:
    """Whether one shape can stand in the place of another: both at the centre of their body."""
    return all(shape.kind in _PRIMITIVES and shape.pose == _HERE for shape in (own, other))


def fill_place(model: Any, data: Any, record: BodyRecord, pattern: BodyRecord) -> None:
    """Write a body that is numbered already into the place that it has.

    Args:
        model: The running model.
        data: Its MjData; the body is at rest at its home in it.
        record: A body that ``fits``.
        pattern: The body with whose shapes its place was compiled or filled.
    """
    state, body = record.links[0], record.body
    pos, quat = record.home.pos, unit_quat(record.home.quat)
    mass, inertia = body_mass(record, 0)
    masses, below = model.body_mass, model.body_subtreemass
    below[0] += mass - masses[body]
    masses[body] = below[body] = mass
    model.body_pos[body], model.body_quat[body] = pos, quat
    model.body_inertia[body] = inertia
    model.body_user[body] = body_user(record.options)
    geoms = slice(state.geom, state.geom + state.ngeom)
    model.geom_friction[geoms] = state.friction
    model.geom_condim[geoms] = condim(state.friction)
    model.geom_user[geoms] = surface_numbers(state)
    if pattern.asset is not record.asset and not same_shapes(pattern, record):
        _write_shapes(model, record)
    data.xfrc_applied[body] = 0.0
    if record.fixed:
        data.mocap_pos[record.mocap], data.mocap_quat[record.mocap] = pos, quat
        return
    q, dof = slice(record.qpos, record.qpos + 7), record.dof
    dofs = slice(dof, dof + 6)
    model.qpos0[q] = model.qpos_spring[q] = data.qpos[q] = (*pos, *quat)
    data.qvel[dofs] = data.qacc_warmstart[dofs] = data.qfrc_applied[dofs] = 0.0
    constants = _constants(mass, inertia, state.com)
    model.body_invweight0[body] = (1.0 / mass, constants.inverse_turn)
    shift, turn = constants.inverse_shift, constants.inverse_turn
    model.dof_invweight0[dofs] = (shift, shift, shift, turn, turn, turn)
    model.dof_M0[dofs] = (mass, mass, mass, *constants.inertia)


@functools.lru_cache(maxsize=256)
def _constants(mass: float, inertia: Vec3, com: Pose) -> FreeConstants:
    return free_constants(mass, inertia, com.pos, com.quat)


def _write_shapes(model: Any, record: BodyRecord) -> None:
    state = record.links[0]
    for row, shape in enumerate(state.link.collisions, start=state.geom):
        kind, size = primitive(shape)
        bounds, radius = _bounds(kind, size)
        model.geom_type[row] = int(kind)
        model.geom_size[row] = size
        model.geom_aabb[row, 3:] = bounds
        model.geom_rbound[row] = radius
        model.bvh_aabb[model.body_bvhadr[state.body], 3:] = bounds


def unit_quat(quat: Quat) -> Quat:
    """A quaternion as MuJoCo keeps it in a model."""
    if quat == _HERE.quat:
        return quat
    values = np.array(quat, dtype=np.float64)
    mujoco.mju_normalize4(values)
    w, x, y, z = values.tolist()
    return w, x, y, z


def _bounds(kind: Any, size: tuple[float, ...]) -> tuple[tuple[float, float, float], float]:
    """Half sizes of the bounding box of a primitive, and the radius around its centre [m]."""
    a, b, c = size
    match kind:
        case _GEOM.mjGEOM_SPHERE:
            return (a, a, a), a
        case _GEOM.mjGEOM_CAPSULE:
            return (a, a, a + b), a + b
        case _GEOM.mjGEOM_CYLINDER:
            return (a, a, b), float(np.sqrt(a * a + b * b))
        case _GEOM.mjGEOM_ELLIPSOID:
            return (a, b, c), max(a, b, c)
        case _:
            return (a, b, c), float(np.sqrt(a * a + b * b + c * c))
