"""PhysicsContext: the physics scene of the stage."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pxr import Gf, Sdf, Usd, UsdGeom, UsdPhysics, UsdShade

from unibody.errors import InvalidArgumentError
from unibody.isaac_core import handles
from unibody.isaac_core.functions import prims as functions
from unibody.isaac_core.functions import stage as stages
from unibody.isaac_core.functions.constants import AXES_INDICES
from unibody.isaac_core.kit import settings
from unibody.isaac_core.prims import materials
from unibody.isaac_core.schemas import physx_schema
from unibody.isaac_core.simulation.manager import DEFAULT_RATE, simulation
from unibody.isaac_core.world.scene_settings import pair

_EARTH = 9.81
_TRANSFORMS = (
    "/physics/fabricUpdateTransformations", "/physics/updateToUsd",
    "/physics/updateVelocitiesToUsd", "/physics/outputVelocitiesLocalSpace",
)  # fmt: skip


class PhysicsContext:
    """The physics scene of the stage: that which is there, or a new one.

    Args:
        physics_dt: Time of a step [s].
        prim_path: Where a new scene is made.
        sim_params: Settings by name, "gravity", "dt", "use_gpu_pipeline" and more.
        set_defaults: Whether gravity, solver and time of a step get usual values.
        backend: Library of the arrays.
        device: Where they are, "cpu" or "cuda:0"; None: as it is.

    Raises:
        InvalidArgumentError: The path is relative, or something else is there.
    """

    def __init__(
        self,
        physics_dt: float | None = None,
        prim_path: str = "/physicsScene",
        sim_params: dict[str, Any] | None = None,
        set_defaults: bool = True,
        backend: str = "numpy",
        device: str | None = None,
    ) -> None:
        if not Sdf.Path.IsValidPathString(prim_path) or not Sdf.Path(prim_path).IsAbsolutePath():
            raise InvalidArgumentError("prim_path", prim_path, "an absolute path")
        simulation.set_backend(backend)
        if device is not None:
            simulation.device = device
        found = simulation.scene_prim()
        if found is None:
            if functions.is_prim_path_valid(prim_path):
                raise InvalidArgumentError("prim_path", prim_path, "a free path")
            found = UsdPhysics.Scene.Define(handles.current_stage(), prim_path).GetPrim()
        self._prim_path = str(found.GetPath())
        self._physics_scene = UsdPhysics.Scene(found)
        if found.HasAPI("PhysxSceneAPI"):
            self._physx_scene_api = physx_schema.PhysxSceneAPI(found)
        else:
            self._physx_scene_api = physx_schema.PhysxSceneAPI.Apply(found)
        simulation.fabric = False
        self.set_broadphase_type("GPU" if self.use_gpu_sim else "MBP")
        self.enable_gpu_dynamics(self.use_gpu_sim)
        if sim_params is not None:
            self._apply(sim_params)
        elif set_defaults:
            self.set_gravity(-_EARTH / stages.get_stage_units())
            self.enable_stablization(False)
            self.enable_ccd(not self.use_gpu_sim)
            self.set_solver_type("TGS")
            self.set_physics_dt(1.0 / DEFAULT_RATE)
        if physics_dt is not None:
            self.set_physics_dt(physics_dt)

    @property
    def prim_path(self) -> str:
        """Where the scene is."""
        return self._prim_path

    @property
    def device(self) -> str:
        """Where arrays are."""
        return simulation.device

    @property
    def use_gpu_sim(self) -> bool:
        """Whether bodies are moved on a GPU."""
        return "cuda" in simulation.device

    @property
    def use_gpu_pipeline(self) -> bool:
        """Whether arrays are on a GPU."""
        return "cuda" in simulation.device

    @property
    def use_fabric(self) -> bool:
        """Whether Fabric was asked for: the stage is written when it is read, with and without."""
        return simulation.fabric

    def enable_fabric(self, enable: bool) -> None:
        """Ask for Fabric: a record."""
        simulation.fabric = bool(enable)

    def get_current_physics_scene_prim(self) -> Usd.Prim | None:
        """The prim of the scene; None if the stage has none."""
        return simulation.scene_prim()

    def set_physics_dt(self, dt: float = 1.0 / 60.0, substeps: int = 1) -> None:
        """Set the time of a step.

        Args:
            dt: From 0, at which nothing moves, to 1 [s].
            substeps: How many steps at most are in a frame.

        Raises:
            InvalidArgumentError: The time is out of range.
        """
        if not 0.0 <= dt <= 1.0:
            raise InvalidArgumentError("dt", dt, "a time from 0 to 1 s")
        rate = round(1.0 / dt) if dt > 0.0 else 0
        self._prim().GetAttribute("physxScene:timeStepsPerSecond").Set(rate)
        slowest = int(rate / max(substeps or 1, 1))
        settings.get_settings().set("/persistent/simulation/minFrameRate", slowest)

    def get_physics_dt(self) -> float:
        """Time of a step [s]."""
        return simulation.physics_dt()

    def set_gravity(self, value: float) -> None:
        """Set gravity along the axis that is up [m/s^2]: negative values point down."""
        direction = Gf.Vec3f(0.0)
        axis = AXES_INDICES[UsdGeom.GetStageUpAxis(handles.current_stage())]
        direction[axis] = 1.0 if value > 0.0 else -1.0
        self._prim()
        self._physics_scene.CreateGravityDirectionAttr(direction)
        self._physics_scene.CreateGravityMagnitudeAttr(abs(float(value)))
        if simulation.view is not None:
            simulation.view.set_gravity([float(part) * abs(float(value)) for part in direction])

    def get_gravity(self) -> tuple[list[Any], float]:
        """Direction and magnitude [m/s^2] of gravity."""
        self._prim()
        direction = self._physics_scene.GetGravityDirectionAttr().Get()
        magnitude = self._physics_scene.GetGravityMagnitudeAttr().Get()
        return list(direction), magnitude

    def set_solver_type(self, solver_type: str) -> None:
        """Set the solver, "TGS" or "PGS"; a record: one solver is here.

        Raises:
            InvalidArgumentError: It is neither.
        """
        self._one_of("solverType", "solver_type", solver_type, ("TGS", "PGS"))

    def get_solver_type(self) -> str:
        """The solver, "TGS" or "PGS"; a record."""
        return str(self._prim().GetAttribute("physxScene:solverType").Get())

    def set_broadphase_type(self, broadcast_type: str) -> None:
        """Set how pairs are found, "MBP", "GPU" or "SAP"; a record.

        Raises:
            InvalidArgumentError: It is none of these.
        """
        self._one_of("broadphaseType", "broadcast_type", broadcast_type, ("MBP", "GPU", "SAP"))

    def get_broadphase_type(self) -> str:
        """How pairs are found; a record."""
        return str(self._prim().GetAttribute("physxScene:broadphaseType").Get())

    def set_enable_scene_query_support(self, enable_scene_query_support: bool) -> None:
        """Set whether rays can be asked for; a record: they can, always."""
        attribute = self._prim().GetAttribute("physxScene:enableSceneQuerySupport")
        attribute.Set(bool(enable_scene_query_support))

    def get_enable_scene_query_support(self) -> bool:
        """Whether rays can be asked for; a record."""
        return bool(self._prim().GetAttribute("physxScene:enableSceneQuerySupport").Get())

    def set_invert_collision_group_filter(self, invert_collision_group_filter: bool) -> None:
        """Set whether groups collide only with those that they name."""
        attribute = self._prim().GetAttribute("physxScene:invertCollisionGroupFilter")
        attribute.Set(bool(invert_collision_group_filter))

    def get_invert_collision_group_filter(self) -> bool:
        """Whether groups collide only with those that they name."""
        return bool(self._prim().GetAttribute("physxScene:invertCollisionGroupFilter").Get())

    def set_physx_update_transformations_settings(
        self,
        update_to_fast_cache: bool | None = None,
        update_to_usd: bool | None = None,
        update_velocities_to_usd: bool | None = None,
        output_velocities_local_space: bool | None = None,
    ) -> None:
        """Set what is written to the stage; a record: it is written when it is read."""
        given = (
            update_to_fast_cache, update_to_usd, update_velocities_to_usd,
            output_velocities_local_space,
        )  # fmt: skip
        for path, value in zip(_TRANSFORMS, given, strict=True):
            if value is not None:
                settings.get_settings().set(path, bool(value))

    def get_physx_update_transformations_settings(self) -> tuple[bool, bool, bool, bool]:
        """What is written to the stage; a record."""
        found = tuple(settings.get_settings().get_as_bool(path) for path in _TRANSFORMS)
        return found  # type: ignore[return-value]

    def _prim(self) -> Usd.Prim:
        found = handles.current_stage().GetPrimAtPath(self._prim_path)
        if not found:
            raise InvalidArgumentError("prim_path", self._prim_path, "a scene that is there still")
        return found

    def _one_of(self, name: str, argument: str, value: str, allowed: tuple[str, ...]) -> None:
        if value not in allowed:
            raise InvalidArgumentError(argument, value, f"one of {', '.join(allowed)}")
        self._prim().GetAttribute(f"physxScene:{name}").Set(value)

    def _apply(self, params: dict[str, Any]) -> None:
        if "gravity" in params:
            axis = AXES_INDICES[UsdGeom.GetStageUpAxis(handles.current_stage())]
            self.set_gravity(float(params["gravity"][axis]))
        if "dt" in params:
            self.set_physics_dt(params["dt"], params.get("substeps") or 1)
        if "solver_type" in params:
            kind = params["solver_type"]
            self.set_solver_type(kind if isinstance(kind, str) else ("PGS", "TGS")[int(bool(kind))])
        for name, setter in _BY_PARAM.items():
            if name in params:
                getattr(self, setter)(params[name])
        if "default_physics_material" in params:
            self._default_material(params["default_physics_material"])

    def _default_material(self, values: dict[str, float]) -> None:
        path = f"{self._prim_path}/defaultMaterial"
        material = UsdShade.Material.Define(handles.current_stage(), path)
        api = UsdPhysics.MaterialAPI.Apply(material.GetPrim())
        api.CreateStaticFrictionAttr(float(values["static_friction"]))
        api.CreateDynamicFrictionAttr(float(values["dynamic_friction"]))
        api.CreateRestitutionAttr(float(values["restitution"]))
        materials.bind(self._prim(), material, weaker=True, purpose="physics")

    get_bounce_threshold: Callable[..., Any]
    set_bounce_threshold: Callable[..., None]
    get_bounce_threshold, set_bounce_threshold = pair(
        "bounceThreshold", "value", float, "The slowest approach that bounces [m/s]"
    )
    get_friction_offset_threshold: Callable[..., Any]
    set_friction_offset_threshold: Callable[..., None]
    get_friction_offset_threshold, set_friction_offset_threshold = pair(
        "frictionOffsetThreshold", "value", float, "The distance from which on there is no friction"
    )
    get_friction_correlation_distance: Callable[..., Any]
    set_friction_correlation_distance: Callable[..., None]
    get_friction_correlation_distance, set_friction_correlation_distance = pair(
        "frictionCorrelationDistance",
        "value",
        float,
        "The distance in which contacts share their friction",
    )
    get_gpu_max_rigid_contact_count: Callable[..., Any]
    set_gpu_max_rigid_contact_count: Callable[..., None]
    get_gpu_max_rigid_contact_count, set_gpu_max_rigid_contact_count = pair(
        "gpuMaxRigidContactCount", "value", int, "The room for contacts"
    )
    get_gpu_max_rigid_patch_count: Callable[..., Any]
    set_gpu_max_rigid_patch_count: Callable[..., None]
    get_gpu_max_rigid_patch_count, set_gpu_max_rigid_patch_count = pair(
        "gpuMaxRigidPatchCount", "value", int, "The room for patches"
    )
    get_gpu_found_lost_pairs_capacity: Callable[..., Any]
    set_gpu_found_lost_pairs_capacity: Callable[..., None]
    get_gpu_found_lost_pairs_capacity, set_gpu_found_lost_pairs_capacity = pair(
        "gpuFoundLostPairsCapacity", "value", int, "The room for pairs"
    )
    get_gpu_found_lost_aggregate_pairs_capacity: Callable[..., Any]
    set_gpu_found_lost_aggregate_pairs_capacity: Callable[..., None]
    get_gpu_found_lost_aggregate_pairs_capacity, set_gpu_found_lost_aggregate_pairs_capacity = pair(
        "gpuFoundLostAggregatePairsCapacity", "value", int, "The room for pairs of aggregates"
    )
    get_gpu_total_aggregate_pairs_capacity: Callable[..., Any]
    set_gpu_total_aggregate_pairs_capacity: Callable[..., None]
    get_gpu_total_aggregate_pairs_capacity, set_gpu_total_aggregate_pairs_capacity = pair(
        "gpuTotalAggregatePairsCapacity", "value", int, "The room for all pairs of aggregates"
    )
    get_gpu_max_soft_body_contacts: Callable[..., Any]
    set_gpu_max_soft_body_contacts: Callable[..., None]
    get_gpu_max_soft_body_contacts, set_gpu_max_soft_body_contacts = pair(
        "gpuMaxSoftBodyContacts", "value", int, "The room for contacts of soft bodies"
    )
    get_gpu_max_particle_contacts: Callable[..., Any]
    set_gpu_max_particle_contacts: Callable[..., None]
    get_gpu_max_particle_contacts, set_gpu_max_particle_contacts = pair(
        "gpuMaxParticleContacts", "value", int, "The room for contacts of particles"
    )
    get_gpu_heap_capacity: Callable[..., Any]
    set_gpu_heap_capacity: Callable[..., None]
    get_gpu_heap_capacity, set_gpu_heap_capacity = pair(
        "gpuHeapCapacity", "value", int, "The size of the heap"
    )
    get_gpu_temp_buffer_capacity: Callable[..., Any]
    set_gpu_temp_buffer_capacity: Callable[..., None]
    get_gpu_temp_buffer_capacity, set_gpu_temp_buffer_capacity = pair(
        "gpuTempBufferCapacity", "value", int, "The size of a buffer"
    )
    get_gpu_max_num_partitions: Callable[..., Any]
    set_gpu_max_num_partitions: Callable[..., None]
    get_gpu_max_num_partitions, set_gpu_max_num_partitions = pair(
        "gpuMaxNumPartitions", "value", int, "The most partitions"
    )
    get_gpu_collision_stack_size: Callable[..., Any]
    set_gpu_collision_stack_size: Callable[..., None]
    get_gpu_collision_stack_size, set_gpu_collision_stack_size = pair(
        "gpuCollisionStackSize", "value", int, "The size of a stack"
    )
    get_solve_articulation_contact_last: Callable[..., Any]
    set_solve_articulation_contact_last: Callable[..., None]
    get_solve_articulation_contact_last, set_solve_articulation_contact_last = pair(
        "solveArticulationContactLast", "value", bool, "Whether contacts come after joints"
    )

    def is_ccd_enabled(self) -> bool:
        """Whether fast bodies are swept; a record: they are not."""
        return bool(self._prim().GetAttribute("physxScene:enableCCD").Get())

    def enable_ccd(self, flag: bool) -> None:
        """Set whether fast bodies are swept; a record: they are not."""
        self._prim().GetAttribute("physxScene:enableCCD").Set(bool(flag))

    def is_stablization_enabled(self) -> bool:
        """Whether stacks are stabilised; a record."""
        return bool(self._prim().GetAttribute("physxScene:enableStabilization").Get())

    def enable_stablization(self, flag: bool) -> None:
        """Set whether stacks are stabilised; a record."""
        self._prim().GetAttribute("physxScene:enableStabilization").Set(bool(flag))

    def is_gpu_dynamics_enabled(self) -> bool:
        """Whether bodies are moved on a GPU; a record: the device decides."""
        return bool(self._prim().GetAttribute("physxScene:enableGPUDynamics").Get())

    def enable_gpu_dynamics(self, flag: bool) -> None:
        """Set whether bodies are moved on a GPU; a record: the device decides."""
        self._prim().GetAttribute("physxScene:enableGPUDynamics").Set(bool(flag))

    enable_stabilization = enable_stablization


_BY_PARAM = {
    "enable_scene_query_support": "set_enable_scene_query_support",
    "enable_stabilization": "enable_stablization",
    "bounce_threshold_velocity": "set_bounce_threshold",
    "use_fabric": "enable_fabric",
    "friction_offset_threshold": "set_friction_offset_threshold",
    "friction_correlation_distance": "set_friction_correlation_distance",
    "gpu_max_rigid_contact_count": "set_gpu_max_rigid_contact_count",
    "gpu_max_rigid_patch_count": "set_gpu_max_rigid_patch_count",
    "gpu_found_lost_pairs_capacity": "set_gpu_found_lost_pairs_capacity",
    "gpu_found_lost_aggregate_pairs_capacity": "set_gpu_found_lost_aggregate_pairs_capacity",
    "gpu_total_aggregate_pairs_capacity": "set_gpu_total_aggregate_pairs_capacity",
    "gpu_max_soft_body_contacts": "set_gpu_max_soft_body_contacts",
    "gpu_max_particle_contacts": "set_gpu_max_particle_contacts",
    "gpu_heap_capacity": "set_gpu_heap_capacity",
    "gpu_temp_buffer_capacity": "set_gpu_temp_buffer_capacity",
    "gpu_max_num_partitions": "set_gpu_max_num_partitions",
    "gpu_collision_stack_size": "set_gpu_collision_stack_size",
}
"""Settings by the names that ``sim_params`` has for them."""
