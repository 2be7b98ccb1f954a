"""ParticleSystem: what all particles of a system have in common, on the stage."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pxr import Gf, Sdf, Usd, UsdPhysics

from unibody.isaac_core import handles
from unibody.isaac_core.attribute_object import AttributeObject
from unibody.isaac_core.materials.particle_material import ParticleMaterial
from unibody.isaac_core.prims import materials
from unibody.isaac_core.schemas import physx_schema


class ParticleSystem(AttributeObject):
    """A system of particles, as it stands on the stage; cloth takes from it how near it rests.

    Args:
        prim_path: Where it is; it is made if it is not there.
        name: By which scenes find it.
        particle_system_enabled: Whether it is simulated.
        simulation_owner: Path of the scene of the physics.
        contact_offset: Distance to what is no particle at which contacts begin.
        rest_offset: Distance to what is no particle at which contacts rest.
        particle_contact_offset: Distance of particles at which contacts begin.
        solid_rest_offset: Distance of particles of solids at which contacts rest.
        fluid_rest_offset: Distance of particles of fluids at which contacts rest.
        enable_ccd: Whether contacts are looked for along the way.
        solver_position_iteration_count: Iterations of PhysX's solver.
        max_depenetration_velocity: Largest speed by which contacts part.
        wind: Velocity of the air.
        max_neighborhood: Most neighbours of a particle.
        max_velocity: Largest speed of a particle.
        global_self_collision_enabled: Whether particles touch one another.
        non_particle_collision_enabled: Whether particles touch what is none.
    """

    def __init__(
        self,
        prim_path: str,
        name: str | None = "particle_system",
        particle_system_enabled: bool | None = None,
        simulation_owner: str | None = None,
        contact_offset: float | None = None,
        rest_offset: float | None = None,
        particle_contact_offset: float | None = None,
        solid_rest_offset: float | None = None,
        fluid_rest_offset: float | None = None,
        enable_ccd: bool | None = None,
        solver_position_iteration_count: int | None = None,
        max_depenetration_velocity: float | None = None,
        wind: Sequence[float] | None = None,
        max_neighborhood: int | None = None,
        max_velocity: float | None = None,
        global_self_collision_enabled: bool | None = None,
        non_particle_collision_enabled: bool | None = None,
    ) -> None:
        stage = handles.current_stage()
        prim = stage.GetPrimAtPath(prim_path)
        kind = physx_schema.PhysxParticleSystem
        self._system = kind(prim) if prim else kind.Define(stage, prim_path)
        self._prim_path, self._prim, self._name = prim_path, self._system.GetPrim(), name
        owner = simulation_owner
        if owner is None and (found := handles.physics_scene(stage)):
            owner = str(found.GetPath())
        if owner is not None:
            self.set_simulation_owner(owner)
        given = {
            "particleSystemEnabled": particle_system_enabled,
            "contactOffset": contact_offset,
            "restOffset": rest_offset,
            "particleContactOffset": particle_contact_offset,
            "solidRestOffset": solid_rest_offset,
            "fluidRestOffset": fluid_rest_offset,
            "enableCCD": enable_ccd,
            "solverPositionIterationCount": solver_position_iteration_count,
            "maxDepenetrationVelocity": max_depenetration_velocity,
            "wind": wind,
            "maxNeighborhood": max_neighborhood,
            "maxVelocity": max_velocity,
            "globalSelfCollisionEnabled": global_self_collision_enabled,
            "nonParticleCollisionEnabled": non_particle_collision_enabled,
        }
        for key, value in given.items():
            if value is not None:
                self._set(key, Gf.Vec3f(*map(float, value)) if key == "wind" else value)

    @property
    def prim_path(self) -> str:
        """Where it is."""
        return self._prim_path

    @property
    def prim(self) -> Usd.Prim:
        """Its prim."""
        return self._prim

    @property
    def particle_system(self) -> Any:
        """It, as a schema of PhysX."""
        return self._system

    def apply_particle_material(self, particle_materials: ParticleMaterial) -> None:
        """Give its particles a material."""
        materials.bind(self._prim, particle_materials.material, False, "physics")

    def get_applied_particle_material(self) -> ParticleMaterial | None:
        """The material of its particles; None without one."""
        path = materials.bound(self._prim, "physics")
        return ParticleMaterial(path) if path else None

    def apply_particle_anisotropy(self) -> Any:
        """Apply the schema of stretched particles to the prim: one of pictures."""
        return physx_schema.PhysxParticleAnisotropyAPI.Apply(self._prim)

    def apply_particle_isotropy(self) -> Any:
        """Apply the schema of surfaces around particles to the prim: one of pictures."""
        return physx_schema.PhysxParticleIsosurfaceAPI.Apply(self._prim)

    def apply_particle_smoothing(self) -> Any:
        """Apply the schema of smoothed particles to the prim: one of pictures."""
        return physx_schema.PhysxParticleSmoothingAPI.Apply(self._prim)

    def get_simulation_owner(self) -> Usd.Prim:
        """The prim of the scene of the physics; None without one."""
        targets = self._system.GetSimulationOwnerRel().GetTargets()
        return self._prim.GetStage().GetPrimAtPath(targets[0]) if targets else None

    def set_simulation_owner(self, value: str) -> None:
        """Set the scene of the physics, by its path."""
        scene = UsdPhysics.Scene.Get(self._prim.GetStage(), value)
        path = scene.GetPath() if scene else Sdf.Path(value)
        self._system.GetSimulationOwnerRel().SetTargets([path])

    def get_particle_system_enabled(self) -> bool:
        """Whether it is simulated."""
        return bool(self._get("particleSystemEnabled"))

    def set_particle_system_enabled(self, value: bool) -> None:
        """Set: whether it is simulated."""
        self._set("particleSystemEnabled", bool(value))

    def get_contact_offset(self) -> float:
        """Distance to what is no particle at which contacts begin."""
        return float(self._get("contactOffset"))

    def set_contact_offset(self, value: float) -> None:
        """Set: distance to what is no particle at which contacts begin."""
        self._set("contactOffset", float(value))

    def get_rest_offset(self) -> float:
        """Distance to what is no particle at which contacts rest."""
        return float(self._get("restOffset"))

    def set_rest_offset(self, value: float) -> None:
        """Set: distance to what is no particle at which contacts rest."""
        self._set("restOffset", float(value))

    def get_particle_contact_offset(self) -> float:
        """Distance of particles at which contacts begin."""
        return float(self._get("particleContactOffset"))

    def set_particle_contact_offset(self, value: float) -> None:
        """Set: distance of particles at which contacts begin."""
        self._set("particleContactOffset", float(value))

    def get_solid_rest_offset(self) -> float:
        """Distance of particles of solids at which contacts rest."""
        return float(self._get("solidRestOffset"))

    def set_solid_rest_offset(self, value: float) -> None:
        """Set: distance of particles of solids at which contacts rest."""
        self._set("solidRestOffset", float(value))

    def get_fluid_rest_offset(self) -> float:
        """Distance of particles of fluids at which contacts rest."""
        return float(self._get("fluidRestOffset"))

    def set_fluid_rest_offset(self, value: float) -> None:
        """Set: distance of particles of fluids at which contacts rest."""
        self._set("fluidRestOffset", float(value))

    def get_enable_ccd(self) -> bool:
        """Whether contacts are looked for along the way."""
        return bool(self._get("enableCCD"))

    def set_enable_ccd(self, value: bool) -> None:
        """Set: whether contacts are looked for along the way."""
        self._set("enableCCD", bool(value))

    def get_solver_position_iteration_count(self) -> int:
        """Iterations of PhysX's solver."""
        return int(self._get("solverPositionIterationCount"))

    def set_solver_position_iteration_count(self, value: int) -> None:
        """Set: iterations of PhysX's solver."""
        self._set("solverPositionIterationCount", int(value))

    def get_max_depenetration_velocity(self) -> float:
        """Largest speed by which contacts part."""
        return float(self._get("maxDepenetrationVelocity"))

    def set_max_depenetration_velocity(self, value: float) -> None:
        """Set: largest speed by which contacts part."""
        self._set("maxDepenetrationVelocity", float(value))

    def get_wind(self) -> Sequence[float]:
        """Velocity of the air."""
        return tuple(self._get("wind"))

    def set_wind(self, value: Sequence[float]) -> None:
        """Set: velocity of the air."""
        self._set("wind", Gf.Vec3f(*map(float, value)))

    def get_max_neighborhood(self) -> int:
        """Most neighbours of a particle."""
        return int(self._get("maxNeighborhood"))

    def set_max_neighborhood(self, value: int) -> None:
        """Set: most neighbours of a particle."""
        self._set("maxNeighborhood", int(value))

    def get_max_velocity(self) -> float:
        """Largest speed of a particle."""
        return float(self._get("maxVelocity"))

    def set_max_velocity(self, value: float) -> None:
        """Set: largest speed of a particle."""
        self._set("maxVelocity", float(value))

    def get_global_self_collision_enabled(self) -> bool:
        """Whether particles touch one another."""
        return bool(self._get("globalSelfCollisionEnabled"))

    def set_global_self_collision_enabled(self, value: bool) -> None:
        """Set: whether particles touch one another."""
        self._set("globalSelfCollisionEnabled", bool(value))

    def _get(self, name: str) -> Any:
        return self._prim.GetAttribute(name).Get()

    def _set(self, name: str, value: Any) -> None:
        self._prim.GetAttribute(name).Set(value)
