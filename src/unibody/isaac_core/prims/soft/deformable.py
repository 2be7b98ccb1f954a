"""DeformablePrim: a mesh that is a deformable body."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pxr import UsdGeom

from unibody.isaac_core.materials.deformable_material import DeformableMaterial
from unibody.isaac_core.prims.soft.deformable_view import DeformablePrimView
from unibody.isaac_core.prims.xform import XFormPrim, first, row, rows_of


class DeformablePrim(XFormPrim):
    """A closed mesh of the stage, simulated as a deformable body.

    Args:
        prim_path: Where the mesh is.
        deformable_material: What it is made of.
        name: By which a scene finds it.
        position: In the world.
        orientation: w, x, y, z.
        scale: To the parent.
        visible: Whether it is seen.
        vertex_velocity_damping: Damping of velocities [1/s].
        sleep_damping: On the stage, without effect: bodies do not sleep.
        sleep_threshold: On the stage, without effect: bodies do not sleep.
        settling_threshold: On the stage, without effect: bodies do not sleep.
        self_collision: Whether it touches itself.
        self_collision_filter_distance: On the stage, without effect.
        solver_position_iteration_count: Of PhysX's solver: on the stage, without effect.
        simulation_hexahedral_resolution: Cells of its lattice along its longest side.
    """

    _kind = "Mesh"

    def __init__(
        self,
        prim_path: str,
        deformable_material: DeformableMaterial | None = None,
        name: str | None = "deformable",
        position: Sequence[float] | None = None,
        orientation: Sequence[float] | None = None,
        scale: Sequence[float] | None = None,
        visible: bool | None = None,
        vertex_velocity_damping: float | None = None,
        sleep_damping: float | None = None,
        sleep_threshold: float | None = None,
        settling_threshold: float | None = None,
        self_collision: bool | None = None,
        self_collision_filter_distance: float | None = None,
        solver_position_iteration_count: int | None = None,
        simulation_hexahedral_resolution: int | None = 10,
    ) -> None:
        self._define(prim_path)
        self._deformable_view = DeformablePrimView(
            prim_path,
            deformable_material,
            f"{name}_view",
            **rows_of(
                positions=position,
                orientations=orientation,
                scales=scale,
                visibilities=visible,
                vertex_velocity_dampings=vertex_velocity_damping,
                sleep_dampings=sleep_damping,
                sleep_thresholds=sleep_threshold,
                settling_thresholds=settling_threshold,
                self_collisions=self_collision,
                self_collision_filter_distances=self_collision_filter_distance,
                solver_position_iteration_counts=solver_position_iteration_count,
                simulation_hexahedral_resolutions=simulation_hexahedral_resolution,
            ),
        )
        self._view_of(self._deformable_view, name or "")

    @property
    def mesh(self) -> UsdGeom.Mesh:
        """The mesh."""
        return UsdGeom.Mesh(self._prim)

    def get_simulation_mesh_nodal_positions(self) -> Any:
        """Of its vertices in the world, (vertices, 3)."""
        return first(self._deformable_view.get_simulation_mesh_nodal_positions())

    def set_simulation_mesh_nodal_positions(self, positions: Any) -> None:
        """Put its vertices elsewhere, (vertices, 3) in the world."""
        self._deformable_view.set_simulation_mesh_nodal_positions(row(positions))

    def get_simulation_mesh_nodal_velocities(self) -> Any:
        """Of its vertices, (vertices, 3)."""
        return first(self._deformable_view.get_simulation_mesh_nodal_velocities())

    def set_simulation_mesh_nodal_velocities(self, velocities: Any) -> None:
        """Give its vertices velocities, (vertices, 3)."""
        self._deformable_view.set_simulation_mesh_nodal_velocities(row(velocities))

    def get_vertex_velocity_damping(self) -> float:
        """Damping of velocities [1/s]."""
        return float(first(self._deformable_view.get_vertex_velocity_dampings()))

    def set_vertex_velocity_damping(self, value: float) -> None:
        """Set: damping of velocities [1/s]."""
        self._deformable_view.set_vertex_velocity_dampings([value])

    def get_sleep_damping(self) -> float:
        """On the stage, without effect: bodies do not sleep."""
        return float(first(self._deformable_view.get_sleep_dampings()))

    def set_sleep_damping(self, value: float) -> None:
        """Set: on the stage, without effect: bodies do not sleep."""
        self._deformable_view.set_sleep_dampings([value])

    def get_sleep_threshold(self) -> float:
        """On the stage, without effect: bodies do not sleep."""
        return float(first(self._deformable_view.get_sleep_thresholds()))

    def set_sleep_threshold(self, value: float) -> None:
        """Set: on the stage, without effect: bodies do not sleep."""
        self._deformable_view.set_sleep_thresholds([value])

    def get_settling_threshold(self) -> float:
        """On the stage, without effect: bodies do not sleep."""
        return float(first(self._deformable_view.get_settling_thresholds()))

    def set_settling_threshold(self, value: float) -> None:
        """Set: on the stage, without effect: bodies do not sleep."""
        self._deformable_view.set_settling_thresholds([value])

    def get_self_collision(self) -> bool:
        """Whether it touches itself."""
        return bool(first(self._deformable_view.get_self_collisions()))

    def set_self_collision(self, value: bool) -> None:
        """Set: whether it touches itself."""
        self._deformable_view.set_self_collisions([value])

    def get_self_collision_filter_distance(self) -> float:
        """On the stage, without effect."""
        return float(first(self._deformable_view.get_self_collision_filter_distances()))

    def set_self_collision_filter_distance(self, value: float) -> None:
        """Set: on the stage, without effect."""
        self._deformable_view.set_self_collision_filter_distances([value])

    def get_solver_position_iteration_count(self) -> int:
        """Of PhysX's solver: on the stage, without effect."""
        return int(first(self._deformable_view.get_solver_position_iteration_counts()))

    def set_solver_position_iteration_count(self, value: int) -> None:
        """Set: of PhysX's solver: on the stage, without effect."""
        self._deformable_view.set_solver_position_iteration_counts([value])
