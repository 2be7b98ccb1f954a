"""What bodies and articulations share: velocities, and those by default."""

from __future__ import annotations

from typing import Any

from unibody.isaac_core import convert
from unibody.isaac_core.experimental.arguments import Array, table, warp
from unibody.isaac_core.experimental.xform_prim import XformPrim

_VELOCITIES = ("linear_velocities", "angular_velocities")


class MovingPrim(XformPrim):
    """Prims that have velocities beside poses: bodies, or roots of articulations."""

    def get_velocities(self, *, indices: Array | None = None) -> tuple[Any, Any]:
        """(N, 3) velocities [m/s] and (N, 3) angular velocities [rad/s]."""
        moving = convert.plain(self._view.get_velocities(self._rows(indices)))
        return warp(moving[:, :3]), warp(moving[:, 3:])

    def set_velocities(
        self,
        linear_velocities: Array | None = None,
        angular_velocities: Array | None = None,
        *,
        indices: Array | None = None,
    ) -> None:
        """Set (N, 3) velocities and (N, 3) angular velocities; what is None stays."""
        which = self._rows(indices)
        for name, values, write in (
            ("linear_velocities", linear_velocities, self._view.set_linear_velocities),
            ("angular_velocities", angular_velocities, self._view.set_angular_velocities),
        ):
            if values is not None:
                write(table(name, values, (len(which), 3)), which)

    def get_default_state(self, *, indices: Array | None = None) -> tuple[Any, ...]:
        """Positions, orientations and both velocities by default; None where there are none."""
        return self._default(("positions", "orientations", *_VELOCITIES), indices)

    def set_default_state(  # pyright: ignore[reportIncompatibleMethodOverride] - the original's
        self,
        positions: Array | None = None,
        orientations: Array | None = None,
        linear_velocities: Array | None = None,
        angular_velocities: Array | None = None,
        *,
        indices: Array | None = None,
    ) -> None:
        """Set poses and velocities by default; what is None stays."""
        super().set_default_state(positions, orientations, indices=indices)
        self._set_default("linear_velocities", linear_velocities, 3, indices)
        self._set_default("angular_velocities", angular_velocities, 3, indices)

    def reset_to_default_state(self, *, warn_on_non_default_state: bool = False) -> None:
        """Put the bodies where they are by default, at the velocities by default.

        Args:
            warn_on_non_default_state: Whether a warning says so where there is no default.
        """
        super().reset_to_default_state(warn_on_non_default_state=warn_on_non_default_state)
        moving, turning = (self._defaults.get(name) for name in _VELOCITIES)
        if moving is not None or turning is not None:
            self.set_velocities(moving, turning)
        else:
            self._no_default("velocities", warn_on_non_default_state)
