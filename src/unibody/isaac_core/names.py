"""Which modules the names of Isaac Sim and Kit mean here.

A name of the tables is a module with what is listed for it. Every other name of the families is
a module, too: it can be imported, and what is called in it says that it does not exist.
"""

from __future__ import annotations

import importlib.util

FAMILIES = ("omni", "isaacsim", "carb", "usdrt", "Semantics")
"""Top-level packages that are Isaac Sim's or Kit's."""

_ROOM = "unibody.isaac_core"
_UTILS = (
    "articulations", "bounds", "carb", "collisions", "commands", "constants", "distance_metrics",
    "extensions", "interops", "math", "mesh", "nucleus", "numpy", "numpy.maths",
    "numpy.rotations", "numpy.tensor", "numpy.transformations", "physics", "prims", "random",
    "render_product", "rotations", "semantics", "stage", "string", "torch", "torch.maths",
    "torch.rotations", "torch.tensor", "torch.transformations", "transformations", "types",
    "viewports", "warp", "warp.maths", "warp.rotations", "warp.tensor",
    "warp.transformations", "xforms",
)  # fmt: skip
_UTILS_NAMES = ("omni.isaac.core.utils", "isaacsim.core.utils")

_CORE = {
    "": "world.front",
    "articulations": "prims.articulations",
    "controllers": "controllers",
    "loggers": "loggers",
    "materials": "materials",
    "objects": "objects",
    "physics_context": "world.physics_context",
    "robots": "prims.robot",
    "scenes": "scenes",
    "sensors": "prims.sensors",
    "simulation_context": "world.context",
    "tasks": "tasks",
    "world": "world.world",
}
"""Modules that both families have, without their first names, and those of ours."""
_FILES = {
    "articulations": ("articulation", "articulation_view"),
    "controllers": ("articulation_controller", "base_controller", "base_gripper_controller"),
    "loggers": ("data_logger",),
    "materials": ("deformable_material", "deformable_material_view", "omni_glass", "omni_pbr",
                  "particle_material", "particle_material_view", "physics_material",
                  "preview_surface", "visual_material"),
    "objects": ("capsule", "cone", "cuboid", "cylinder", "ground_plane", "sphere"),
    "physics_context": ("physics_context",),
    "robots": ("robot", "robot_view"),
    "scenes": ("scene", "scene_registry"),
    "sensors": ("base_sensor", "rigid_contact_view"),
    "simulation_context": ("simulation_context",),
    "tasks": ("base_task", "follow_target", "pick_place", "stacking"),
    "world": ("world",),
}  # fmt: skip
"""Files of the originals that scripts import from."""
_PRIMS_FILES = (
    "base_sensor", "geometry_prim", "geometry_prim_view", "rigid_contact_view", "rigid_prim",
    "rigid_prim_view", "xform_prim", "xform_prim_view",
)  # fmt: skip
_SOFT_FILES = (
    "", ".cloth_prim", ".cloth_prim_view", ".deformable_prim", ".deformable_prim_view",
    ".particle_system", ".particle_system_view",
)  # fmt: skip


def _core(family: str) -> dict[str, str]:
    found = {f"{family}.{name}".rstrip("."): f"{_ROOM}.{ours}" for name, ours in _CORE.items()}
    for name, files in _FILES.items():
        found |= {f"{family}.{name}.{file}": f"{_ROOM}.{_CORE[name]}" for file in files}
    return found


_MANIPULATORS = {
    "": "manipulators",
    "manipulators": "manipulators",
    "grippers": "manipulators.all_grippers",
    "grippers.parallel_gripper": "manipulators.grippers",
    "grippers.gripper": "manipulators.grippers",
    "grippers.surface_gripper": "manipulators.surface_gripper",
    "manipulators.single_manipulator": "manipulators",
    "controllers": "manipulators.controllers",
    "controllers.pick_place_controller": "manipulators.controllers",
    "controllers.stacking_controller": "manipulators.controllers",
}
_FRANKA = {
    "": "manipulators.franka",
    "controllers": "manipulators.franka.controllers",
    "controllers.rmpflow_controller": "manipulators.franka.controllers",
    "controllers.pick_place_controller": "manipulators.franka.controllers",
    "controllers.stacking_controller": "manipulators.franka.controllers",
    "tasks": "manipulators.franka.tasks",
}
_UNIVERSAL = {
    "": "manipulators.universal_robots",
    "kinematics_solver": "manipulators.universal_robots",
    "ur10": "manipulators.universal_robots",
    "controllers": "manipulators.universal_robots.controllers",
    "controllers.rmpflow_controller": "manipulators.universal_robots.controllers",
    "controllers.pick_place_controller": "manipulators.universal_robots.controllers",
    "controllers.stacking_controller": "manipulators.universal_robots.controllers",
    "tasks": "manipulators.universal_robots.tasks",
}
_SURFACE = {"_surface_gripper": "manipulators.surface_interface"}
_WHEELED = {
    "robots": "wheeled",
    "robots.wheeled_robot": "wheeled",
    "robots.holonomic_robot_usd_setup": "wheeled",
    "controllers": "wheeled.controllers",
    "controllers.differential_controller": "wheeled.controllers",
    "controllers.holonomic_controller": "wheeled.controllers",
}
_MOTION = {
    "": "motion",
    "interface_config_loader": "motion.config_loader",
    "lula": "motion",
    "lula.kinematics": "motion",
    "lula.motion_policies": "motion",
    "articulation_kinematics_solver": "motion",
    "articulation_motion_policy": "motion",
    "motion_policy_controller": "motion",
}
_BESIDE = {
    "isaacsim.robot.manipulators": _MANIPULATORS,
    "omni.isaac.manipulators": _MANIPULATORS,
    "isaacsim.robot.manipulators.examples.franka": _FRANKA,
    "omni.isaac.franka": _FRANKA,
    "isaacsim.robot.manipulators.examples.universal_robots": _UNIVERSAL,
    "omni.isaac.universal_robots": _UNIVERSAL,
    "isaacsim.robot.surface_gripper": _SURFACE,
    "omni.isaac.surface_gripper": _SURFACE,
    "isaacsim.robot.wheeled_robots": _WHEELED,
    "omni.isaac.wheeled_robots": _WHEELED,
    "isaacsim.robot_motion.motion_generation": _MOTION,
    "omni.isaac.motion_generation": _MOTION,
    "isaacsim.sensors.physics": {"": "sensors", "_sensor": "sensors.contact_interface"},
    "isaacsim.sensors.camera": {"": "sensors.cameras", "camera": "sensors.cameras"},
    "isaacsim.sensors.physx": {"": "sensors.lidars"},
    "omni.isaac.sensor": {
        "": "sensors.all_sensors",
        "_sensor": "sensors.contact_interface",
    },
    "omni.isaac.gym": {
        "vec_env": "learning.vec_env",
        "vec_env.vec_env_base": "learning.vec_env",
        "tasks.rl_task": "learning.rl_task",
    },
}
"""Rooms beside the core, under both families of names."""


_EXPERIMENTAL = {
    "prims": "prims",
    "objects": "objects",
    "materials": "materials",
    "utils.app": "app",
    "utils.backend": "backend",
    "utils.bounds": "bounds",
    "utils.foundation": "foundation",
    "utils.ops": "ops",
    "utils.prim": "prim_functions",
    "utils.semantics": "labels",
    "utils.stage": "stage",
    "utils.transform": "transform",
    "utils.xform": "pose_functions",
}
"""Modules of ``isaacsim.core.experimental`` that are here, and those of ours."""


_EXPERIMENTAL_WHEELED = {
    "robots": "wheeled",
    "robots.wheeled_robot": "wheeled",
    "robots.holonomic_robot_usd_setup": "wheeled",
    **{
        f"controllers{file}": "wheeled.controllers"
        for file in (
            "", ".ackermann_controller", ".differential_controller", ".holonomic_controller",
            ".quintic_path_planner", ".stanley_control",
        )
    },
}  # fmt: skip
_EXPERIMENTAL_SENSORS = {
    name: "sensors"
    for name in (
        "", "impl.extension", "impl.contact_sensor", "impl.effort_sensor", "impl.imu_sensor",
        "impl.joint_state_sensor", "impl.raycast_sensor",
    )
}  # fmt: skip
_EXPERIMENTAL_FAMILIES = {
    "isaacsim.core.experimental": _EXPERIMENTAL,
    "isaacsim.robot.experimental.wheeled_robots": _EXPERIMENTAL_WHEELED,
    "isaacsim.sensors.experimental.physics": _EXPERIMENTAL_SENSORS,
    "isaacsim.robot_motion.experimental.motion_generation": {"": "motion"},
}


def _experimental() -> dict[str, str]:
    found = {
        f"{family}.{name}".rstrip("."): f"{_ROOM}.experimental.{ours}"
        for family, rooms in _EXPERIMENTAL_FAMILIES.items()
        for name, ours in rooms.items()
    }
    core = "isaacsim.core.experimental"
    inner = {
        f"{core}.utils.impl.{name.removeprefix('utils.')}": f"{_ROOM}.experimental.{ours}"
        for name, ours in _EXPERIMENTAL.items()
        if name.startswith("utils.")
    }
    inner[f"{core}.materials.impl.non_visual_material"] = (
        f"{_ROOM}.experimental.non_visual_material"
    )
    return found | inner


def _beside_the_core() -> dict[str, str]:
    return {
        f"{family}.{name}".rstrip("."): f"{_ROOM}.{ours}"
        for family, rooms in _BESIDE.items()
        for name, ours in rooms.items()
    }


MODULES: dict[str, str] = {
    **_core("omni.isaac.core"),
    **_core("isaacsim.core.api"),
    "omni.isaac.core.prims": f"{_ROOM}.prims",
    **{f"omni.isaac.core.prims.{file}": f"{_ROOM}.prims" for file in _PRIMS_FILES},
    **{f"omni.isaac.core.prims.soft{file}": f"{_ROOM}.prims.soft" for file in _SOFT_FILES},
    "isaacsim.core.prims": f"{_ROOM}.prims.current",
    "isaacsim.core.simulation_manager": f"{_ROOM}.simulation.simulation_manager",
    "isaacsim.core.rendering_manager": f"{_ROOM}.experimental.rendering",
    "isaacsim.core.deprecation_manager": f"{_ROOM}.functions.deprecation",
    "isaacsim.core.cloner": f"{_ROOM}.cloners",
    "omni.isaac.cloner": f"{_ROOM}.cloners",
    **{
        f"{family}.{name}": f"{_ROOM}.functions.{name}"
        for family in _UTILS_NAMES
        for name in _UTILS
    },
    "carb.settings": f"{_ROOM}.kit.settings",
    "omni.kit.app": f"{_ROOM}.kit.app",
    "omni.kit.commands": f"{_ROOM}.kit.commands",
    "omni.kit.test": f"{_ROOM}.kit.testing",
    "omni.kit.async_engine": f"{_ROOM}.kit.coroutines",
    "omni.physx.scripts.physicsUtils": f"{_ROOM}.kit.physics_utils",
    "omni.kit.viewport.utility": f"{_ROOM}.kit.viewports",
    "isaacsim.util.debug_draw._debug_draw": f"{_ROOM}.kit.debug_draw",
    "omni.isaac.debug_draw._debug_draw": f"{_ROOM}.kit.debug_draw",
    "omni.replicator.core.create": f"{_ROOM}.kit.render_products",
    "usdrt.Usd": "pxr.Usd",  # what Fabric would have is written to the stage before it is read
    "usdrt.Sdf": "pxr.Sdf",
    "usdrt.Gf": "pxr.Gf",
    "usdrt.Vt": "pxr.Vt",
    "usdrt.UsdGeom": "pxr.UsdGeom",
    "omni.physics.core": f"{_ROOM}.simulation.step_events",
    "omni.physics.tensors": f"{_ROOM}.physics.tensors",
    "omni.physics.tensors.api": f"{_ROOM}.physics.tensors",
    "omni.physics.tensors.impl.api": f"{_ROOM}.physics.tensors",
    "omni.timeline": f"{_ROOM}.kit.timeline",
    "omni.usd": f"{_ROOM}.kit.context",
    "isaacsim": f"{_ROOM}.launch",
    "isaacsim.simulation_app": f"{_ROOM}.launch",
    "omni.isaac.kit": f"{_ROOM}.launch",
    "omni.isaac.nucleus": f"{_ROOM}.functions.nucleus",
    "omni.isaac.core.utils.nucleus": f"{_ROOM}.functions.nucleus",
    "isaacsim.storage.native": f"{_ROOM}.functions.nucleus",
    "isaacsim.storage.native.nucleus": f"{_ROOM}.functions.nucleus",
    **_beside_the_core(),
    **_experimental(),
    "carb": f"{_ROOM}.kit.carb_names",
    "carb.events": f"{_ROOM}.kit.events",
    "omni.isaac.version": f"{_ROOM}.kit.version",
    "isaacsim.core.version": f"{_ROOM}.kit.version",
    "Semantics": f"{_ROOM}.schemas.semantics",
    "omni.isaac.IsaacSensorSchema": f"{_ROOM}.schemas.sensor_schema",
    "pxr.PhysicsSchemaTools": f"{_ROOM}.schemas.physics_schema_tools",
    "pxr.PhysxSchema": f"{_ROOM}.schemas.physx_schema",
    "pxr.Semantics": f"{_ROOM}.schemas.semantics",
}
"""Name -> the module of ours whose contents it has."""


def is_ours(name: str) -> bool:
    """Whether a module name is Isaac Sim's or Kit's."""
    return name.partition(".")[0] in FAMILIES or name in MODULES


def meant(name: str) -> str | None:
    """The module of ours behind a name; None if there is none."""
    return MODULES.get(name)


def is_known(name: str) -> bool:
    """Whether a module of that name, or one below it, is here."""
    return name in MODULES or any(known.startswith(f"{name}.") for known in MODULES)


def is_installed() -> bool:
    """Whether what the names mean can be imported: USD."""
    return importlib.util.find_spec("pxr") is not None
