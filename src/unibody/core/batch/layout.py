"""How states lie in the arrays of a batch, and the words for their parts."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from unibody.errors import InvalidArgumentError, NotSupportedError

POSITIONS: Final = 1  # bits of ``parts``
VELOCITIES: Final = 2
STATE_WIDTH: Final = 13  # position, quaternion, velocity, angular velocity
_CHOICES = {
    "quaternion": ("wxyz", "xyzw"),
    "frame": ("world", "environment"),
    "velocity": ("mass centre", "origin"),
}


class Control(enum.IntFlag):
    """Which controls a degree of freedom listens to."""

    NONE = 0
    POSITION = 1
    VELOCITY = 2
    EFFORT = 4
    ALL = 7


class Space(enum.IntEnum):
    """The frame of forces and of the points where they act."""

    ENVIRONMENT = 0
    LOCAL = 1
    WORLD = 2


@dataclass(frozen=True, slots=True)
class StateLayout:
    """How states lie in arrays.

    Attributes:
        quaternion: Order of a quaternion's numbers, "wxyz" or "xyzw".
        dtype: ``np.float32``, or ``np.float64`` on the CPU.
        frame: Positions are in the "world", where environments lie beside one another, or each in
            the frame of its "environment". The axes are the same.
        velocity: Linear velocities are those of the "mass centre" or of the "origin" of a body's
            frame.
    """

    quaternion: str = "wxyz"
    dtype: Any = np.float32
    frame: str = "world"
    velocity: str = "mass centre"

    def __post_init__(self) -> None:
        for name, allowed in _CHOICES.items():
            if getattr(self, name) not in allowed:
                raise InvalidArgumentError(name, getattr(self, name), f"one of {allowed}")
        if np.dtype(self.dtype).name not in ("float32", "float64"):
            raise InvalidArgumentError("dtype", self.dtype, "float32 or float64")

    def check(self, device: str) -> None:
        """Raise what is wrong with this layout on a device of the engine.

        Raises:
            NotSupportedError: float64 on a Warp device, where the engine computes in float32.
        """
        if device != "cpu" and np.dtype(self.dtype) == np.float64:
            raise NotSupportedError(f"float64 states on {device!r}", "float32, or device 'cpu'")

    @property
    def scalar_column(self) -> int:
        """Column of a quaternion's real part in a state."""
        return 3 if self.quaternion == "wxyz" else 6

    @property
    def vector_column(self) -> int:
        """First column of a quaternion's vector part in a state."""
        return 4 if self.quaternion == "wxyz" else 3

    @property
    def in_world(self) -> bool:
        """Whether positions are in the world's frame."""
        return self.frame == "world"

    @property
    def at_origin(self) -> bool:
        """Whether linear velocities are those of the frames' origins."""
        return self.velocity == "origin"

    def to_wxyz(self, quats: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Quaternions (..., 4) of this layout in core's order."""
        return quats if self.quaternion == "wxyz" else np.roll(quats, 1, axis=-1)

    def from_wxyz(self, quats: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Quaternions (..., 4) of core in this layout's order."""
        return quats if self.quaternion == "wxyz" else np.roll(quats, -1, axis=-1)
