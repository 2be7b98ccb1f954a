"""WheeledRobot: robots some of whose joints are those of wheels."""

from __future__ import annotations

import numpy as np

from unibody.errors import InvalidArgumentError
from unibody.isaac_core import convert
from unibody.isaac_core.experimental import stage
from unibody.isaac_core.experimental.arguments import Array
from unibody.isaac_core.experimental.articulation import Articulation


class WheeledRobot(Articulation):
    """Robots on wheels.

    Args:
        paths: Of the robots; patterns match level by level.
        wheel_dof_names: Names of the joints of the wheels.
        wheel_dof_indices: Their numbers, where those are given they count.
        usd_path: File that is referred to at the path first.
        positions: (N, 3) in the world.
        orientations: (N, 4) in the world, w, x, y, z.

    Raises:
        InvalidArgumentError: No wheel was named, or a path has no prim.
    """

    def __init__(
        self,
        paths: str,
        *,
        wheel_dof_names: list[str] | None = None,
        wheel_dof_indices: list[int] | None = None,
        usd_path: str | None = None,
        positions: Array | None = None,
        orientations: Array | None = None,
    ) -> None:
        if wheel_dof_names is None and wheel_dof_indices is None:
            allowed = "names of joints, or their numbers as wheel_dof_indices"
            raise InvalidArgumentError("wheel_dof_names", None, allowed)
        if usd_path is not None:
            stage.add_reference_to_stage(usd_path=usd_path, path=paths)
        placed = positions is not None or orientations is not None
        super().__init__(
            paths,
            positions=positions,
            orientations=orientations,
            reset_xform_op_properties=placed,
        )
        self._wheel_dof_names = wheel_dof_names
        self._wheels = None if wheel_dof_indices is None else list(wheel_dof_indices)

    def apply_wheel_actions(self, velocities: Array) -> None:
        """Set the speeds that the wheels are driven to.

        Args:
            velocities: (wheels,) of the wheels, in the order they were named [rad/s].

        Raises:
            InvalidArgumentError: There are more or fewer than wheels.
        """
        wheels = self._resolve_wheel_dof_indices()
        wanted = np.asarray(convert.plain(velocities), np.float32)
        if len(wanted) != len(wheels):
            raise InvalidArgumentError("velocities", wanted.tolist(), f"{len(wheels)} speeds")
        self.set_dof_velocity_targets(wanted, dof_indices=wheels)

    def _resolve_wheel_dof_indices(self) -> list[int]:
        """Numbers of the joints of the wheels: looked for once."""
        if self._wheels is None:
            found = self.get_dof_indices(self._wheel_dof_names or [])
            self._wheels = [int(number) for number in found.numpy()]
        return self._wheels
