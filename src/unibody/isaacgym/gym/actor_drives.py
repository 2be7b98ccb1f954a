"""Methods of ``Gym``: tendons, actuators and force sensors of actors."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from unibody.errors import InvalidArgumentError
from unibody.isaacgym import handles
from unibody.isaacgym.batch.tendon import Tendon
from unibody.isaacgym.errors import ArgumentTypeError
from unibody.isaacgym.gym.checks import actor_of, index_of, text_of
from unibody.isaacgym.models.model import ActuatorInfo
from unibody.isaacgym.types.constants import INVALID_HANDLE
from unibody.isaacgym.types.fields import to_finite, to_list
from unibody.isaacgym.types.poses import SpatialForce
from unibody.isaacgym.types.properties import ActuatorProperties, TendonProperties
from unibody.isaacgym.types.vectors import Vec3


class ActorDriveCalls:
    """Tendons, actuators and force sensors."""

    # --- tendons -------------------------------------------------------------------------------

    def get_actor_tendon_count(self, arg0: handles.Env, arg1: int) -> int:
        """Return the number of fixed tendons of an actor."""
        return len(actor_of(arg0, arg1).tendons)

    def get_actor_tendon_name(self, arg0: handles.Env, arg1: int, arg2: int) -> str:
        """Return the name of a tendon."""
        return _tendon(arg0, arg1, arg2).name

    def find_actor_tendon_index(self, arg0: handles.Env, arg1: int, arg2: str) -> int:
        """Return the index of a tendon, -1 where none has that name."""
        return _find([tendon.name for tendon in actor_of(arg0, arg1).tendons], arg2)

    def get_actor_tendon_properties(self, arg0: handles.Env, arg1: int) -> list[TendonProperties]:
        """Return copies of the properties of an actor's tendons."""
        return [deepcopy(tendon.properties) for tendon in actor_of(arg0, arg1).tendons]

    def set_actor_tendon_properties(
        self, arg0: handles.Env, arg1: int, arg2: list[TendonProperties]
    ) -> bool:
        """Change the properties of all tendons of an actor.

        Raises:
            InvalidArgumentError: There are more or fewer than tendons.
        """
        actor = actor_of(arg0, arg1)
        given = to_list("props", arg2, "a list of TendonProperties")
        if not all(isinstance(properties, TendonProperties) for properties in given):
            raise ArgumentTypeError("props", arg2, "a list of TendonProperties")
        if len(given) != len(actor.tendons):
            allowed = f"{len(actor.tendons)} items"
            raise InvalidArgumentError("props", f"{len(given)} items", allowed)
        for tendon, properties in zip(actor.tendons, given, strict=True):
            tendon.take(properties)
            _changed(arg0, tendon)
        return True

    def get_actor_tendon_offset(self, arg0: handles.Env, arg1: int, arg2: int) -> float:
        """Return what is added to the length of a tendon."""
        return _tendon(arg0, arg1, arg2).offset

    def set_actor_tendon_offset(self, arg0: handles.Env, arg1: int, arg2: int, arg3: float) -> bool:
        """Change what is added to the length of a tendon."""
        tendon = _tendon(arg0, arg1, arg2)
        tendon.offset = to_finite("offset", arg3)
        _changed(arg0, tendon)
        return True

    def get_actor_fixed_tendon_joint_coefficients(
        self, arg0: handles.Env, arg1: int, arg2: int
    ) -> list[float]:
        """Return the coefficients of the joints of a tendon."""
        return list(_tendon(arg0, arg1, arg2).coefficients)

    def set_actor_fixed_tendon_joint_coefficients(
        self, arg0: handles.Env, arg1: int, arg2: int, arg3: list[float]
    ) -> bool:
        """Change the coefficients of the joints of a tendon."""
        tendon = _tendon(arg0, arg1, arg2)
        values = [
            to_finite("coefficient", value)
            for value in to_list("coefficients", arg3, "a list of numbers")
        ]
        if len(values) != len(tendon.joints):
            allowed = f"{len(tendon.joints)} numbers"
            raise InvalidArgumentError("coefficients", values, allowed)
        before = tendon.topology()
        tendon.coefficients = values
        if tendon.topology() != before:
            actor_of(arg0, arg1).env.sim.edited()
        _changed(arg0, tendon)
        return True

    def get_actor_fixed_tendon_joint_name(
        self, arg0: handles.Env, arg1: int, arg2: int, arg3: int
    ) -> str:
        """Return the name of a joint of a tendon."""
        joints = _tendon(arg0, arg1, arg2).joints
        return joints[index_of("joint index", arg3, len(joints))]

    def find_actor_fixed_tendon_joint_index(
        self, arg0: handles.Env, arg1: int, arg2: int, arg3: str
    ) -> int:
        """Return the index of a joint in a tendon, -1 where none has that name."""
        return _find(_tendon(arg0, arg1, arg2).joints, arg3)

    # --- actuators -----------------------------------------------------------------------------

    def get_actor_actuator_count(self, arg0: handles.Env, arg1: int) -> int:
        """Return the number of actuators of an actor."""
        return len(actor_of(arg0, arg1).model.actuators)

    def get_actor_actuator_name(self, arg0: handles.Env, arg1: int, arg2: int) -> str:
        """Return the name of an actuator."""
        return _actuator(arg0, arg1, arg2).name

    def get_actor_actuator_joint_name(self, arg0: handles.Env, arg1: int, arg2: int) -> str:
        """Return the name of the joint that an actuator moves."""
        return _actuator(arg0, arg1, arg2).joint

    def get_actor_actuator_properties(
        self, arg0: handles.Env, arg1: int
    ) -> list[ActuatorProperties]:
        """Return copies of the properties of an actor's actuators."""
        model = actor_of(arg0, arg1).model
        return [deepcopy(actuator.properties) for actuator in model.actuators]

    def find_actor_actuator_index(self, arg0: handles.Env, arg1: int, arg2: str) -> int:
        """Return the index of an actuator, -1 where none has that name."""
        return _find([a.name for a in actor_of(arg0, arg1).model.actuators], arg2)

    # --- force sensors -------------------------------------------------------------------------

    def get_actor_force_sensor_count(self, arg0: handles.Env, arg1: int) -> int:
        """Return the number of force sensors of an actor."""
        return len(actor_of(arg0, arg1).sensors)

    def get_actor_force_sensor(
        self, arg0: handles.Env, arg1: int, arg2: int
    ) -> handles.ForceSensor:
        """Return a force sensor of an actor."""
        actor = actor_of(arg0, arg1)
        number = index_of("sensor index", arg2, len(actor.sensors))
        sim = actor.env.sim
        before = sum(env.sensor_count for env in sim.envs[: actor.env.index])
        row = before + actor.first_sensor + number

        def read() -> SpatialForce:
            sim.read_sensors()
            sim.buffers.to_host("sensors")
            values = [float(value) for value in sim.buffers.host.sensors[row]]
            found = SpatialForce()
            found.force, found.torque = Vec3(*values[:3]), Vec3(*values[3:])
            return found

        return handles.ForceSensor.at(row, read)


def _tendon(env: Any, handle: Any, index: Any) -> Tendon:
    tendons = actor_of(env, handle).tendons
    return tendons[index_of("tendon index", index, len(tendons))]


def _actuator(env: Any, handle: Any, index: Any) -> ActuatorInfo:
    actuators = actor_of(env, handle).model.actuators
    return actuators[index_of("actuator index", index, len(actuators))]


def _changed(env: Any, tendon: Tendon) -> None:
    env.sim.spring_changed(env, tendon)


def _find(names: list[str], name: Any) -> int:
    wanted = text_of("name", name)
    return names.index(wanted) if wanted in names else INVALID_HANDLE
