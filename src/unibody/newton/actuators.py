"""Actuator models of 1.x: drives, delays and limits whose efforts a simulation adds to its joints.

None of them exists here. Their names can be imported; whoever makes one is told what works.
"""

from __future__ import annotations

from unibody.errors import NotSupportedError
from unibody.newton.absent_classes import absent_class

_MODULE = "newton.actuators"
_DRIVE = "joints have position and velocity drives (`target_ke`, `target_kd`) with `effort_limit`"
_MOTOR = "newton.solvers.SolverMuJoCo has `add_actuator_dcmotor` and MuJoCo's other actuators"
_EFFORT = "a script that writes efforts into `Control.joint_f` before each step"

_NEAREST = {
    "Actuator": _DRIVE,
    "ActuatorParsed": _DRIVE,
    "Clamping": _DRIVE,
    "ClampingBase": _DRIVE,
    "ClampingDCMotor": _MOTOR,
    "ClampingMaxEffort": _DRIVE,
    "ClampingPositionBased": _EFFORT,
    "ComponentKind": _DRIVE,
    "Controller": _DRIVE,
    "ControllerNeuralLSTM": _EFFORT,
    "ControllerNeuralMLP": _EFFORT,
    "ControllerPD": _DRIVE,
    "ControllerPID": _EFFORT,
    "Delay": _EFFORT,
    "DriveBase": _DRIVE,
    "DriveNeuralGRU": _EFFORT,
    "DriveNeuralLSTM": _EFFORT,
    "DriveNeuralMLP": _EFFORT,
    "DrivePD": _DRIVE,
    "DrivePID": _EFFORT,
    "JointSpaceResponse": _EFFORT,
    "SchemaNames": _DRIVE,
}
"""Names of classes -> the nearest thing that works. Drives were controllers before 1.8."""
_FUNCTIONS = ("parse_actuator_prim", "register_actuator_component")

__all__ = [*_NEAREST, *_FUNCTIONS]  # noqa: PLE0604 - strings


def __getattr__(name: str) -> type:
    if name in _NEAREST:
        return globals().setdefault(name, absent_class(_MODULE, name, _NEAREST[name]))
    if name in _FUNCTIONS:
        raise NotSupportedError(f"{_MODULE}.{name}", _DRIVE)
    raise AttributeError(f"module {_MODULE!r} has no attribute {name!r}")
