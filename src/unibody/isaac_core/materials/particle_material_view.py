"""ParticleMaterialView: materials of particles."""

from __future__ import annotations

from unibody.isaac_core.attribute_view import Array, AttributeView
from unibody.isaac_core.schemas import physx_schema


class ParticleMaterialView(AttributeView):
    """Materials of particles.

    Args:
        prim_paths_expr: A pattern, level by level.
        name: By which a scene finds the view.
        frictions: Friction with rigid bodies, (M,).
        particle_friction_scales: Scale of friction between particles of solids, (M,).
        dampings: Damping of velocities, (M,).
        viscosities: Viscosity of fluids, (M,).
        vorticity_confinements: Confinement of vortices in fluids, (M,).
        surface_tensions: Surface tension of fluids, (M,).
        cohesions: Cohesion of fluids, (M,).
        adhesions: Adhesion to rigid bodies, (M,).
        particle_adhesion_scales: Scale of adhesion between particles of solids, (M,).
        adhesion_offset_scales: Scale of the distance at which adhesion ends, (M,).
        gravity_scales: Scale of gravity, (M,).
        lifts: Coefficient of lift, (M,).
        drags: Coefficient of drag, (M,).
    """

    _prefix = "physxPBDMaterial:"

    def __init__(
        self,
        prim_paths_expr: str,
        name: str = "particle_material_view",
        frictions: Array = None,
        particle_friction_scales: Array = None,
        dampings: Array = None,
        viscosities: Array = None,
        vorticity_confinements: Array = None,
        surface_tensions: Array = None,
        cohesions: Array = None,
        adhesions: Array = None,
        particle_adhesion_scales: Array = None,
        adhesion_offset_scales: Array = None,
        gravity_scales: Array = None,
        lifts: Array = None,
        drags: Array = None,
    ) -> None:
        super().__init__(prim_paths_expr, name)
        for prim in self._prims:
            physx_schema.PhysxPBDMaterialAPI.Apply(prim)
        self.set_frictions(frictions)
        self.set_particle_friction_scales(particle_friction_scales)
        self.set_dampings(dampings)
        self.set_viscosities(viscosities)
        self.set_vorticity_confinements(vorticity_confinements)
        self.set_surface_tensions(surface_tensions)
        self.set_cohesions(cohesions)
        self.set_adhesions(adhesions)
        self.set_particle_adhesion_scales(particle_adhesion_scales)
        self.set_adhesion_offset_scales(adhesion_offset_scales)
        self.set_gravity_scales(gravity_scales)
        self.set_lifts(lifts)
        self.set_drags(drags)

    def get_frictions(self, indices: Array = None, clone: bool = True) -> Array:
        """Friction with rigid bodies, (M,); a copy in any case."""
        return self._get("friction", indices)

    def set_frictions(self, values: Array, indices: Array = None) -> None:
        """Set: friction with rigid bodies, (M,)."""
        self._set("friction", values, indices)

    def get_particle_friction_scales(self, indices: Array = None, clone: bool = True) -> Array:
        """Scale of friction between particles of solids, (M,); a copy in any case."""
        return self._get("particleFrictionScale", indices)

    def set_particle_friction_scales(self, values: Array, indices: Array = None) -> None:
        """Set: scale of friction between particles of solids, (M,)."""
        self._set("particleFrictionScale", values, indices)

    def get_dampings(self, indices: Array = None, clone: bool = True) -> Array:
        """Damping of velocities, (M,); a copy in any case."""
        return self._get("damping", indices)

    def set_dampings(self, values: Array, indices: Array = None) -> None:
        """Set: damping of velocities, (M,)."""
        self._set("damping", values, indices)

    def get_viscosities(self, indices: Array = None, clone: bool = True) -> Array:
        """Viscosity of fluids, (M,); a copy in any case."""
        return self._get("viscosity", indices)

    def set_viscosities(self, values: Array, indices: Array = None) -> None:
        """Set: viscosity of fluids, (M,)."""
        self._set("viscosity", values, indices)

    def get_vorticity_confinements(self, indices: Array = None, clone: bool = True) -> Array:
        """Confinement of vortices in fluids, (M,); a copy in any case."""
        return self._get("vorticityConfinement", indices)

    def set_vorticity_confinements(self, values: Array, indices: Array = None) -> None:
        """Set: confinement of vortices in fluids, (M,)."""
        self._set("vorticityConfinement", values, indices)

    def get_surface_tensions(self, indices: Array = None, clone: bool = True) -> Array:
        """Surface tension of fluids, (M,); a copy in any case."""
        return self._get("surfaceTension", indices)

    def set_surface_tensions(self, values: Array, indices: Array = None) -> None:
        """Set: surface tension of fluids, (M,)."""
        self._set("surfaceTension", values, indices)

    def get_cohesions(self, indices: Array = None, clone: bool = True) -> Array:
        """Cohesion of fluids, (M,); a copy in any case."""
        return self._get("cohesion", indices)

    def set_cohesions(self, values: Array, indices: Array = None) -> None:
        """Set: cohesion of fluids, (M,)."""
        self._set("cohesion", values, indices)

    def get_adhesions(self, indices: Array = None, clone: bool = True) -> Array:
        """Adhesion to rigid bodies, (M,); a copy in any case."""
        return self._get("adhesion", indices)

    def set_adhesions(self, values: Array, indices: Array = None) -> None:
        """Set: adhesion to rigid bodies, (M,)."""
        self._set("adhesion", values, indices)

    def get_particle_adhesion_scales(self, indices: Array = None, clone: bool = True) -> Array:
        """Scale of adhesion between particles of solids, (M,); a copy in any case."""
        return self._get("particleAdhesionScale", indices)

    def set_particle_adhesion_scales(self, values: Array, indices: Array = None) -> None:
        """Set: scale of adhesion between particles of solids, (M,)."""
        self._set("particleAdhesionScale", values, indices)

    def get_adhesion_offset_scales(self, indices: Array = None, clone: bool = True) -> Array:
        """Scale of the distance at which adhesion ends, (M,); a copy in any case."""
        return self._get("adhesionOffsetScale", indices)

    def set_adhesion_offset_scales(self, values: Array, indices: Array = None) -> None:
        """Set: scale of the distance at which adhesion ends, (M,)."""
        self._set("adhesionOffsetScale", values, indices)

    def get_gravity_scales(self, indices: Array = None, clone: bool = True) -> Array:
        """Scale of gravity, (M,); a copy in any case."""
        return self._get("gravityScale", indices)

    def set_gravity_scales(self, values: Array, indices: Array = None) -> None:
        """Set: scale of gravity, (M,)."""
        self._set("gravityScale", values, indices)

    def get_lifts(self, indices: Array = None, clone: bool = True) -> Array:
        """Coefficient of lift, (M,); a copy in any case."""
        return self._get("lift", indices)

    def set_lifts(self, values: Array, indices: Array = None) -> None:
        """Set: coefficient of lift, (M,)."""
        self._set("lift", values, indices)

    def get_drags(self, indices: Array = None, clone: bool = True) -> Array:
        """Coefficient of drag, (M,); a copy in any case."""
        return self._get("drag", indices)

    def set_drags(self, values: Array, indices: Array = None) -> None:
        """Set: coefficient of drag, (M,)."""
        self._set("drag", values, indices)
