"""DeformablePrimView: meshes that are deformable bodies."""

from __future__ import annotations

from typing import Any

import numpy as np
from pxr import Sdf, UsdGeom, UsdPhysics

from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.isaac_core import arrays, attribute_view
from unibody.isaac_core.prims import materials
from unibody.isaac_core.prims.soft.rows import each_of, rows_of_values, table_of
from unibody.isaac_core.prims.xform_view import Array, XFormPrimView
from unibody.isaac_core.schemas import physx_schema
from unibody.isaac_core.simulation import seam

_RESOLUTION = "physxDeformable:simulationHexahedralResolution"
_CORNERS = 4


class DeformablePrimView(XFormPrimView):
    """Closed meshes that are simulated as deformable bodies: tetrahedra of a lattice in each.

    Arrays have a row for each body; rows of fewer vertices or elements end in zeros.

    Args:
        prim_paths_expr: A pattern, level by level.
        deformable_materials: A ``DeformableMaterial`` for all, or one for each.
        name: By which a scene finds the view.
        reset_xform_properties: Whether the prims get translate, orient and scale alone.
        positions: (M, 3) in the world.
        translations: (M, 3) to the parents, instead of positions.
        orientations: (M, 4), of the kind of positions or translations.
        scales: (M, 3) to the parents.
        visibilities: (M,) whether they are seen.
        vertex_velocity_dampings: Damping of velocities [1/s], (M,).
        sleep_dampings: On the stage, without effect: bodies do not sleep, (M,).
        sleep_thresholds: On the stage, without effect: bodies do not sleep, (M,).
        settling_thresholds: On the stage, without effect: bodies do not sleep, (M,).
        self_collisions: Whether it touches itself, (M,).
        self_collision_filter_distances: On the stage, without effect, (M,).
        solver_position_iteration_counts: Of PhysX's solver: on the stage, without effect, (M,).
        simulation_hexahedral_resolutions: Cells of the lattice along the longest side, (M,).

    Raises:
        InvalidArgumentError: A prim is no mesh, or lists are not as long as there are prims.
    """

    def __init__(
        self,
        prim_paths_expr: str,
        deformable_materials: Array = None,
        name: str = "deformable_prim_view",
        reset_xform_properties: bool = True,
        positions: Array = None,
        translations: Array = None,
        orientations: Array = None,
        scales: Array = None,
        visibilities: Array = None,
        vertex_velocity_dampings: Array = None,
        sleep_dampings: Array = None,
        sleep_thresholds: Array = None,
        settling_thresholds: Array = None,
        self_collisions: Array = None,
        self_collision_filter_distances: Array = None,
        solver_position_iteration_counts: Array = None,
        simulation_hexahedral_resolutions: Array = None,
    ) -> None:
        super().__init__(
            prim_paths_expr,
            name,
            positions=positions,
            translations=translations,
            orientations=orientations,
            scales=scales,
            visibilities=visibilities,
            reset_xform_properties=reset_xform_properties,
        )
        for prim in self._prims:
            if not prim.IsA(UsdGeom.Mesh):
                raise InvalidArgumentError("prim_paths_expr", str(prim.GetPath()), "a mesh")
            physx_schema.PhysxDeformableBodyAPI.Apply(prim)
            UsdPhysics.MassAPI.Apply(prim)
            prim.CreateAttribute(_RESOLUTION, Sdf.ValueTypeNames.UInt)
        given = each_of("deformable_materials", deformable_materials, self.count)
        for prim, material in zip(self._prims, given, strict=False):
            materials.bind(prim, material.material, False, "physics")
        attribute_view.put(self._prims, _RESOLUTION, simulation_hexahedral_resolutions, None, int)
        self.set_vertex_velocity_dampings(vertex_velocity_dampings)
        self.set_sleep_dampings(sleep_dampings)
        self.set_sleep_thresholds(sleep_thresholds)
        self.set_settling_thresholds(settling_thresholds)
        self.set_self_collisions(self_collisions)
        self.set_self_collision_filter_distances(self_collision_filter_distances)
        self.set_solver_position_iteration_counts(solver_position_iteration_counts)

    def is_physics_handle_valid(self) -> bool:
        """Whether the bodies are simulated."""
        return all(seam.soft_of(path) is not None for path in self._prim_paths)

    def post_reset(self) -> None:
        """Put the prims where they are by default, and the vertices where they were at first."""
        super().post_reset()
        for path in self._prim_paths:
            if (soft := seam.soft_of(path)) is not None:
                soft.reset()

    @property
    def max_simulation_mesh_vertices_per_body(self) -> int:
        """The most vertices that a body of the view is simulated with."""
        return max(len(self._soft(i).positions) for i in range(self.count))

    @property
    def max_simulation_mesh_elements_per_body(self) -> int:
        """The most tetrahedra that a body of the view is simulated with."""
        return max(len(self._tetrahedra(i)) for i in range(self.count))

    def get_simulation_mesh_nodal_positions(
        self, indices: Array = None, clone: bool = True
    ) -> Array:
        """Of the vertices in the world, (M, vertices, 3); a copy in any case."""
        return self._table(indices, lambda i: self._soft(i).positions)

    def set_simulation_mesh_nodal_positions(self, positions: Array, indices: Array = None) -> None:
        """Put the vertices elsewhere, (M, vertices, 3) in the world."""
        for i, values in rows_of_values(positions, self._rows(indices)):
            self._soft(i).place(values[: len(self._soft(i).positions)])

    def get_simulation_mesh_nodal_velocities(
        self, indices: Array = None, clone: bool = True
    ) -> Array:
        """Of the vertices, (M, vertices, 3); a copy in any case."""
        return self._table(indices, lambda i: self._soft(i).velocities)

    def set_simulation_mesh_nodal_velocities(
        self, velocities: Array, indices: Array = None
    ) -> None:
        """Give the vertices velocities, (M, vertices, 3)."""
        for i, values in rows_of_values(velocities, self._rows(indices)):
            self._soft(i).move(values[: len(self._soft(i).positions)])

    def get_simulation_mesh_rest_points(self, indices: Array = None, clone: bool = True) -> Array:
        """Of the vertices in the world, when the stage was read; a copy in any case."""
        return self._table(indices, lambda i: self._soft(i).start)

    def get_simulation_mesh_indices(self, indices: Array = None, clone: bool = True) -> Array:
        """Corners of the tetrahedra, (M, elements, 4); a copy in any case."""
        return arrays.out(table_of([self._tetrahedra(i) for i in self._rows(indices)]), "int32")

    def get_vertex_velocity_dampings(self, indices: Array = None) -> Array:
        """Damping of velocities [1/s], (M,)."""
        return attribute_view.get(self._prims, "physxDeformable:vertexVelocityDamping", indices)

    def set_vertex_velocity_dampings(self, values: Array, indices: Array = None) -> None:
        """Set, (M,): damping of velocities [1/s]."""
        attribute_view.put(self._prims, "physxDeformable:vertexVelocityDamping", values, indices)

    def get_sleep_dampings(self, indices: Array = None) -> Array:
        """On the stage, without effect: bodies do not sleep, (M,)."""
        return attribute_view.get(self._prims, "physxDeformable:sleepDamping", indices)

    def set_sleep_dampings(self, values: Array, indices: Array = None) -> None:
        """Set, (M,): on the stage, without effect: bodies do not sleep."""
        attribute_view.put(self._prims, "physxDeformable:sleepDamping", values, indices)

    def get_sleep_thresholds(self, indices: Array = None) -> Array:
        """On the stage, without effect: bodies do not sleep, (M,)."""
        return attribute_view.get(self._prims, "physxDeformable:sleepThreshold", indices)

    def set_sleep_thresholds(self, values: Array, indices: Array = None) -> None:
        """Set, (M,): on the stage, without effect: bodies do not sleep."""
        attribute_view.put(self._prims, "physxDeformable:sleepThreshold", values, indices)

    def get_settling_thresholds(self, indices: Array = None) -> Array:
        """On the stage, without effect: bodies do not sleep, (M,)."""
        return attribute_view.get(self._prims, "physxDeformable:settlingThreshold", indices)

    def set_settling_thresholds(self, values: Array, indices: Array = None) -> None:
        """Set, (M,): on the stage, without effect: bodies do not sleep."""
        attribute_view.put(self._prims, "physxDeformable:settlingThreshold", values, indices)

    def get_self_collisions(self, indices: Array = None) -> Array:
        """Whether it touches itself, (M,)."""
        return attribute_view.get(self._prims, "physxDeformable:selfCollision", indices, "bool")

    def set_self_collisions(self, values: Array, indices: Array = None) -> None:
        """Set, (M,): whether it touches itself."""
        attribute_view.put(self._prims, "physxDeformable:selfCollision", values, indices, bool)

    def get_self_collision_filter_distances(self, indices: Array = None) -> Array:
        """On the stage, without effect, (M,)."""
        return attribute_view.get(
            self._prims, "physxDeformable:selfCollisionFilterDistance", indices
        )

    def set_self_collision_filter_distances(self, values: Array, indices: Array = None) -> None:
        """Set, (M,): on the stage, without effect."""
        attribute_view.put(
            self._prims, "physxDeformable:selfCollisionFilterDistance", values, indices
        )

    def get_solver_position_iteration_counts(self, indices: Array = None) -> Array:
        """Of PhysX's solver: on the stage, without effect, (M,)."""
        return attribute_view.get(
            self._prims, "physxDeformable:solverPositionIterationCount", indices, "int32"
        )

    def set_solver_position_iteration_counts(self, values: Array, indices: Array = None) -> None:
        """Set, (M,): of PhysX's solver: on the stage, without effect."""
        attribute_view.put(
            self._prims, "physxDeformable:solverPositionIterationCount", values, indices, int
        )

    def _soft(self, i: int) -> Any:
        soft = seam.soft_of(self._prim_paths[i])
        if soft is None:
            raise NotSupportedError(
                f"vertices of {self._prim_paths[i]} before the simulation plays", "World.reset()"
            )
        return soft

    def _tetrahedra(self, i: int) -> Any:
        return np.asarray(self._soft(i).found.soft.tables.tetrahedra.corners).reshape(-1, _CORNERS)

    def _table(self, indices: Array, of_body: Any) -> Array:
        return arrays.out(table_of([of_body(i) for i in self._rows(indices)]))
