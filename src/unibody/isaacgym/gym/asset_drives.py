"""Methods of ``Gym``: actuators, tendons and force sensors of an asset."""

from __future__ import annotations

import math
from collections.abc import Iterable
from copy import deepcopy
from typing import Any

from unibody.errors import InvalidArgumentError
from unibody.isaacgym import handles
from unibody.isaacgym.errors import ArgumentTypeError
from unibody.isaacgym.gym.asset_loading import asset_of
from unibody.isaacgym.gym.asset_queries import copies_of, index_in
from unibody.isaacgym.gym.checks import index_of, transform_of
from unibody.isaacgym.models.model import ActuatorInfo, SensorInfo, TendonInfo
from unibody.isaacgym.types.fields import to_finite
from unibody.isaacgym.types.poses import Transform
from unibody.isaacgym.types.properties import (
    ActuatorProperties,
    ForceSensorProperties,
    TendonProperties,
)


class AssetDriveCalls:
    """Actuators, tendons and force sensors."""

    # --- actuators -----------------------------------------------------------------------------

    def get_asset_actuator_count(self, arg0: handles.Asset) -> int:
        """Return the number of actuators of an MJCF file."""
        return len(asset_of(arg0).actuators)

    def get_asset_actuator_name(self, arg0: handles.Asset, arg1: int) -> str:
        """Return the name of the actuator ``arg1``."""
        return _actuator(arg0, arg1).name

    def get_asset_actuator_joint_name(self, arg0: handles.Asset, arg1: int) -> str:
        """Return the name of the joint that the actuator ``arg1`` moves."""
        return _actuator(arg0, arg1).joint

    def get_asset_actuator_properties(self, arg0: handles.Asset) -> list[ActuatorProperties]:
        """Return copies of the properties of the actuators, in file order."""
        return [deepcopy(actuator.properties) for actuator in asset_of(arg0).actuators]

    def find_asset_actuator_index(self, arg0: handles.Asset, arg1: str) -> int:
        """Return the index of an actuator, -1 where none has that name."""
        return index_in([actuator.name for actuator in asset_of(arg0).actuators], arg1)

    # --- tendons -------------------------------------------------------------------------------

    def get_asset_tendon_count(self, arg0: handles.Asset) -> int:
        """Return the number of fixed tendons of an MJCF file."""
        return len(asset_of(arg0).tendons)

    def get_asset_tendon_name(self, arg0: handles.Asset, arg1: int) -> str:
        """Return the name of the tendon ``arg1``."""
        return _tendon(arg0, arg1).name

    def find_asset_tendon_index(self, arg0: handles.Asset, arg1: str) -> int:
        """Return the index of a tendon, -1 where none has that name."""
        return index_in([tendon.name for tendon in asset_of(arg0).tendons], arg1)

    def get_asset_tendon_properties(self, arg0: handles.Asset) -> list[TendonProperties]:
        """Return copies of what the tendons of new actors are like."""
        return [deepcopy(tendon.properties) for tendon in asset_of(arg0).tendons]

    def set_asset_tendon_properties(
        self, arg0: handles.Asset, arg1: list[TendonProperties]
    ) -> bool:
        """Change what the tendons of new actors are like; actors there are stay.

        Raises:
            ArgumentTypeError: They are no ``TendonProperties``.
            InvalidArgumentError: There are more or fewer than tendons.
        """
        tendons = asset_of(arg0).tendons
        copies = copies_of("tendon properties", arg1, TendonProperties, len(tendons))
        for tendon, properties in zip(tendons, copies, strict=True):
            properties._num_joints = len(tendon.joints)
            tendon.properties = properties
        return True

    def get_asset_fixed_tendon_joint_coefficients(
        self, arg0: handles.Asset, arg1: int
    ) -> list[float]:
        """Return the coefficients of the joints of the tendon ``arg1``."""
        return list(_tendon(arg0, arg1).coefficients)

    def set_asset_fixed_tendon_joint_coefficients(
        self, arg0: handles.Asset, arg1: int, arg2: list[float]
    ) -> bool:
        """Change the coefficients of the joints of the tendon ``arg1``, for new actors.

        Raises:
            InvalidArgumentError: There are more or fewer than joints, or one is not finite.
        """
        tendon = _tendon(arg0, arg1)
        numbers = [to_finite("coefficients", value) for value in _items("coefficients", arg2)]
        if len(numbers) != len(tendon.joints) or not all(map(math.isfinite, numbers)):
            allowed = f"{len(tendon.joints)} finite numbers, one a joint"
            raise InvalidArgumentError("coefficients", arg2, allowed)
        tendon.coefficients = numbers
        return True

    def get_asset_fixed_tendon_joint_name(self, arg0: handles.Asset, arg1: int, arg2: int) -> str:
        """Return the name of the joint ``arg2`` of the tendon ``arg1``."""
        joints = _tendon(arg0, arg1).joints
        return joints[index_of("joint index in the tendon", arg2, len(joints))]

    # --- force sensors -------------------------------------------------------------------------

    def create_asset_force_sensor(
        self,
        asset: handles.Asset,
        body_idx: int,
        local_pose: Transform,
        props: ForceSensorProperties | None = None,
    ) -> int:
        """Add a force sensor to a rigid body, for new actors.

        Args:
            asset: The asset.
            body_idx: Index of the rigid body.
            local_pose: Pose of the sensor in the frame of the body.
            props: What it reports; they are copied.

        Returns:
            Index of the sensor among those of the asset.
        """
        model = asset_of(asset)
        body = index_of("body_idx", body_idx, len(model.body_names))
        pose = deepcopy(transform_of("local_pose", local_pose))
        if props is None:
            props = ForceSensorProperties()
        if not isinstance(props, ForceSensorProperties):
            raise ArgumentTypeError("props", props, "a ForceSensorProperties, or None")
        model.sensors.append(SensorInfo(body, pose, deepcopy(props)))
        return len(model.sensors) - 1


def _actuator(asset: handles.Asset, index: int) -> ActuatorInfo:
    actuators = asset_of(asset).actuators
    return actuators[index_of("actuator index", index, len(actuators))]


def _tendon(asset: handles.Asset, index: int) -> TendonInfo:
    tendons = asset_of(asset).tendons
    return tendons[index_of("tendon index", index, len(tendons))]


def _items(name: str, values: Any) -> Iterable[Any]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise ArgumentTypeError(name, values, "a list of numbers")
    return values
