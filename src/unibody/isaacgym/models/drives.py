"""What a file says of joints, actuators and tendons, as properties."""

from __future__ import annotations

import math

import numpy as np

from unibody.core.assets import description as core
from unibody.core.assets.description import ActuatorKind, JointType
from unibody.isaacgym.models.model import ActuatorInfo, DofProperties, TendonInfo
from unibody.isaacgym.types import records
from unibody.isaacgym.types.asset_options import AssetOptions
from unibody.isaacgym.types.enums import DofDriveMode
from unibody.isaacgym.types.properties import ActuatorProperties, TendonProperties

LARGEST = float(np.finfo(np.float32).max)  # what stands for no limit
_ACTUATOR_TYPES = {ActuatorKind.MOTOR: 0, ActuatorKind.POSITION: 1, ActuatorKind.VELOCITY: 2}
_MODES = {
    ActuatorKind.MOTOR: DofDriveMode.DOF_MODE_EFFORT,
    ActuatorKind.POSITION: DofDriveMode.DOF_MODE_POS,
    ActuatorKind.VELOCITY: DofDriveMode.DOF_MODE_VEL,
}


def dof_properties(
    tree: core.Asset, joints: list[core.Joint], options: AssetOptions
) -> DofProperties:
    """Properties of degrees of freedom, one record each.

    Args:
        tree: With the actuators.
        joints: The joint of each, as the file has it; zero: not stated, but for an effort of a
            URDF.
        options: With the default mode and armature.
    """
    table = np.zeros(len(joints), records.DOF_PROPERTIES)
    table["driveMode"] = options.default_dof_drive_mode
    actuators: dict[str, list[core.Actuator]] = {}
    for actuator in tree.actuators:
        actuators.setdefault(actuator.joint, []).append(actuator)
    for record, joint in zip(table, joints, strict=True):
        record["lower"], record["upper"] = _limits(joint)
        record["hasLimits"] = abs(record["lower"]) < LARGEST or abs(record["upper"]) < LARGEST
        record["velocity"] = _bounded(joint.velocity)
        record["effort"] = _bounded(joint.effort)
        record["stiffness"] = _bounded(joint.stiffness)
        record["damping"] = _bounded(joint.damping)
        record["friction"] = _bounded(joint.friction)
        record["armature"] = _bounded(joint.armature)
        if options.use_physx_armature and not joint.armature:
            record["armature"] = options.armature
        for actuator in actuators.get(joint.name, ()):
            _drive(record, actuator)
        for drive in joint.drives[:1]:
            _own_drive(record, drive)
    return table


def _own_drive(record: np.void, drive: core.Drive) -> None:
    """Make a degree of freedom one with a drive of its joint (USD)."""
    record["stiffness"], record["damping"] = _bounded(drive.stiffness), _bounded(drive.damping)
    if drive.stiffness:
        record["driveMode"] = DofDriveMode.DOF_MODE_POS
    elif drive.damping:
        record["driveMode"] = DofDriveMode.DOF_MODE_VEL


def _limits(joint: core.Joint) -> tuple[float, float]:
    if joint.type is JointType.CONTINUOUS:
        return -LARGEST, LARGEST
    return _bounded(joint.lower), _bounded(joint.upper)


def _bounded(value: float) -> float:
    return math.copysign(min(abs(value), LARGEST), value)


def _drive(record: np.void, actuator: core.Actuator) -> None:
    """Make a degree of freedom one that an actuator of the file drives."""
    record["driveMode"] = _MODES[actuator.kind]
    square = actuator.gear * actuator.gear
    if actuator.kind is ActuatorKind.POSITION:
        record["stiffness"] = _bounded(actuator.kp * square)
    if actuator.kind is not ActuatorKind.MOTOR and actuator.kv:
        record["damping"] = _bounded(actuator.kv * square)
    if actuator.kind is not ActuatorKind.MOTOR and actuator.force_range is not None:
        limit = max(map(abs, actuator.force_range)) * abs(actuator.gear)
        record["effort"] = min(float(record["effort"]), limit)


def file_efforts(tree: core.Asset) -> dict[str, float]:
    """Largest force of each joint that an MJCF file limits at the joint itself [N, Nm].

    The limits of motors are not among them: they bound what a script sends.
    """
    return {
        link.joint.name: link.joint.effort
        for link in tree.links
        if link.joint.effort and link.joint.effort != tree.joint_efforts.get(link.joint.name)
    }


def actuator_infos(tree: core.Asset) -> list[ActuatorInfo]:
    """The actuators, in file order."""
    return [
        ActuatorInfo(actuator.name, actuator.joint, _actuator(actuator))
        for actuator in tree.actuators
    ]


def _actuator(actuator: core.Actuator) -> ActuatorProperties:
    properties = ActuatorProperties()
    properties._type = _ACTUATOR_TYPES[actuator.kind]
    properties.kp, properties.kv = actuator.kp, actuator.kv
    low, high = actuator.control_range or (-LARGEST, LARGEST)
    properties.control_limited = actuator.control_range is not None
    properties.lower_control_limit, properties.upper_control_limit = low, high
    lowest, highest = actuator.force_range or (-LARGEST, LARGEST)
    properties.force_limited = actuator.force_range is not None
    properties.lower_force_limit, properties.upper_force_limit = lowest, highest
    if actuator.kind is ActuatorKind.MOTOR:
        reach = 1.0 if actuator.control_range is None else max(abs(low), abs(high))
        properties.motor_effort = abs(actuator.gear) * reach
    elif actuator.force_range is not None:
        properties.motor_effort = abs(actuator.gear) * max(abs(lowest), abs(highest))
    return properties


def tendon_infos(tree: core.Asset, limit_stiffness: float) -> list[TendonInfo]:
    """The fixed tendons, in file order."""
    return [
        TendonInfo(
            tendon.name,
            list(tendon.joints),
            list(tendon.coefficients),
            _tendon(tendon, limit_stiffness),
        )
        for tendon in tree.tendons
    ]


def _tendon(tendon: core.FixedTendon, limit_stiffness: float) -> TendonProperties:
    properties = TendonProperties()
    ratio, own = tendon.force_ratio, tendon.limit_stiffness
    properties.stiffness, properties.damping = ratio * tendon.stiffness, ratio * tendon.damping
    properties.limit_stiffness = limit_stiffness if own is None else ratio * own
    properties.fixed_spring_rest_length = tendon.rest_length - tendon.offset
    properties.is_fixed_limited = tendon.limits is not None
    bounds = (-LARGEST, LARGEST) if tendon.limits is None else tendon.limits
    low, high = (min(max(bound - tendon.offset, -LARGEST), LARGEST) for bound in bounds)
    properties.fixed_lower_limit, properties.fixed_upper_limit = low, high
    properties._num_joints = len(tendon.joints)
    return properties
