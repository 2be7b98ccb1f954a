"""ClothPrimView: meshes that are cloth of particles."""

from __future__ import annotations

from typing import Any

import numpy as np
from pxr import Gf, UsdGeom, UsdPhysics, Vt

from unibody.errors import InvalidArgumentError
from unibody.isaac_core import arrays, attribute_view
from unibody.isaac_core.prims import materials
from unibody.isaac_core.prims.soft.rows import each_of, rows_of_values, table_of
from unibody.isaac_core.prims.xform_view import Array, XFormPrimView
from unibody.isaac_core.schemas import physx_schema
from unibody.isaac_core.simulation import seam

_MASS = 0.01  # kg, of a particle
_AUTO = "physxAutoParticleCloth:spring"


class ClothPrimView(XFormPrimView):
    """Meshes that are simulated as cloth: springs between their points, which are particles.

    Arrays have a row for each cloth; rows of fewer particles or springs end in zeros.

    Args:
        prim_paths_expr: A pattern, level by level.
        particle_systems: A ``ParticleSystem`` for all, or one for each.
        particle_materials: A ``ParticleMaterial`` for all, or one for each.
        name: By which a scene finds the view.
        reset_xform_properties: Whether the prims get translate, orient and scale alone.
        positions: (M, 3) in the world.
        translations: (M, 3) to the parents, instead of positions.
        orientations: (M, 4), of the kind of positions or translations.
        scales: (M, 3) to the parents.
        visibilities: (M,) whether they are seen.
        particle_masses: (M,), or (M, max_particles_per_cloth).
        pressures: (M,) of closed cloths: on the stage, without effect.
        particle_groups: (M,) on the stage, without effect.
        self_collisions: (M,) whether a cloth touches itself.
        self_collision_filters: (M,) whether what is near at rest does not: it never does.
        stretch_stiffnesses: (M,) of springs along edges.
        bend_stiffnesses: (M,) of springs two edges long.
        shear_stiffnesses: (M,) of springs across edges.
        spring_dampings: (M,) of all springs.

    Raises:
        InvalidArgumentError: A prim is no mesh, or lists are not as long as there are prims.
    """

    def __init__(
        self,
        prim_paths_expr: str,
        particle_systems: Array = None,
        particle_materials: Array = None,
        name: str = "cloth_prim_view",
        reset_xform_properties: bool = True,
        positions: Array = None,
        translations: Array = None,
        orientations: Array = None,
        scales: Array = None,
        visibilities: Array = None,
        particle_masses: Array = None,
        pressures: Array = None,
        particle_groups: Array = None,
        self_collisions: Array = None,
        self_collision_filters: Array = None,
        stretch_stiffnesses: Array = None,
        bend_stiffnesses: Array = None,
        shear_stiffnesses: Array = None,
        spring_dampings: Array = None,
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
            physx_schema.PhysxParticleClothAPI.Apply(prim)
            physx_schema.PhysxAutoParticleClothAPI.Apply(prim)
            UsdPhysics.MassAPI.Apply(prim)
        self._join(particle_systems, particle_materials)
        if particle_masses is None:
            fresh = [not prim.GetAttribute("physics:mass").Get() for prim in self._prims]
            which = np.flatnonzero(fresh)
            if which.size:
                self.set_particle_masses(np.full(which.size, _MASS), which)
        else:
            self.set_particle_masses(particle_masses)
        self.set_pressures(pressures)
        self.set_particle_groups(particle_groups)
        self.set_self_collisions(self_collisions)
        self.set_self_collision_filters(self_collision_filters)
        self.set_cloths_stretch_stiffnesses(stretch_stiffnesses)
        self.set_cloths_bend_stiffnesses(bend_stiffnesses)
        self.set_cloths_shear_stiffnesses(shear_stiffnesses)
        self.set_cloths_dampings(spring_dampings)

    def _join(self, systems: Any, given: Any) -> None:
        for i, system in enumerate(each_of("particle_systems", systems, self.count)):
            relation = self._prims[i].GetRelationship("physxParticle:particleSystem")
            relation.SetTargets([system.prim_path])
        for i, material in enumerate(each_of("particle_materials", given, self.count)):
            materials.bind(self._prims[i], material.material, False, "physics")

    @property
    def max_particles_per_cloth(self) -> int:
        """The most particles that a cloth of the view has."""
        return max(len(_points(prim)) for prim in self._prims)

    @property
    def max_springs_per_cloth(self) -> int:
        """The most springs that a cloth of the view has."""
        return max(len(self._springs(i).corners) for i in range(self.count))

    def is_physics_handle_valid(self) -> bool:
        """Whether the cloths are simulated."""
        return all(self._soft(i) is not None for i in range(self.count))

    def post_reset(self) -> None:
        """Put the prims where they are by default, and the particles where they were at first."""
        super().post_reset()
        seam.flush([])
        for i in range(self.count):
            if (soft := self._soft(i)) is not None:
                soft.reset()

    # --- particles -----------------------------------------------------------------------------

    def get_world_positions(self, indices: Array = None, clone: bool = True) -> Array:
        """Of the particles in the world, (M, max_particles_per_cloth, 3); a copy in any case."""
        return self._table(indices, self._positions)

    def set_world_positions(self, positions: Array, indices: Array = None) -> None:
        """Put the particles elsewhere, (M, max_particles_per_cloth, 3) in the world."""
        for i, values in self._rows_of(positions, indices):
            soft, count = self._soft(i), len(_points(self._prims[i]))
            if soft is not None:
                soft.place(values[:count])
                continue
            matrix = UsdGeom.XformCache().GetLocalToWorldTransform(self._prims[i]).GetInverse()
            local = [Gf.Vec3f(matrix.Transform(Gf.Vec3d(*x))) for x in values[:count].tolist()]
            UsdGeom.Mesh(self._prims[i]).GetPointsAttr().Set(Vt.Vec3fArray(local))

    def get_velocities(self, indices: Array = None, clone: bool = True) -> Array:
        """Of the particles, (M, max_particles_per_cloth, 3); a copy in any case."""
        return self._table(indices, self._velocities)

    def set_velocities(self, velocities: Array, indices: Array = None) -> None:
        """Give the particles velocities, (M, max_particles_per_cloth, 3)."""
        for i, values in self._rows_of(velocities, indices):
            soft, count = self._soft(i), len(_points(self._prims[i]))
            if soft is not None:
                soft.move(values[:count])
            else:
                given = Vt.Vec3fArray([Gf.Vec3f(*x) for x in values[:count].tolist()])
                UsdGeom.Mesh(self._prims[i]).GetVelocitiesAttr().Set(given)

    def get_particle_masses(self, indices: Array = None, clone: bool = True) -> Array:
        """Of the particles, (M, max_particles_per_cloth); a copy in any case."""
        return self._table(indices, self._masses)

    def set_particle_masses(self, masses: Array, indices: Array = None) -> None:
        """Give the particles masses, (M, max_particles_per_cloth), or each cloth's one mass, (M,).

        The stage holds the mass of all; while it plays the particles have each their own.
        """
        for i, values in self._rows_of(masses, indices):
            count = len(_points(self._prims[i]))
            each = np.broadcast_to(values.reshape(-1), count) if values.size == 1 else values
            each = np.asarray(each).reshape(-1)[:count]
            self._prims[i].GetAttribute("physics:mass").Set(float(each.sum()))
            if (soft := self._soft(i)) is not None:
                soft.weigh(each)

    # --- springs -------------------------------------------------------------------------------

    def get_stretch_stiffnesses(self, indices: Array = None, clone: bool = True) -> Array:
        """Of each spring, (M, max_springs_per_cloth); a copy in any case."""
        return self._table(indices, lambda i: self._springs(i).stiffness)

    def set_stretch_stiffnesses(self, stiffness: Array, indices: Array = None) -> None:
        """Set the stiffness of each spring, (M, max_springs_per_cloth)."""
        self._put_springs("springStiffnesses", stiffness, indices)

    def get_spring_dampings(self, indices: Array = None, clone: bool = True) -> Array:
        """Of each spring, (M, max_springs_per_cloth); a copy in any case."""
        return self._table(indices, lambda i: self._springs(i).damping)

    def set_spring_dampings(self, damping: Array, indices: Array = None) -> None:
        """Set the damping of each spring, (M, max_springs_per_cloth)."""
        self._put_springs("springDampings", damping, indices)

    def get_cloths_stretch_stiffnesses(self, indices: Array = None, clone: bool = True) -> Array:
        """Stiffness of springs along edges, as the stage states it, (M,); a copy in any case."""
        return attribute_view.get(self._prims, f"{_AUTO}StretchStiffness", indices)

    def set_cloths_stretch_stiffnesses(self, values: Array, indices: Array = None) -> None:
        """Set the stiffness of springs along edges, (M,), in place of single ones'."""
        self._put_auto("StretchStiffness", "springStiffnesses", values, indices)

    def get_cloths_bend_stiffnesses(self, indices: Array = None, clone: bool = True) -> Array:
        """Stiffness of springs two edges long, as the stage states it, (M,); a copy in any case."""
        return attribute_view.get(self._prims, f"{_AUTO}BendStiffness", indices)

    def set_cloths_bend_stiffnesses(self, values: Array, indices: Array = None) -> None:
        """Set the stiffness of springs two edges long, (M,), in place of single ones'."""
        self._put_auto("BendStiffness", "springStiffnesses", values, indices)

    def get_cloths_shear_stiffnesses(self, indices: Array = None, clone: bool = True) -> Array:
        """Stiffness of springs across edges, as the stage states it, (M,); a copy in any case."""
        return attribute_view.get(self._prims, f"{_AUTO}ShearStiffness", indices)

    def set_cloths_shear_stiffnesses(self, values: Array, indices: Array = None) -> None:
        """Set the stiffness of springs across edges, (M,), in place of single ones'."""
        self._put_auto("ShearStiffness", "springStiffnesses", values, indices)

    def get_cloths_dampings(self, indices: Array = None, clone: bool = True) -> Array:
        """Damping of all springs, as the stage states it, (M,); a copy in any case."""
        return attribute_view.get(self._prims, f"{_AUTO}Damping", indices)

    def set_cloths_dampings(self, values: Array, indices: Array = None) -> None:
        """Set the damping of all springs, (M,), in place of single ones'."""
        self._put_auto("Damping", "springDampings", values, indices)

    # --- other attributes ----------------------------------------------------------------------

    def get_pressures(self, indices: Array = None, clone: bool = True) -> Array:
        """Pressure in closed cloths: without effect, (M,); a copy in any case."""
        return attribute_view.get(self._prims, "physxParticle:pressure", indices)

    def set_pressures(self, pressures: Array, indices: Array = None) -> None:
        """Set: pressure in closed cloths: without effect, (M,)."""
        attribute_view.put(self._prims, "physxParticle:pressure", pressures, indices)

    def get_particle_groups(self, indices: Array = None, clone: bool = True) -> Array:
        """Group of particles: without effect, (M,); a copy in any case."""
        return attribute_view.get(self._prims, "physxParticle:particleGroup", indices, "int32")

    def set_particle_groups(self, particle_groups: Array, indices: Array = None) -> None:
        """Set: group of particles: without effect, (M,)."""
        attribute_view.put(
            self._prims, "physxParticle:particleGroup", particle_groups, indices, int
        )

    def get_self_collisions(self, indices: Array = None, clone: bool = True) -> Array:
        """Whether a cloth touches itself, (M,); a copy in any case."""
        return attribute_view.get(self._prims, "physxParticle:selfCollision", indices, "bool")

    def set_self_collisions(self, self_collisions: Array, indices: Array = None) -> None:
        """Set: whether a cloth touches itself, (M,)."""
        attribute_view.put(
            self._prims, "physxParticle:selfCollision", self_collisions, indices, bool
        )

    def get_self_collision_filters(self, indices: Array = None, clone: bool = True) -> Array:
        """Whether what is near at rest does not touch, (M,); a copy in any case."""
        return attribute_view.get(self._prims, "physxParticle:selfCollisionFilter", indices, "bool")

    def set_self_collision_filters(
        self, self_collision_filters: Array, indices: Array = None
    ) -> None:
        """Set: whether what is near at rest does not touch, (M,)."""
        attribute_view.put(
            self._prims, "physxParticle:selfCollisionFilter", self_collision_filters, indices, bool
        )

    # --- rows ----------------------------------------------------------------------------------

    def _soft(self, i: int) -> Any:
        """What simulates a cloth; None while nothing does."""
        return seam.soft_of(self._prim_paths[i])

    def _positions(self, i: int) -> Any:
        soft = self._soft(i)
        if soft is not None:
            return soft.positions
        matrix = np.array(UsdGeom.XformCache().GetLocalToWorldTransform(self._prims[i]))
        return _points(self._prims[i]) @ matrix[:3, :3] + matrix[3, :3]

    def _velocities(self, i: int) -> Any:
        soft = self._soft(i)
        if soft is not None:
            return soft.velocities
        stated = UsdGeom.Mesh(self._prims[i]).GetVelocitiesAttr().Get()
        points = _points(self._prims[i])
        return np.zeros_like(points) if stated is None else np.array(stated, np.float64)

    def _masses(self, i: int) -> Any:
        soft = self._soft(i)
        if soft is not None:
            return soft.found.soft.tables.masses
        count = len(_points(self._prims[i]))
        return np.full(count, self._prims[i].GetAttribute("physics:mass").Get() / count)

    def _springs(self, i: int) -> Any:
        soft = self._soft(i)
        return seam.springs_of(self._prims[i]) if soft is None else soft.found.soft.tables.springs

    def _table(self, indices: Array, of_cloth: Any) -> Array:
        return arrays.out(table_of([of_cloth(i) for i in self._rows(indices)]))

    def _rows_of(self, values: Any, indices: Array) -> Any:
        return rows_of_values(values, self._rows(indices))

    def _put_springs(self, name: str, values: Any, indices: Array) -> None:
        for i, numbers in self._rows_of(values, indices):
            count = len(self._springs(i).corners)
            attribute = self._prims[i].GetAttribute(f"physxParticle:{name}")
            attribute.Set(Vt.FloatArray(np.asarray(numbers).reshape(-1)[:count].tolist()))

    def _put_auto(self, name: str, listed: str, values: Any, indices: Array) -> None:
        if values is None:
            return
        for i in self._rows(indices):
            self._prims[i].GetAttribute(f"physxParticle:{listed}").Clear()
        attribute_view.put(self._prims, f"{_AUTO}{name}", values, indices)


def _points(prim: Any) -> Any:
    found = UsdGeom.Mesh(prim).GetPointsAttr().Get()
    return np.array(found if found is not None else [], np.float64).reshape(-1, 3)
