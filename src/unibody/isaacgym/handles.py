"""Things that only a ``Gym`` makes: scripts hold them, and pass them back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from unibody.isaacgym.errors import ArgumentTypeError
from unibody.isaacgym.types.poses import SpatialForce


class Handle:
    """Base of the kinds below. The library's own subclasses have constructors, these have none."""

    __slots__ = ("__weakref__",)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if type(self).__module__ == __name__:
            name = type(self).__name__
            raise ArgumentTypeError(name, args, f"a {name} made by a method of Gym")


class Asset(Handle):
    """A loaded file, or a built-in shape."""

    __slots__ = ()


class Env(Handle):
    """An environment of a simulation."""

    __slots__ = ()


class Sim(Handle):
    """A simulation."""

    __slots__ = ()


class Viewer(Handle):
    """A window on a simulation."""

    __slots__ = ()


class UsdExporter(Handle):
    """A writer of USD files."""

    __slots__ = ()


class ForceSensor:
    """A force sensor of an actor."""

    __slots__ = ("_index", "_read")

    def __init__(self) -> None:
        self._index = -1
        self._read: Callable[[], SpatialForce] = SpatialForce

    @classmethod
    def at(cls, index: int, read: Callable[[], SpatialForce]) -> ForceSensor:
        """Make the sensor of a simulation.

        Args:
            index: Its row in the tensor of all sensors.
            read: Returns what it measures now.
        """
        sensor = cls()
        sensor._index = index
        sensor._read = read
        return sensor

    def get_forces(self) -> SpatialForce:
        """Return force [N] and torque [Nm] of the last step."""
        return self._read()

    def get_global_index(self) -> int:
        """Return the row in the tensor of all sensors; -1 for a sensor of nothing."""
        return self._index
