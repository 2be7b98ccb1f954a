"""Surroundings and robots from SDF files and folders of meshes."""

from __future__ import annotations

import contextlib
import logging
import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlparse

from unibody.core.assets.xml import read_xml
from unibody.errors import AssetError
from unibody.fleet.convert import pose_product, quat_from_euler
from unibody.fleet.foundation.types import CollisionMode
from unibody.fleet.models.sdf_robot import write_urdf
from unibody.fleet.models.sdf_text import (
    material_color,
    mesh_scale,
    model_file,
    numbers,
    pose_numbers,
    text_of,
    without_materials,
)
from unibody.fleet.objects.sim_object import SimObject
from unibody.fleet.parameters.spawn_params import ShapeParams
from unibody.fleet.spatial.geometry import Pose

logger: logging.Logger = logging.getLogger("pybullet_fleet.sdf_loader")
_FUEL_HOSTS = ("fuel.gazebosim.org", "fuel.ignitionrobotics.org")
_FUEL_CACHE = os.path.expanduser("~/.gz/fuel")
_LEAST_MASS = 0.1  # kg: of a model that moves and states none
DEFAULT_SCENERY_COLOR = [0.7, 0.7, 0.7, 1.0]
__all__ = [
    "DEFAULT_SCENERY_COLOR",
    "load_mesh_directory",
    "load_rmf_world",
    "load_sdf_world",
    "load_sdf_world_file",
    "resolve_sdf_to_urdf",
]


def load_mesh_directory(
    mesh_dir: str,
    sim_core: Any = None,
    collision_mode: CollisionMode = CollisionMode.NORMAL_3D,
    mesh_scale: list[float] | None = None,
    rgba_color: list[float] | None = None,
    pattern: str = "*.obj",
) -> list[SimObject]:
    """Make an object of every mesh file of a folder, in the order of their names.

    Args:
        mesh_dir: The folder.
        sim_core: The simulation.
        collision_mode: Of all of them.
        mesh_scale: Factor on their lengths, one an axis.
        rgba_color: Of all of them.
        pattern: Of the file names.

    Raises:
        FileNotFoundError: There is no such folder.
    """
    folder = Path(os.path.expanduser(mesh_dir))
    if not folder.is_dir():
        raise FileNotFoundError(f"Mesh directory not found: {mesh_dir}")
    files = sorted(folder.glob(pattern))
    if not files:
        logger.warning("No %s files found in %s", pattern, mesh_dir)
        return []
    scale = mesh_scale or [1.0, 1.0, 1.0]
    color = list(rgba_color or DEFAULT_SCENERY_COLOR)
    with _batch(sim_core):
        return [
            SimObject.from_mesh(
                visual_shape=ShapeParams("mesh", str(path), scale, rgba_color=color),
                collision_shape=ShapeParams("mesh", str(path), scale),
                sim_core=sim_core,
                collision_mode=collision_mode,
                name=path.stem,
            )
            for path in files
        ]


def load_rmf_world(*args: Any, **kwargs: Any) -> list[SimObject]:
    """`load_mesh_directory` under its older name."""
    return load_mesh_directory(*args, **kwargs)


def _batch(sim_core: Any) -> Any:
    return contextlib.nullcontext() if sim_core is None else sim_core.batch_spawn()


def load_sdf_world(
    sdf_path: str,
    sim_core: Any = None,
    collision_mode: CollisionMode = CollisionMode.STATIC,
    rgba_color: list[float] | None = None,
    mass: float = 0.0,
    pickable: bool = False,
    strip_materials: bool = False,
) -> list[SimObject]:
    """Make an object of every link with a mesh of an SDF file.

    Args:
        sdf_path: The file.
        sim_core: The simulation.
        collision_mode: Of all of them.
        rgba_color: Of those that state none; None: as in the mesh file.
        mass: Of each [kg].
        pickable: Whether they can be picked.
        strip_materials: Leave the materials of the mesh files aside.

    Raises:
        FileNotFoundError: There is no such file.
        ValueError: There is no model in it.
        AssetError: It is not XML.
    """
    path = os.path.expanduser(sdf_path)
    if not os.path.isfile(path):
        raise FileNotFoundError(f"SDF file not found: {path}")
    models = list(read_xml(path, root="sdf").iter("model"))
    if not models:
        raise ValueError(f"No <model> element found in {path}")
    objects: list[SimObject] = []
    with _batch(sim_core):
        for model in models:
            for link in model.findall("link"):
                shapes = _link_shapes(
                    link, path, model.get("name", ""), rgba_color, strip_materials
                )
                if shapes is None:
                    continue
                visual, collision = shapes
                disabled = collision_mode is CollisionMode.DISABLED
                objects.append(
                    SimObject.from_mesh(
                        visual_shape=visual,
                        collision_shape=None if disabled else collision,
                        pose=Pose.from_euler(*pose_numbers(link)),
                        mass=mass,
                        sim_core=sim_core,
                        collision_mode=collision_mode,
                        name=link.get("name", "unknown"),
                        pickable=pickable,
                    )
                )
    logger.info("Loaded %d links from SDF %s", len(objects), path)
    return objects


def _link_shapes(
    link: Any, path: str, model: str, color: list[float] | None, plain: bool
) -> tuple[ShapeParams, ShapeParams] | None:
    folder = os.path.dirname(path)
    seen = _first_mesh(link, "visual")
    if seen is None:
        return None
    visual, mesh = seen
    uri = text_of(mesh.find("uri")) or ""
    file = model_file(uri, folder, model, fuel_file)
    if not os.path.isfile(file):
        logger.warning("Mesh file not found: %s (from %s)", file, uri)
        return None
    if plain:
        file = without_materials(file)
    scale = mesh_scale(mesh)
    own = material_color(visual)
    shown = [float(value) for value in own.split()] if own else color
    hit_file, hit_scale = file, scale
    hit = _first_mesh(link, "collision")
    if hit is not None:
        candidate = model_file(text_of(hit[1].find("uri")) or "", folder, model, fuel_file)
        hit_file = candidate if os.path.isfile(candidate) else file
        hit_scale = mesh_scale(hit[1], scale)
    return (
        ShapeParams("mesh", file, scale, rgba_color=shown),
        ShapeParams("mesh", hit_file, hit_scale),
    )


def _first_mesh(link: Any, tag: str) -> tuple[Any, Any] | None:
    for shape in link.findall(tag):
        for mesh in shape.iter("mesh"):
            if text_of(mesh.find("uri")):
                return shape, mesh
    return None


# --- worlds --------------------------------------------------------------------------------------


def load_sdf_world_file(
    world_path: str,
    sim_core: Any = None,
    collision_mode: CollisionMode = CollisionMode.STATIC,
    skip_models: list[str] | None = None,
    resource_paths: list[str] | None = None,
    force_color: list[float] | None = None,
) -> list[SimObject]:
    """Make objects of everything a world file includes.

    Args:
        world_path: The file.
        sim_core: The simulation; gets the positions of skipped models as
            ``skipped_model_positions``.
        collision_mode: Of what never moves.
        skip_models: Names of includes or models to leave out, in any case.
        resource_paths: Folders to look for models in; ``models`` next to the file comes first.
        force_color: Of everything, instead of its own.

    Raises:
        FileNotFoundError: There is no such file.
        ValueError: There is no world in it.
    """
    path = os.path.expanduser(world_path)
    if not os.path.isfile(path):
        raise FileNotFoundError(f"World file not found: {path}")
    world = read_xml(path, root="sdf").find("world")
    if world is None:
        raise ValueError(f"No <world> element found in {path}")
    folders = list(resource_paths or [])
    beside = os.path.join(os.path.dirname(path), "models")
    if os.path.isdir(beside) and beside not in folders:
        folders.insert(0, beside)
    skip = {name.lower() for name in skip_models or []}
    objects: list[SimObject] = []
    for include in world.findall("include"):
        uri = text_of(include.find("uri"))
        if not uri:
            continue
        name = text_of(include.find("name")) or ""
        kind = uri.rstrip("/").rsplit("/", maxsplit=1)[-1]
        if kind.lower() in skip or name.lower() in skip:
            _note_skipped(sim_core, name, include)
            continue
        folder = include_folder(uri, folders)
        if folder is None:
            logger.warning("Cannot resolve include URI: %s", uri)
            continue
        color = None if is_fuel(uri) else list(DEFAULT_SCENERY_COLOR)
        objects += _include(
            include, folder, name or kind, sim_core, collision_mode, force_color or color,
            force_color is not None,
        )  # fmt: skip
    logger.info("Loaded %d objects from world %s", len(objects), path)
    return objects


def _note_skipped(sim_core: Any, name: str, include: Any) -> None:
    if sim_core is not None and name:
        if not hasattr(sim_core, "skipped_model_positions"):
            sim_core.skipped_model_positions = {}
        sim_core.skipped_model_positions[name] = tuple(pose_numbers(include)[:3])


def _include(
    include: Any,
    folder: str,
    name: str,
    sim_core: Any,
    collision_mode: CollisionMode,
    color: list[float] | None,
    plain: bool,
) -> list[SimObject]:
    file = os.path.join(folder, "model.sdf")
    moves = (text_of(include.find("static")) or "true").lower() == "false"
    mass = 0.0
    if moves and getattr(getattr(sim_core, "params", None), "physics", False):
        mass = _model_mass(file) or _LEAST_MASS
    mode = CollisionMode.NORMAL_3D if moves else collision_mode
    try:
        made = load_sdf_world(file, sim_core, mode, color, mass, moves, plain)
    except (OSError, ValueError, AssetError) as problem:
        logger.warning("Failed to load model SDF %s: %s", file, problem)
        return []
    x, y, z, *turn = pose_numbers(include)
    for obj in made:
        own = obj.get_pose()
        # the heading places the links, as the original does; their own rotation is left aside
        spot, _ = pose_product(
            (x, y, z), quat_from_euler(0.0, 0.0, turn[2]), own.position, (0.0, 0.0, 0.0, 1.0)
        )
        obj.place_at_spawn(spot, quat_from_euler(*turn))
        obj.set_name(f"{name}/{obj.name}")
    return made


def _model_mass(file: str) -> float:
    with contextlib.suppress(OSError, AssetError):
        masses = read_xml(file, root="sdf").iter("mass")
        return math.fsum(numbers(text_of(mass) or "0")[0] for mass in masses)
    return 0.0


# --- robots --------------------------------------------------------------------------------------


def resolve_sdf_to_urdf(sdf_path: str, model_yaw_offset: float = 0.0) -> str:
    """Write the first model of an SDF file as a URDF file, and return its path.

    Args:
        sdf_path: The file.
        model_yaw_offset: Turn of the base link's shapes about z [rad].

    Raises:
        FileNotFoundError: There is no such file.
        ValueError: There is no model in it.
        AssetError: It is not XML.
    """
    return write_urdf(sdf_path, model_yaw_offset, fuel_file)


# --- addresses -----------------------------------------------------------------------------------


def is_fuel(uri: str) -> bool:
    """Whether an address is one of Gazebo Fuel."""
    return urlparse(uri).hostname in _FUEL_HOSTS


def _fuel_path_parts(uri: str) -> list[str]:
    parts = [unquote(part) for part in urlparse(uri).path.split("/") if part]
    return parts[1:] if parts[:1] == ["1.0"] else parts


def _fuel_roots(uri: str) -> Iterator[str]:
    """Where a cache may be: under the address's own host, then under the other."""
    own = urlparse(uri).hostname
    for host in sorted(_FUEL_HOSTS, key=lambda name: name != own):
        yield os.path.join(_FUEL_CACHE, host)


def fuel_file(uri: str) -> str | None:
    """The file of a Fuel address in Gazebo's cache; None if it is no Fuel address."""
    if not is_fuel(uri):
        return None
    parts = [part for part in _fuel_path_parts(uri) if part != "files"]
    for index in (0, 2):
        if index < len(parts):
            parts[index] = parts[index].lower()
    found = [os.path.join(root, *parts) for root in _fuel_roots(uri)]
    return next((path for path in found if os.path.isfile(path)), found[0])


def _fuel_folder(uri: str) -> str | None:
    parts = _fuel_path_parts(uri)
    if len(parts) < 3:
        return None
    for root in _fuel_roots(uri):
        cached = Path(root, parts[0].lower(), "models", parts[2].lower())
        versions = sorted(cached.iterdir()) if cached.is_dir() else []
        if versions and (versions[-1] / "model.sdf").is_file():
            return str(versions[-1])
    logger.warning("Fuel model %s is not in %s: fetch it with `gz fuel download`", uri, _FUEL_CACHE)
    return None


def include_folder(uri: str, resource_paths: list[str] | None = None) -> str | None:
    """The folder of an included model; None if it is not there."""
    if is_fuel(uri):
        return _fuel_folder(uri)
    if not uri.startswith("model://"):
        return uri if os.path.isfile(os.path.join(uri, "model.sdf")) else None
    name = uri.removeprefix("model://")
    folders = [*(resource_paths or ()), *os.environ.get("GZ_SIM_RESOURCE_PATH", "").split(":")]
    for folder in filter(None, folders):
        if os.path.isfile(os.path.join(folder, name, "model.sdf")):
            return os.path.join(folder, name)
    return _fuel_folder(f"https://{_FUEL_HOSTS[0]}/1.0/OpenRobotics/models/{quote(name)}")
