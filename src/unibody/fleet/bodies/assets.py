"""What becomes of files and shapes before they go into a world, as PyBullet does it."""

from __future__ import annotations

import dataclasses
import functools
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from unibody.core.assets.description import (
    Asset,
    Inertial,
    JointType,
    Link,
    MeshSource,
    Pose,
    Shape,
    ShapeKind,
)
from unibody.core.assets.paths import SearchPath
from unibody.core.assets.transforms import pose_inverse, pose_multiply
from unibody.errors import AssetError
from unibody.fleet.bodies.inertia import inertia
from unibody.fleet.convert import to_engine

DAMPING = 0.04  # 1/s, of every body
FRICTION = (0.5, 0.0, 0.0)
MOTOR_IMPULSE = 1.0  # Ns or Nms a step: what holds a joint that nobody drives
MASK_STATIC = ~2


def asset_folders() -> tuple[str, ...]:
    """Where models of PyBullet's names are: its own folder where installed, then ours."""
    from unibody import sample_assets

    folders = [] if (found := pybullet_data_folder()) is None else [found]
    return (*folders, sample_assets.getDataPath(), sample_assets.stand_ins())


@functools.lru_cache(maxsize=1)
def pybullet_data_folder() -> str | None:
    """The folder of the package ``pybullet_data``, or None where it is not installed."""
    import importlib.util

    try:
        spec = importlib.util.find_spec("pybullet_data")
    except (ImportError, ValueError):
        return None
    if spec is None or spec.origin is None:
        return None
    return str(Path(spec.origin).parent)


def read_urdf(path: str, *, massless: bool = False) -> Asset:
    """The asset of a URDF file, with inertias from its shapes; shared by all copies.

    Args:
        path: The file, or a name in a folder of models.
        massless: All links have mass 0: nothing about it is simulated.

    Raises:
        AssetError: The file cannot be read.
    """
    search = SearchPath(asset_folders(), confined=False)
    found = search.locate(path)
    if found is None:
        raise AssetError(path, "", "there is no such file")
    stat = os.stat(found)
    return _read(found, stat.st_mtime_ns, stat.st_size, massless)


@functools.lru_cache(maxsize=256)
def _read(path: str, _changed: int, _size: int, massless: bool) -> Asset:
    from unibody.core.assets.urdf import load_urdf

    asset = load_urdf(path, search_path=SearchPath(asset_folders(), confined=False))
    return prepared(asset, massless=massless)


def read_sdf(path: str, scale: float) -> list[Asset]:
    """The models of an SDF file.

    Raises:
        AssetError: The file cannot be read.
    """
    from unibody.core.assets.sdf import load_sdf

    search = SearchPath(asset_folders(), confined=False)
    return [prepared(asset) for asset in load_sdf(path, search_path=search, scale=scale)]


def prepared(asset: Asset, *, massless: bool = False) -> Asset:
    """A copy with inertias from shapes where there are shapes, and floating joints fixed."""
    links = [
        _link(link, base=index == 0, massless=massless) for index, link in enumerate(asset.links)
    ]
    return dataclasses.replace(asset, links=links)


def _link(link: Link, *, base: bool, massless: bool) -> Link:
    mass = 0.0 if massless else link.inertial.mass
    moments = inertia(mass, link.collisions)
    if not link.collisions and mass > 0.0:
        xx, yy, zz = link.inertial.inertia[:3]
        moments = (max(xx, 1e-9), max(yy, 1e-9), max(zz, 1e-9))
    joint = link.joint
    if not base and joint.type is JointType.FLOATING:
        joint = dataclasses.replace(joint, type=JointType.FIXED)
    inertial = Inertial(mass, link.inertial.pose, (*moments, 0.0, 0.0, 0.0))
    return dataclasses.replace(link, inertial=inertial, joint=joint)


def centred(asset: Asset, pose: Pose) -> tuple[Asset, Pose]:
    """An asset whose base frame is the base's inertial frame, and where that frame goes."""
    base = asset.links[0]
    com = base.inertial.pose
    if com == Pose():
        return asset, pose
    back = pose_inverse(com)

    def moved(shapes: list[Shape]) -> list[Shape]:
        return [dataclasses.replace(s, pose=pose_multiply(back, s.pose)) for s in shapes]

    links = [
        dataclasses.replace(
            base,
            inertial=dataclasses.replace(base.inertial, pose=Pose()),
            visuals=moved(base.visuals),
            collisions=moved(base.collisions),
        )
    ]
    for link in asset.links[1:]:
        if link.parent == 0:
            origin = pose_multiply(back, link.joint.origin)
            joint = dataclasses.replace(link.joint, origin=origin)
            links.append(dataclasses.replace(link, joint=joint))
        else:
            links.append(link)
    return dataclasses.replace(asset, links=links), pose_multiply(pose, com)


def shape(
    kind: str,
    *,
    half_extents: Sequence[float],
    radius: float,
    height: float,
    mesh_path: str | None,
    mesh_scale: Sequence[float],
    frame: tuple[Sequence[float], Sequence[float]] | None,
    rgba: Sequence[float] | None,
) -> Shape:
    """A shape of the engine.

    Raises:
        ValueError: An unknown kind, a mesh without a file, or a size that is not allowed.
    """
    pose = to_engine(*frame) if frame is not None else Pose()
    color: Any = None if rgba is None else tuple(float(value) for value in rgba)
    if kind == "box":
        return Shape(ShapeKind.BOX, _sizes("half_extents", half_extents, 2.0), pose, rgba=color)
    if kind == "sphere":
        return Shape(ShapeKind.SPHERE, _sizes("radius", [radius]), pose, rgba=color)
    if kind == "cylinder":
        size = (*_sizes("radius", [radius]), *_sizes("height", [height]))
        return Shape(ShapeKind.CYLINDER, size, pose, rgba=color)
    if kind != "mesh":
        raise ValueError(
            f"Unknown shape_type {kind!r}: expected 'box', 'sphere', 'cylinder' or 'mesh'"
        )
    if not mesh_path:
        raise ValueError("mesh_path is required for shape_type='mesh'")
    found = SearchPath(asset_folders(), confined=False).locate(mesh_path)
    x, y, z = (float(value) for value in mesh_scale)
    source = MeshSource(found or os.path.abspath(mesh_path), mesh_path, (x, y, z))
    return Shape(ShapeKind.MESH, (), pose, mesh=source, rgba=color)


def _sizes(name: str, values: Sequence[float], factor: float = 1.0) -> tuple[float, ...]:
    sizes = tuple(factor * float(value) for value in values)
    if not all(0.0 < size < float("inf") for size in sizes):
        raise ValueError(f"{name}={list(values)} is not allowed: expected positive numbers")
    return sizes


def body_of_shapes(visual: Shape | None, collision: Shape | None, mass: float) -> Asset:
    """An asset of one link."""
    visuals = [] if visual is None else [visual]
    collisions = [] if collision is None else [collision]
    moments = inertia(mass, collisions)
    if mass > 0.0 and not collisions:
        moments = (mass, mass, mass)
    inertial = Inertial(mass, Pose(), (*moments, 0.0, 0.0, 0.0))
    link = Link("baseLink", inertial=inertial, visuals=visuals, collisions=collisions)
    return Asset("", [link])
