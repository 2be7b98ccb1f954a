"""Single calls of quaternion and transform functions, which need no scene."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.bullet.calls import FAMILY, repeat
from benchmarks.bullet.registry import Module, Prepared, work

_POS = (0.1, 0.2, 0.3)
_QUAT = (0.1, 0.2, 0.3, 0.927)
_TURN = (0.0, 0.0, 0.6, 0.8)
_ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "getQuaternionFromEuler": ((0.1, 0.2, 0.3),),
    "getEulerFromQuaternion": (_QUAT,),
    "getMatrixFromQuaternion": (_QUAT,),
    "multiplyTransforms": (_POS, _TURN, _POS, _QUAT),
    "invertTransform": (_POS, _QUAT),
    "rotateVector": (_QUAT, _POS),
    "getDifferenceQuaternion": (_QUAT, _TURN),
    "getAxisDifferenceQuaternion": (_QUAT, _TURN),
    "getQuaternionSlerp": (_QUAT, _TURN, 0.3),
    "getQuaternionFromAxisAngle": (_POS, 0.5),
    "getAxisAngleFromQuaternion": (_QUAT,),
    "calculateVelocityQuaternion": (_QUAT, _TURN, 0.1),
    "computeViewMatrix": ((1.0, 2.0, 3.0), (0.0, 0.0, 0.0), (0.0, 0.0, 1.0)),
    "computeViewMatrixFromYawPitchRoll": ((0.0, 0.0, 0.0), 1.5, 30.0, -20.0, 0.0, 2),
    "computeProjectionMatrixFOV": (60.0, 1.5, 0.1, 10.0),
}


def _register(name: str, arguments: tuple[Any, ...]) -> Callable[[Module], Prepared]:
    @work(name, FAMILY, name, "us/call")
    def call(p: Module) -> Prepared:
        """A pure function."""
        function = getattr(p, name)
        return repeat(lambda: function(*arguments))

    return call


for _name, _arguments in _ARGUMENTS.items():
    _register(_name, _arguments)
