"""Properties of actors as records of this API, and as core's."""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np

from unibody.core.assets.description import Pose
from unibody.core.batch import tables
from unibody.core.batch.environment import ForceSensor
from unibody.core.batch.layout import Control
from unibody.isaacgym.convert import to_pose
from unibody.isaacgym.models.model import Model, SensorInfo
from unibody.isaacgym.types.enums import DofDriveMode
from unibody.isaacgym.types.properties import RigidShapeProperties

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
SHAPE = np.dtype([*((name, "<f8") for name in SHAPE_FIELDS), ("filter", "<i8")])
_FIELDS = ("lower", "upper", "stiffness", "damping", "effort", "friction", "armature")
_CONTROLS = np.zeros(len(DofDriveMode), np.int8)  # by drive mode
_CONTROLS[DofDriveMode.DOF_MODE_POS] = Control.POSITION
_CONTROLS[DofDriveMode.DOF_MODE_VEL] = Control.VELOCITY
_CONTROLS[DofDriveMode.DOF_MODE_EFFORT] = Control.EFFORT
_DRIVEN = Control.POSITION | Control.VELOCITY
# Of assets: their properties, which are replaced as a whole, and the same as records.
_surfaces: WeakKeyDictionary[Model, tuple[list[RigidShapeProperties], tables.Records]] = (
    WeakKeyDictionary()
)


def to_dof_records(properties: tables.Records, *, flex: bool) -> tables.Records:
    """Properties of degrees of freedom, ``records.DOF_PROPERTIES``, as core's.

    Args:
        properties: One record a degree of freedom.
        flex: Gains act only where the mode is that of positions or velocities; else always.
    """
    own = np.zeros(len(properties), tables.DOF)
    own["limited"] = properties["hasLimits"]
    own["controls"] = _CONTROLS[properties["driveMode"]]
    own["speed"] = properties["velocity"]
    for name in _FIELDS:
        own[name] = properties[name]
    if flex:
        idle = (own["controls"] & _DRIVEN) == 0
        own["stiffness"][idle] = own["damping"][idle] = 0.0
    return own


def to_force_sensor(info: SensorInfo) -> ForceSensor:
    """A force sensor of an asset, for core."""
    pos, quat = to_pose(info.pose)
    flags = info.properties
    return ForceSensor(
        info.body,
        Pose(tuple(pos.tolist()), tuple(quat.tolist())),
        flags.enable_forward_dynamics_forces,
        flags.enable_constraint_solver_forces,
        flags.use_world_frame,
    )


def shape_records(model: Model) -> tables.Records:
    """Surfaces of the collision shapes of an asset, one ``SHAPE`` each."""
    found = _surfaces.get(model)
    if found is None or found[0] is not model.shape_properties:
        found = model.shape_properties, _new_shape_records(model)
        _surfaces[model] = found
    return found[1].copy()


def _new_shape_records(model: Model) -> tables.Records:
    records = np.zeros(len(model.shapes), SHAPE)
    for record, properties in zip(records, model.shape_properties, strict=True):
        for name in SHAPE_FIELDS:
            record[name] = getattr(properties, name)
        record["filter"] = properties.filter
    return records
