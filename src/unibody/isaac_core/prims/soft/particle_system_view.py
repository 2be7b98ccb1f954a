"""ParticleSystemView: what all particles of many systems have in common, on the stage."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from unibody.errors import InvalidArgumentError
from unibody.isaac_core import arrays
from unibody.isaac_core.attribute_view import Array, AttributeView, vector
from unibody.isaac_core.materials.particle_material import ParticleMaterial
from unibody.isaac_core.prims import materials


class ParticleSystemView(AttributeView):
    """Systems of particles.

    Args:
        prim_paths_expr: A pattern, level by level.
        name: By which a scene finds the view.
        particle_systems_enabled: Whether it is simulated, (M,).
        simulation_owners: Paths of scenes of the physics.
        contact_offsets: Distance to what is no particle at which contacts begin, (M,).
        rest_offsets: Distance to what is no particle at which contacts rest, (M,).
        particle_contact_offsets: Distance of particles at which contacts begin, (M,).
        solid_rest_offsets: Distance of particles of solids at which contacts rest, (M,).
        fluid_rest_offsets: Distance of particles of fluids at which contacts rest, (M,).
        enable_ccds: Whether contacts are looked for along the way, (M,).
        solver_position_iteration_counts: Iterations of PhysX's solver, (M,).
        max_depenetration_velocities: Largest speed by which contacts part, (M,).
        winds: Velocity of the air, (M, 3).
        max_neighborhoods: Most neighbours of a particle, (M,).
        max_velocities: Largest speed of a particle, (M,).
        global_self_collisions_enabled: Whether particles touch one another, (M,).
    """

    def __init__(
        self,
        prim_paths_expr: str,
        name: str = "particle_system_view",
        particle_systems_enabled: Array = None,
        simulation_owners: Sequence[str] | None = None,
        contact_offsets: Array = None,
        rest_offsets: Array = None,
        particle_contact_offsets: Array = None,
        solid_rest_offsets: Array = None,
        fluid_rest_offsets: Array = None,
        enable_ccds: Array = None,
        solver_position_iteration_counts: Array = None,
        max_depenetration_velocities: Array = None,
        winds: Array = None,
        max_neighborhoods: Array = None,
        max_velocities: Array = None,
        global_self_collisions_enabled: Array = None,
    ) -> None:
        super().__init__(prim_paths_expr, name)
        if simulation_owners is not None:
            self.set_simulation_owners(simulation_owners)
        self.set_particle_systems_enabled(particle_systems_enabled)
        self.set_contact_offsets(contact_offsets)
        self.set_rest_offsets(rest_offsets)
        self.set_particle_contact_offsets(particle_contact_offsets)
        self.set_solid_rest_offsets(solid_rest_offsets)
        self.set_fluid_rest_offsets(fluid_rest_offsets)
        self.set_enable_ccds(enable_ccds)
        self.set_solver_position_iteration_counts(solver_position_iteration_counts)
        self.set_max_depenetration_velocities(max_depenetration_velocities)
        self.set_winds(winds)
        self.set_max_neighborhoods(max_neighborhoods)
        self.set_max_velocities(max_velocities)
        self.set_global_self_collisions_enabled(global_self_collisions_enabled)

    def apply_particle_materials(
        self, particle_materials: ParticleMaterial | list[ParticleMaterial], indices: Array = None
    ) -> None:
        """Give particles a material, or those of each system their own.

        Raises:
            InvalidArgumentError: There are not as many materials as systems.
        """
        which = arrays.rows(indices, self.count)
        given = particle_materials
        chosen = given if isinstance(given, list) else [given] * len(which)
        if len(chosen) != len(which):
            raise InvalidArgumentError("particle_materials", len(chosen), f"{len(which)} of them")
        for i, material in zip(which, chosen, strict=True):
            materials.bind(self._prims[i], material.material, False, "physics")

    def get_applied_particle_materials(self, indices: Array = None) -> list[Any]:
        """The materials of particles; None for a system without one."""
        paths = [
            materials.bound(self._prims[i], "physics") for i in arrays.rows(indices, self.count)
        ]
        return [ParticleMaterial(path) if path else None for path in paths]

    def get_simulation_owners(self, indices: Array = None) -> Sequence[str]:
        """Paths of scenes of the physics; "" for a system without one."""
        found: list[str] = []
        for i in arrays.rows(indices, self.count):
            targets = self._prims[i].GetRelationship("simulationOwner").GetTargets()
            found.append(str(targets[0]) if targets else "")
        return found

    def set_simulation_owners(self, values: Sequence[str], indices: Array = None) -> None:
        """Set the scenes of the physics, by their paths."""
        which = arrays.rows(indices, self.count)
        for i, value in zip(which, values, strict=True):
            self._prims[i].GetRelationship("simulationOwner").SetTargets([value])

    def get_particle_systems_enabled(self, indices: Array = None) -> Array:
        """Whether it is simulated, (M,)."""
        return self._get("particleSystemEnabled", indices, "bool")

    def set_particle_systems_enabled(self, values: Array, indices: Array = None) -> None:
        """Set: whether it is simulated, (M,)."""
        self._set("particleSystemEnabled", values, indices, bool)

    def get_contact_offsets(self, indices: Array = None) -> Array:
        """Distance to what is no particle at which contacts begin, (M,)."""
        return self._get("contactOffset", indices)

    def set_contact_offsets(self, values: Array, indices: Array = None) -> None:
        """Set: distance to what is no particle at which contacts begin, (M,)."""
        self._set("contactOffset", values, indices)

    def get_rest_offsets(self, indices: Array = None) -> Array:
        """Distance to what is no particle at which contacts rest, (M,)."""
        return self._get("restOffset", indices)

    def set_rest_offsets(self, values: Array, indices: Array = None) -> None:
        """Set: distance to what is no particle at which contacts rest, (M,)."""
        self._set("restOffset", values, indices)

    def get_particle_contact_offsets(self, indices: Array = None, clone: bool = True) -> Array:
        """Distance of particles at which contacts begin, (M,); a copy in any case."""
        return self._get("particleContactOffset", indices)

    def set_particle_contact_offsets(self, values: Array, indices: Array = None) -> None:
        """Set: distance of particles at which contacts begin, (M,)."""
        self._set("particleContactOffset", values, indices)

    def get_solid_rest_offsets(self, indices: Array = None, clone: bool = True) -> Array:
        """Distance of particles of solids at which contacts rest, (M,); a copy in any case."""
        return self._get("solidRestOffset", indices)

    def set_solid_rest_offsets(self, values: Array, indices: Array = None) -> None:
        """Set: distance of particles of solids at which contacts rest, (M,)."""
        self._set("solidRestOffset", values, indices)

    def get_fluid_rest_offsets(self, indices: Array = None, clone: bool = True) -> Array:
        """Distance of particles of fluids at which contacts rest, (M,); a copy in any case."""
        return self._get("fluidRestOffset", indices)

    def set_fluid_rest_offsets(self, values: Array, indices: Array = None) -> None:
        """Set: distance of particles of fluids at which contacts rest, (M,)."""
        self._set("fluidRestOffset", values, indices)

    def get_enable_ccds(self, indices: Array = None) -> Array:
        """Whether contacts are looked for along the way, (M,)."""
        return self._get("enableCCD", indices, "bool")

    def set_enable_ccds(self, values: Array, indices: Array = None) -> None:
        """Set: whether contacts are looked for along the way, (M,)."""
        self._set("enableCCD", values, indices, bool)

    def get_solver_position_iteration_counts(self, indices: Array = None) -> Array:
        """Iterations of PhysX's solver, (M,)."""
        return self._get("solverPositionIterationCount", indices, "int32")

    def set_solver_position_iteration_counts(self, values: Array, indices: Array = None) -> None:
        """Set: iterations of PhysX's solver, (M,)."""
        self._set("solverPositionIterationCount", values, indices, int)

    def get_max_depenetration_velocities(self, indices: Array = None) -> Array:
        """Largest speed by which contacts part, (M,)."""
        return self._get("maxDepenetrationVelocity", indices)

    def set_max_depenetration_velocities(self, values: Array, indices: Array = None) -> None:
        """Set: largest speed by which contacts part, (M,)."""
        self._set("maxDepenetrationVelocity", values, indices)

    def get_winds(self, indices: Array = None, clone: bool = True) -> Array:
        """Velocity of the air, (M, 3); a copy in any case."""
        return self._get("wind", indices)

    def set_winds(self, values: Array, indices: Array = None) -> None:
        """Set: velocity of the air, (M, 3)."""
        self._set("wind", values, indices, vector)

    def get_max_neighborhoods(self, indices: Array = None) -> Array:
        """Most neighbours of a particle, (M,)."""
        return self._get("maxNeighborhood", indices, "int32")

    def set_max_neighborhoods(self, values: Array, indices: Array = None) -> None:
        """Set: most neighbours of a particle, (M,)."""
        self._set("maxNeighborhood", values, indices, int)

    def get_max_velocities(self, indices: Array = None) -> Array:
        """Largest speed of a particle, (M,)."""
        return self._get("maxVelocity", indices)

    def set_max_velocities(self, values: Array, indices: Array = None) -> None:
        """Set: largest speed of a particle, (M,)."""
        self._set("maxVelocity", values, indices)

    def get_global_self_collisions_enabled(self, indices: Array = None) -> Array:
        """Whether particles touch one another, (M,)."""
        return self._get("globalSelfCollisionEnabled", indices, "bool")

    def set_global_self_collisions_enabled(self, values: Array, indices: Array = None) -> None:
        """Set: whether particles touch one another, (M,)."""
        self._set("globalSelfCollisionEnabled", values, indices, bool)
