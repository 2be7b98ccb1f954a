"""ParticleMaterial: what the stage says of particles; cloth uses a part of it."""

from __future__ import annotations

import numpy as np

from unibody.errors import InvalidArgumentError
from unibody.isaac_core.attribute_object import AttributeObject
from unibody.isaac_core.materials.material import Material, found_or_defined
from unibody.isaac_core.schemas import physx_schema
from unibody.isaac_core.simulation.manager import simulation


class ParticleMaterial(AttributeObject, Material):
    """Attributes of a material of particles, as they stand on the stage.

    Args:
        prim_path: Where it is; it is made if it is not there.
        name: By which scenes find it.
        friction: Of particles with rigid bodies.
        particle_friction_scale: Of friction, between particles of solids.
        damping: Of velocities.
        viscosity: Of fluids.
        vorticity_confinement: Of fluids.
        surface_tension: Of fluids.
        cohesion: Of fluids.
        adhesion: Of particles with rigid bodies.
        particle_adhesion_scale: Of adhesion, between particles of solids.
        adhesion_offset_scale: Of the distance at which adhesion ends.
        gravity_scale: Of gravity.
        lift: Coefficient of cloth in air.
        drag: Coefficient of cloth in air.
    """

    def __init__(
        self,
        prim_path: str,
        name: str | None = "particle_material",
        friction: float | None = None,
        particle_friction_scale: float | None = None,
        damping: float | None = None,
        viscosity: float | None = None,
        vorticity_confinement: float | None = None,
        surface_tension: float | None = None,
        cohesion: float | None = None,
        adhesion: float | None = None,
        particle_adhesion_scale: float | None = None,
        adhesion_offset_scale: float | None = None,
        gravity_scale: float | None = None,
        lift: float | None = None,
        drag: float | None = None,
    ) -> None:
        super().__init__(prim_path, found_or_defined(prim_path))
        self._name = name
        physx_schema.PhysxPBDMaterialAPI.Apply(self._prim)
        given = {
            "friction": friction,
            "particleFrictionScale": particle_friction_scale,
            "damping": damping,
            "viscosity": viscosity,
            "vorticityConfinement": vorticity_confinement,
            "surfaceTension": surface_tension,
            "cohesion": cohesion,
            "adhesion": adhesion,
            "particleAdhesionScale": particle_adhesion_scale,
            "adhesionOffsetScale": adhesion_offset_scale,
            "gravityScale": gravity_scale,
            "lift": lift,
            "drag": drag,
        }
        for key, value in given.items():
            if value is not None:
                self._set(key, value)

    def get_friction(self) -> float:
        """Friction of particles with rigid bodies."""
        return self._get("friction")

    def set_friction(self, value: float) -> None:
        """Set the friction of particles with rigid bodies."""
        self._set("friction", value)

    def get_particle_friction_scale(self) -> float:
        """Scale of friction between particles of solids."""
        return self._get("particleFrictionScale")

    def set_particle_friction_scale(self, value: float) -> None:
        """Set the scale of friction between particles of solids."""
        self._set("particleFrictionScale", value)

    def get_damping(self) -> float:
        """Damping of velocities."""
        return self._get("damping")

    def set_damping(self, value: float) -> None:
        """Set the damping of velocities."""
        self._set("damping", value)

    def get_viscosity(self) -> float:
        """Viscosity of fluids."""
        return self._get("viscosity")

    def set_viscosity(self, value: float) -> None:
        """Set the viscosity of fluids."""
        self._set("viscosity", value)

    def get_vorticity_confinement(self) -> float:
        """Confinement of vortices in fluids."""
        return self._get("vorticityConfinement")

    def set_vorticity_confinement(self, value: float) -> None:
        """Set the confinement of vortices in fluids."""
        self._set("vorticityConfinement", value)

    def get_surface_tension(self) -> float:
        """Surface tension of fluids."""
        return self._get("surfaceTension")

    def set_surface_tension(self, value: float) -> None:
        """Set the surface tension of fluids."""
        self._set("surfaceTension", value)

    def get_cohesion(self) -> float:
        """Cohesion of fluids."""
        return self._get("cohesion")

    def set_cohesion(self, value: float) -> None:
        """Set the cohesion of fluids."""
        self._set("cohesion", value)

    def get_adhesion(self) -> float:
        """Adhesion to rigid bodies."""
        return self._get("adhesion")

    def set_adhesion(self, value: float) -> None:
        """Set the adhesion to rigid bodies."""
        self._set("adhesion", value)

    def get_particle_adhesion_scale(self) -> float:
        """Scale of adhesion between particles of solids."""
        return self._get("particleAdhesionScale")

    def set_particle_adhesion_scale(self, value: float) -> None:
        """Set the scale of adhesion between particles of solids."""
        self._set("particleAdhesionScale", value)

    def get_adhesion_offset_scale(self) -> float:
        """Scale of the distance at which adhesion ends."""
        return self._get("adhesionOffsetScale")

    def set_adhesion_offset_scale(self, value: float) -> None:
        """Set the scale of the distance at which adhesion ends."""
        self._set("adhesionOffsetScale", value)

    def get_gravity_scale(self) -> float:
        """Scale of gravity."""
        return self._get("gravityScale")

    def set_gravity_scale(self, value: float) -> None:
        """Set the scale of gravity."""
        self._set("gravityScale", value)

    def get_lift(self) -> float:
        """Coefficient of lift."""
        return self._get("lift")

    def set_lift(self, value: float) -> None:
        """Set the coefficient of lift."""
        self._set("lift", value)

    def get_drag(self) -> float:
        """Coefficient of drag."""
        return self._get("drag")

    def set_drag(self, value: float) -> None:
        """Set the coefficient of drag."""
        self._set("drag", value)

    def _get(self, name: str) -> float:
        value = self._prim.GetAttribute(f"physxPBDMaterial:{name}").Get()
        found = simulation.backend_utils().convert(value, device=simulation.device, dtype="float32")
        return found.item() if isinstance(found, np.ndarray) else found

    def _set(self, name: str, value: float) -> None:
        if name != "gravityScale" and not float(value) >= 0.0:
            raise InvalidArgumentError(name, value, "a number from 0")
        self._prim.GetAttribute(f"physxPBDMaterial:{name}").Set(float(value))
