"""ArticulationView: many robots of one kind."""

from __future__ import annotations

from typing import Any

from unibody.isaac_core import arrays
from unibody.isaac_core.prims.articulation_bodies import ArticulationBodies
from unibody.isaac_core.prims.articulation_drives import ArticulationDrives
from unibody.isaac_core.prims.articulation_dynamics import ArticulationDynamics
from unibody.isaac_core.prims.articulation_joints import ArticulationJoints
from unibody.isaac_core.prims.articulation_settings import ArticulationSettings
from unibody.isaac_core.prims.xform_view import Array, XFormPrimView
from unibody.isaac_core.simulation.manager import simulation


class ArticulationView(
    ArticulationJoints,
    ArticulationDrives,
    ArticulationBodies,
    ArticulationDynamics,
    ArticulationSettings,
):
    """Articulations whose paths, or those above them, match patterns.

    Args:
        prim_paths_expr: A pattern, level by level, or several.
        name: By which a scene finds the view.
        positions: (M, 3) in the world.
        translations: (M, 3) to the parents, instead of positions.
        orientations: (M, 4) w, x, y, z.
        scales: (M, 3) to the parents.
        visibilities: (M,) whether they are seen.
        reset_xform_properties: Whether the prims get translate, orient and scale alone.
    """

    def __init__(
        self,
        prim_paths_expr: str | list[str],
        name: str = "articulation_prim_view",
        positions: Array = None,
        translations: Array = None,
        orientations: Array = None,
        scales: Array = None,
        visibilities: Array = None,
        reset_xform_properties: bool = True,
    ) -> None:
        self._build(
            prim_paths_expr, name, positions, translations, orientations, scales, visibilities,
            reset_xform_properties,
        )  # fmt: skip

    def _poses_of_physics(self) -> Any:
        return self._physics_view.get_root_transforms()

    def _set_poses_of_physics(self, poses: Any, which: Any) -> None:
        self._physics_view.set_root_transforms(poses, which)

    def get_velocities(self, indices: Array = None, clone: bool = True) -> Array:
        """(M, 6) linear [m/s] and angular [rad/s] velocities of the roots."""
        return self._read("get_root_velocities", indices, None, clone)

    def set_velocities(self, velocities: Array = None, indices: Array = None) -> None:
        """Set (M, 6) linear [m/s] and angular [rad/s] velocities of the roots."""
        self._write_columns("root_velocities", velocities, indices, slice(0, 6))

    def get_linear_velocities(self, indices: Array = None, clone: bool = True) -> Array:
        """(M, 3) linear velocities of the roots [m/s]."""
        return self._read("get_root_velocities", indices, slice(0, 3), clone)

    def set_linear_velocities(self, velocities: Array = None, indices: Array = None) -> None:
        """Set (M, 3) linear velocities of the roots [m/s]."""
        self._write_columns("root_velocities", velocities, indices, slice(0, 3))

    def get_angular_velocities(self, indices: Array = None, clone: bool = True) -> Array:
        """(M, 3) angular velocities of the roots [rad/s]."""
        return self._read("get_root_velocities", indices, slice(3, 6), clone)

    def set_angular_velocities(self, velocities: Array = None, indices: Array = None) -> None:
        """Set (M, 3) angular velocities of the roots [rad/s]."""
        self._write_columns("root_velocities", velocities, indices, slice(3, 6))

    def post_reset(self) -> None:
        """Go back to poses, joints and gains by default."""
        XFormPrimView.post_reset(self)
        state = self.get_joints_default_state()
        for new, setter in (
            (state.positions, self.set_joint_positions),
            (state.velocities, self.set_joint_velocities),
            (state.efforts, self.set_joint_efforts),
        ):
            if new is not None:
                setter(new)
        if self.is_physics_handle_valid():
            self._set_gains(self._default_kps, self._default_kds, None, self._dofs(None))

    def _begin(self) -> None:
        efforts = self.get_applied_joint_efforts()
        start = {
            "positions": self._read("get_dof_position_targets", None, None),
            "velocities": self._read("get_dof_velocity_targets", None, None),
            "efforts": arrays.out(simulation.backend_utils().to_numpy(efforts) * 0),
        }
        self._joint_state = {**start, **self._joint_state}
        self._default_kps, self._default_kds = self.get_gains()
