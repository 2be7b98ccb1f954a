"""Properties of an actor as arrays: one record a rigid body, one a collision shape."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from unibody.core.assets import description as core
from unibody.core.assets.rotations import rotations
from unibody.isaacgym.models.model import Model
from unibody.isaacgym.types.properties import RigidShapeProperties

Records = npt.NDArray[np.void]
Array = npt.NDArray[np.float64]

BODY = np.dtype(
    [("mass", "<f8"), ("com", "<f8", (3,)), ("inertia", "<f8", (3, 3)), ("flags", "<u4")]
)
SHAPE_FIELDS = (
    "friction",
    "rolling_friction",
    "torsion_friction",
    "restitution",
    "compliance",
    "thickness",
    "contact_offset",
    "rest_offset",
)
# Of assets, for as long as these are in use: mass properties of their bodies; and the properties of
# their shapes, which are replaced as a whole, and the same as records.
_bodies: WeakKeyDictionary[Model, Records] = WeakKeyDictionary()
_surfaces: WeakKeyDictionary[Model, tuple[list[RigidShapeProperties], Records]] = (
    WeakKeyDictionary()
)
_ROUNDING = 1e-6  # share of the sum of the moments
SHAPE = np.dtype([*((name, "<f8") for name in SHAPE_FIELDS), ("filter", "<i8")])


def stacked(records: Sequence[npt.NDArray[Any]]) -> npt.NDArray[Any]:
    """Records of several actors as rows: ``np.stack`` compares their fields one by one."""
    first = records[0]
    whole = b"".join(row.tobytes() for row in records)
    return np.ndarray((len(records), *first.shape), first.dtype, whole)


def body_records(model: Model, tree: core.Asset) -> Records:
    """Mass properties of the rigid bodies of an asset.

    Args:
        model: The asset.
        tree: Its tree, or that of a scaled actor.

    Returns:
        One ``BODY`` a rigid body: centre of mass in the body's frame, inertia about it in axes
        parallel to the body's.
    """
    records = np.zeros(len(model.body_links), BODY)
    for record, number in zip(records, model.body_links, strict=True):
        inertial = tree.links[number].inertial
        xx, yy, zz, xy, xz, yz = inertial.inertia
        turn = rotations(inertial.pose.quat)
        record["mass"] = inertial.mass
        record["com"] = inertial.pose.pos
        record["inertia"] = turn @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ turn.T
    return records


def shape_records(model: Model) -> Records:
    """Surfaces of the collision shapes of an asset, one ``SHAPE`` each."""
    found = _surfaces.get(model)
    if found is None or found[0] is not model.shape_properties:
        found = model.shape_properties, _new_shape_records(model)
        _surfaces[model] = found
    return found[1].copy()


def _new_shape_records(model: Model) -> Records:
    records = np.zeros(len(model.shapes), SHAPE)
    for record, properties in zip(records, model.shape_properties, strict=True):
        for name in SHAPE_FIELDS:
            record[name] = getattr(properties, name)
        record["filter"] = properties.filter
    return records


def principal(inertia: Array, compiled: Array) -> tuple[Array, Array]:
    """Principal moments and axes of bodies.

    Axes stay those that a body was compiled with where they are principal: MuJoCo treats a body
    whose inertial frame is its own as a simple one, and refuses another frame later.

    Args:
        inertia: Inertias (n, 3, 3) in the frames of the bodies.
        compiled: Axes as quaternions wxyz (n, 4).

    Returns:
        Moments (n, 3), and axes as quaternions wxyz (n, 4).
    """
    moments, axes = np.linalg.eigh(inertia)
    axes[np.linalg.det(axes) < 0.0, :, 2] *= -1.0
    quats = quaternions(axes)
    turn = rotations(compiled)
    own = np.swapaxes(turn, -1, -2) @ inertia @ turn
    kept = ~has_products(own)
    moments[kept] = np.diagonal(own, axis1=-2, axis2=-1)[kept]
    quats[kept] = compiled[kept]
    return moments, quats


def has_products(inertia: npt.NDArray[np.floating[Any]]) -> npt.NDArray[np.bool_]:
    """Whether axes are not principal ones of inertias (..., 3, 3), beyond float32's rounding."""
    products = np.abs(inertia[..., (0, 0, 1), (1, 2, 2)]).max(axis=-1)
    return products > _ROUNDING * np.trace(inertia, axis1=-2, axis2=-1)


def quaternions(matrices: npt.NDArray[np.floating[Any]]) -> Array:
    """Unit quaternions wxyz (n, 4) of rotations (n, 3, 3): Bar-Itzhack's eigenvector method."""
    m = matrices
    k = np.zeros((len(m), 4, 4))
    k[:, 0, 0] = m[:, 0, 0] + m[:, 1, 1] + m[:, 2, 2]
    k[:, 1:, 1:] = m + m.transpose(0, 2, 1)
    k[:, (1, 2, 3), (1, 2, 3)] -= k[:, :1, 0]
    k[:, 0, 1] = k[:, 1, 0] = m[:, 2, 1] - m[:, 1, 2]
    k[:, 0, 2] = k[:, 2, 0] = m[:, 0, 2] - m[:, 2, 0]
    k[:, 0, 3] = k[:, 3, 0] = m[:, 1, 0] - m[:, 0, 1]
    return np.linalg.eigh(k)[1][:, :, 3]


def default_bodies(model: Model) -> Records:
    """Mass properties of an unscaled actor; not to be written to."""
    found = _bodies.get(model)
    if found is None:
        found = _bodies[model] = body_records(model, model.tree)
    return found
