"""Bodies of one link that take a slot in a running model, of a like body or at its end.

A script that clears away objects and puts out others of the same kind, or adds them one by one,
would compile everything for each of them. But a body of one link is a few rows in the arrays of a
model: where there is a slot of its kind, its values are written there.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import mujoco
import numpy as np

from unibody.core.assets.description import Pose, Quat, Shape, ShapeKind, Vec3
from unibody.core.engine.insertion.slot_memory import SlotMemory
from unibody.core.engine.records.body import BodyRecord
from unibody.core.engine.records.free_body_constants import FreeConstants, free_constants
from unibody.core.engine.spec.geometry import PRIMITIVES, primitive
from unibody.core.engine.spec.writer import body_mass, body_user, condim, surface_numbers

_GEOM = mujoco.mjtGeom
_UNLIKE = (ShapeKind.HEIGHTFIELD, ShapeKind.PLANE)  # with these, others see ahead differently
_HERE = Pose()


def is_plain(record: BodyRecord) -> bool:
    """Whether a body is one link of primitives: each of them is one geom, and none is refused."""
    link = record.links[0].link
    return len(record.links) == 1 and all(shape.kind in PRIMITIVES for shape in link.collisions)


def fits(record: BodyRecord) -> bool:
    """Whether a body is of the kind that takes slots of like bodies."""
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


def fits_alone(record: BodyRecord) -> bool:
    """Whether a body is of the kind that takes slots of any shape."""
    state = record.links[0]
    return (
        len(record.links) == 1
        and not record.drive_joints
        and record.options.gravity
        and (len(state.shape_of_geom) > 0 or not state.link.collisions)
        and not any(shape.kind in _UNLIKE or shape.concave for shape in state.link.collisions)
    )


def alike(pattern: BodyRecord, record: BodyRecord) -> bool:
    """Whether a body that ``fits`` can have the slot of another one."""
    ours, theirs = pattern.links[0], record.links[0]
    if record.fixed != pattern.fixed or ours.com != theirs.com:
        return False
    shapes, others = ours.link.collisions, theirs.link.collisions
    return len(shapes) == len(others) and all(
        own is other or own == other or (theirs.com == _HERE and _differ_in_size_only(own, other))
        for own, other in zip(shapes, others, strict=True)
    )


def same_shapes(pattern: BodyRecord, record: BodyRecord) -> bool:
    """Whether two bodies that are alike have the same shapes, too."""
    shapes, others = pattern.links[0].link.collisions, record.links[0].link.collisions
    return all(own is other or own == other for own, other in zip(shapes, others, strict=True))


def _differ_in_size_only(own: Shape, other: Shape) -> bool:
    """Whether one shape can stand in the place of another: both at the centre of their body."""
    return all(shape.kind in PRIMITIVES and shape.pose == _HERE for shape in (own, other))


def fill_slot(model: Any, memory: SlotMemory, record: BodyRecord, pattern: BodyRecord) -> None:
    """Write a body that is numbered already into the slot that it has.

    Args:
        model: The running model.
        memory: That of the model and its MjData, where the body is at rest at its home then.
        record: A body that ``fits``.
        pattern: The body with whose shapes its slot was compiled or filled.
    """
    state, body = record.links[0], record.body
    pose = (*record.home.pos, *unit_quat(record.home.quat))
    mass, inertia = body_mass(record, 0)
    memory.write_masses(body, mass, inertia)
    memory.write_body(body, pose, body_user(record.options))
    dimension, numbers = condim(state.friction), surface_numbers(state)
    for geom in range(state.geom, state.geom + state.ngeom):
        memory.write_surface(geom, state.friction, dimension, numbers)
    if pattern.asset is not record.asset and not same_shapes(pattern, record):
        _write_shapes(int(model.body_bvhadr[body]), memory, record)
    if record.fixed:
        memory.write_mocap(record.mocap, pose)
        return
    memory.write_state(record.qpos, record.dof, pose)
    memory.write_constants(body, record.dof, mass, _constants(mass, inertia, state.com))


@functools.lru_cache(maxsize=256)
def _constants(mass: float, inertia: Vec3, com: Pose) -> FreeConstants:
    return free_constants(mass, inertia, com.pos, com.quat)


def _write_shapes(box: int, memory: SlotMemory, record: BodyRecord) -> None:
    state = record.links[0]
    for row, shape in enumerate(state.link.collisions, start=state.geom):
        kind, size = primitive(shape)
        bounds, radius = _bounds(kind, size)
        memory.write_shape(row, int(kind), size, bounds, radius)
        memory.write_box(box, bounds)


def centred_bounds(record: BodyRecord) -> Vec3 | None:
    """Half sizes of the box around a body of one primitive at its centre [m], else None."""
    state = record.links[0]
    shapes = state.link.collisions
    if len(shapes) != 1 or state.com != _HERE or not _differ_in_size_only(shapes[0], shapes[0]):
        return None
    return _bounds(*primitive(shapes[0]))[0]


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
            return (a, a, b), math.sqrt(a * a + b * b)
        case _GEOM.mjGEOM_ELLIPSOID:
            return (a, b, c), max(a, b, c)
        case _:
            return (a, b, c), math.sqrt(a * a + b * b + c * c)
