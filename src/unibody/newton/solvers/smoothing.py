"""The speed below which friction of SolverSemiImplicit and SolverFeatherstone is smoothed."""

from __future__ import annotations

from typing import Any

from unibody.newton import exceptions
from unibody.newton.dialect import is_after_first_of_1

_NOTE = "friction_smoothing is deprecated and changes nothing: friction has its Coulomb limit"


class FrictionSmoothing:
    """Has the speed; releases after 1.0 take it, warn, and have exact limits of friction."""

    _friction_smoothing = 1.0

    def _smooth(self, given: float) -> None:
        if given != self._friction_smoothing and is_after_first_of_1():
            _warn()
        self._friction_smoothing = given

    @property
    def friction_smoothing(self) -> float:
        """Speed below which friction grows with it smoothly [m/s]; after 1.0 it changes nothing."""
        if is_after_first_of_1():
            _warn()
        return self._friction_smoothing

    @friction_smoothing.setter
    def friction_smoothing(self, value: float) -> None:
        if is_after_first_of_1():
            _warn()
        self._friction_smoothing = value

    def _smoothed_speed(self) -> Any:
        """The speed for kernels; 0: friction has its limit exactly."""
        return 0.0 if is_after_first_of_1() else self._friction_smoothing


def _warn() -> None:
    exceptions.warn(_NOTE, exceptions.NewtonDeprecationWarning)
