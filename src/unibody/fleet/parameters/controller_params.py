"""Limits and switches of kinematic controllers."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unibody.errors import InvalidArgumentError
from unibody.fleet.bodies.tables import Tables
from unibody.fleet.foundation.defaults import CONTROLLER
from unibody.fleet.foundation.types import MovementDirection
from unibody.fleet.parameters.config_files import field_names
from unibody.fleet.parameters.yaml_reader import refuse
from unibody.fleet.spatial.geometry import (
    ScalarOrAxes,
    as_axes,
    clamp_vec_to_limit,
    is_scalar,
    projected_axis_limit,
)

LIMITS = ("max_linear_vel", "max_angular_vel", "max_linear_accel", "max_angular_accel")
UNITS: dict[str, str] = dict(zip(LIMITS, ("m/s", "rad/s", "m/s^2", "rad/s^2"), strict=True))


@dataclass
class ControllerParams:
    """Limits and switches of a controller; None leaves one to the fleet, then to the defaults.

    A limit is one number, for the length of a vector, or three, one an axis of the body.

    Attributes:
        max_linear_vel: In m/s.
        max_angular_vel: In rad/s.
        max_linear_accel: In m/s^2.
        max_angular_accel: In rad/s^2.
        cmd_vel_timeout: Seconds without a command after which a velocity ends; 0: never.
        navigation_2d: Keep the height on the way to a goal.
        default_direction: Which side goes first where a path does not say.
    """

    max_linear_vel: ScalarOrAxes | None = None
    max_angular_vel: ScalarOrAxes | None = None
    max_linear_accel: ScalarOrAxes | None = None
    max_angular_accel: ScalarOrAxes | None = None
    cmd_vel_timeout: float | None = None
    navigation_2d: bool | None = None
    default_direction: MovementDirection = MovementDirection.FORWARD

    def __post_init__(self) -> None:
        object.__setattr__(self, "_rows", [])

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)
        object.__setattr__(self, "_positive", None)
        for row in getattr(self, "_rows", ()):
            self._write(*row)

    def __getstate__(self) -> dict[str, Any]:
        own = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        return own  # rows are those of one simulation

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__post_init__()
        for name, value in state.items():
            setattr(self, name, value)

    def __copy__(self) -> ControllerParams:
        return dataclasses.replace(self)

    def __deepcopy__(self, memo: Any) -> ControllerParams:
        return dataclasses.replace(self)

    @classmethod
    def from_dict(cls, config: dict[str, Any]) -> ControllerParams:
        """Make one from a dictionary; keys of other things are passed over.

        Raises:
            ConfigError: A limit that is negative or no number.
        """
        known = field_names(cls)
        kwargs = {key: value for key, value in config.items() if key in known}
        for name in (*LIMITS, "cmd_vel_timeout"):
            _check_limit(config, name, kwargs.get(name))
        if isinstance(kwargs.get("default_direction"), str):
            kwargs["default_direction"] = MovementDirection(kwargs["default_direction"])
        return cls(**kwargs)

    # --- the row of a controller ---------------------------------------------------------------

    def bind(self, tables: Tables, row: int) -> None:
        """Keep a row of the controllers' array at these values."""
        self._write(tables, row)
        self.take_row(tables, row)

    def take_row(self, tables: Tables, row: int) -> None:
        """`bind`, of a row that has these values or gets them."""
        self._rows.append((tables, row))  # type: ignore[attr-defined]

    def unbind(self, tables: Tables, row: int) -> None:
        """Leave a row alone."""
        rows: list[tuple[Tables, int]] = self._rows  # type: ignore[attr-defined]
        if (tables, row) in rows:
            rows.remove((tables, row))

    def _write(self, tables: Tables, row: int) -> None:
        motion = tables.motions.data[row]
        vel, accel = self._eff_linear_vel(), self._eff_linear_accel()
        motion["vel"], motion["accel"] = as_axes(vel), as_axes(accel)
        motion["per_axis_vel"], motion["per_axis_accel"] = not is_scalar(vel), not is_scalar(accel)
        axis = 0 if motion["batch"] else 2
        motion["turn_vel"] = as_axes(self._eff_angular_vel())[axis]
        motion["turn_accel"] = as_axes(self._eff_angular_accel())[axis]
        motion["timeout"] = self._eff_cmd_vel_timeout()
        motion["flat"] = bool(self.navigation_2d)

    # --- values in effect ----------------------------------------------------------------------

    def limit(self, name: str) -> Any:
        """A limit by name: this controller's own, or the default."""
        if name not in LIMITS:
            raise InvalidArgumentError("name", name, f"one of {list(LIMITS)}")
        return self._effective(name)

    def _effective(self, name: str) -> Any:
        value = getattr(self, name)
        return CONTROLLER[name] if value is None else value

    def _eff_linear_vel(self) -> ScalarOrAxes:
        return self._effective("max_linear_vel")

    def _eff_angular_vel(self) -> ScalarOrAxes:
        return self._effective("max_angular_vel")

    def _eff_linear_accel(self) -> ScalarOrAxes:
        return self._effective("max_linear_accel")

    def _eff_angular_accel(self) -> ScalarOrAxes:
        return self._effective("max_angular_accel")

    def _eff_cmd_vel_timeout(self) -> float:
        return self._effective("cmd_vel_timeout")

    def linear_vel_along_direction(self, direction_unit: NDArray[np.float64]) -> float:
        """The speed limit along a direction of the body [m/s]."""
        return projected_axis_limit(self._eff_linear_vel(), direction_unit)

    def linear_accel_along_direction(self, direction_unit: NDArray[np.float64]) -> float:
        """The acceleration limit along a direction of the body [m/s^2]."""
        return projected_axis_limit(self._eff_linear_accel(), direction_unit)

    def clamp_linear_vec(self, vec: NDArray[np.float64]) -> NDArray[np.float64]:
        """A velocity of the body within its limit."""
        return clamp_vec_to_limit(vec, self._eff_linear_vel())

    def clamp_angular_vec(self, vec: NDArray[np.float64]) -> NDArray[np.float64]:
        """An angular velocity of the body within its limit."""
        return clamp_vec_to_limit(vec, self._eff_angular_vel())

    def scalar_max_linear_vel(self) -> float:
        """The speed limit ahead [m/s]."""
        return float(as_axes(self._eff_linear_vel())[0])

    def scalar_max_linear_accel(self) -> float:
        """The acceleration limit ahead [m/s^2]."""
        return float(as_axes(self._eff_linear_accel())[0])

    def scalar_max_angular_vel(self) -> float:
        """The limit of the yaw rate [rad/s]."""
        return float(as_axes(self._eff_angular_vel())[2])

    def scalar_max_angular_accel(self) -> float:
        """The limit of the yaw acceleration [rad/s^2]."""
        return float(as_axes(self._eff_angular_accel())[2])

    def all_positive(self) -> bool:
        """Whether no limit holds anything back for good."""
        known: bool | None = self._positive  # type: ignore[attr-defined]
        if known is None:
            known = all(bool(np.all(as_axes(self._effective(name)) > 0.0)) for name in LIMITS)
            object.__setattr__(self, "_positive", known)
        return known

    def check(self) -> None:
        """See that something can move with these limits.

        Raises:
            ValueError: A limit is not positive.
        """
        if self.all_positive():
            return
        for name in LIMITS:
            if not np.all(as_axes(self._effective(name)) > 0.0) and is_scalar(
                self._effective(name)
            ):
                raise ValueError(
                    f"{name}={self._effective(name)!r} must be positive [{UNITS[name]}]"
                )


def _check_limit(config: dict[str, Any], name: str, value: Any) -> None:
    if value is None:
        return
    try:
        numbers = as_axes(value)
    except (TypeError, ValueError):
        numbers = np.array([math.nan])
    if not np.all(numbers >= 0.0):
        unit = UNITS.get(name, "s")
        refuse(
            config,
            name,
            f"{name}={value!r} is not allowed: expected a number >= 0 or three of them [{unit}]",
        )
