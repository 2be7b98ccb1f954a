"""What an object is spawned from."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any

from unibody.core.assets.paths import SearchPath
from unibody.fleet.bodies.assets import asset_folders
from unibody.fleet.foundation.defaults import SHAPE, SIM_OBJECT
from unibody.fleet.foundation.types import CollisionMode
from unibody.fleet.parameters.config_files import dataclass_from_dict
from unibody.fleet.parameters.yaml_reader import Lines, refuse
from unibody.fleet.spatial.geometry import Pose

SHAPE_TYPES = ("box", "sphere", "cylinder", "mesh")

_BUNDLED = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # has robots, meshes


@dataclass
class ShapeParams:
    """A visual or collision shape.

    Attributes:
        shape_type: "box", "sphere", "cylinder", "mesh", or None for none.
        mesh_path: File of a mesh.
        mesh_scale: Factor on its lengths, one an axis.
        half_extents: Half edges of a box [m].
        radius: Of a sphere or cylinder [m].
        height: Of a cylinder [m].
        rgba_color: Red, green, blue, opacity, 0 to 1; None keeps the colours of a mesh file.
        frame_pose: Where the shape is in the object's frame.
    """

    shape_type: str | None = None
    mesh_path: str | None = None
    mesh_scale: list[float] = field(default_factory=lambda: [1.0, 1.0, 1.0])
    half_extents: list[float] = field(default_factory=lambda: [0.5, 0.5, 0.5])
    radius: float = SHAPE["radius"]
    height: float = SHAPE["height"]
    rgba_color: list[float] | None = field(default_factory=lambda: list(SHAPE["rgba_color"]))
    frame_pose: Pose | None = None

    @classmethod
    def from_dict(cls, d: dict[str, Any]) -> ShapeParams:
        """Make one from a dictionary of its fields; other keys are passed over.

        A mesh of a YAML file is looked for beside that file first, then where a script's is.

        Raises:
            ConfigError: A YAML file names a mesh that is not there.
        """
        return dataclass_from_dict(cls, with_mesh_found(d))


@dataclass
class SimObjectSpawnParams:
    """What a `SimObject` is spawned from.

    Attributes:
        visual_shape: What is seen.
        collision_shape: What is collided with.
        initial_pose: Where it appears.
        mass: In kg; 0: it only moves when it is moved.
        pickable: Whether it can be attached to something.
        name: For people; need not be unique.
        visual_frame_pose: Kept for compatibility, the shapes have their own.
        collision_frame_pose: Kept for compatibility, the shapes have their own.
        collision_mode: How it takes part in collision checks.
        user_data: Anything.
    """

    visual_shape: ShapeParams | None = None
    collision_shape: ShapeParams | None = None
    initial_pose: Pose = field(default_factory=lambda: Pose.from_xyz(0.0, 0.0, 0.0))
    mass: float = SIM_OBJECT["mass"]
    pickable: bool = SIM_OBJECT["pickable"]
    name: str | None = None
    visual_frame_pose: Pose | None = None
    collision_frame_pose: Pose | None = None
    collision_mode: CollisionMode = CollisionMode.NORMAL_3D
    user_data: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def from_dict(cls, config: dict[str, Any]) -> Any:
        """Make one from a dictionary, as a file states it or with objects in it.

        Args:
            config: ``name`` (needed), ``visual_shape`` and ``collision_shape`` (mappings or
                `ShapeParams`), ``pose`` [x, y, z] with ``yaw`` or ``initial_pose`` (a `Pose`),
                ``mass``, ``pickable``, ``collision_mode``, ``user_data``.

        Raises:
            ValueError: No name, or a value that is not allowed.
            TypeError: A shape of another type.
        """
        return cls(**spawn_fields(config))


def with_mesh_found(config: dict[str, Any]) -> dict[str, Any]:
    """A shape's mapping, with the place of its mesh where a YAML file names one beside itself.

    Raises:
        ConfigError: A YAML file names a mesh that is not there.
    """
    name = config.get("mesh_path")
    if not isinstance(config, Lines) or not isinstance(name, str):
        return config
    folder = os.path.dirname(os.path.abspath(config.file))
    for place in (folder, _BUNDLED):
        found = os.path.join(place, os.path.expanduser(name))
        if os.path.isfile(found):
            return {**config, "mesh_path": found}
    if SearchPath(asset_folders(), confined=False).locate(name) is None:
        refuse(
            config,
            "mesh_path",
            f"mesh_path={name!r} is not allowed: expected a file, its path from {folder}; there is "
            "no such file there, nor in the current folder, nor among the models",
        )
    return config


def spawn_fields(config: dict[str, Any]) -> dict[str, Any]:
    """The fields of `SimObjectSpawnParams` from a dictionary; see its ``from_dict``."""
    if "name" not in config:
        raise ValueError(f"SimObject definition missing required 'name' field: {config}")
    mode = config.get("collision_mode", SIM_OBJECT["collision_mode"])
    if isinstance(mode, str):
        allowed = [item.value for item in CollisionMode]
        if mode not in allowed:
            refuse(
                config,
                "collision_mode",
                f"collision_mode={mode!r} is not allowed: one of {allowed}",
            )
        mode = CollisionMode(mode)
    mass = config.get("mass", SIM_OBJECT["mass"])
    if isinstance(mass, (int, float)) and not mass >= 0.0:
        refuse(config, "mass", f"mass={mass} is not allowed: expected a number >= 0 [kg]")
    return {
        "visual_shape": _shape(config, "visual_shape"),
        "collision_shape": _shape(config, "collision_shape"),
        "initial_pose": _pose(config),
        "mass": mass,
        "pickable": config.get("pickable", SIM_OBJECT["pickable"]),
        "name": config.get("name"),
        "collision_mode": mode,
        "user_data": config.get("user_data", {}),
    }


def _pose(config: dict[str, Any]) -> Pose:
    given = config.get("initial_pose")
    if given is not None:
        return given
    pose: Any = config.get("pose", [0.0, 0.0, 0.0])
    if not isinstance(pose, (list, tuple)) or len(pose) < 3:
        refuse(
            config,
            "pose",
            f"'pose' must be a list/tuple of at least 3 elements [x, y, z], got: {pose!r}",
        )
    x, y, z = list(pose)[:3]
    return Pose.from_yaw(x, y, z, config.get("yaw", 0.0))


def _shape(config: dict[str, Any], key: str) -> ShapeParams | None:
    given = config.get(key)
    if given is None or isinstance(given, ShapeParams):
        return given
    if not isinstance(given, dict):
        raise TypeError(
            f"'{key}' must be a dict or ShapeParams, got {type(given).__name__}: {given!r}"
        )
    kind = given.get("shape_type")
    if kind is not None and kind not in SHAPE_TYPES:
        refuse(given, "shape_type", f"shape_type={kind!r} is not allowed: one of {SHAPE_TYPES}")
    return ShapeParams.from_dict(given)
