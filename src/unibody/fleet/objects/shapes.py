"""From shape parameters to bodies, shared by all objects of the same shapes."""

from __future__ import annotations

from typing import Any

from unibody.core.assets.description import Asset, Shape, ShapeKind
from unibody.core.assets.mesh.load import load_mesh
from unibody.core.assets.mesh.types import TriMesh
from unibody.fleet.bodies.assets import body_of_shapes, shape
from unibody.fleet.parameters.spawn_params import ShapeParams

_handles: list[Shape] = []
_assets: dict[Any, Asset] = {}
_MOST_ASSETS = 4096


def key_of(params: ShapeParams | None) -> Any:
    """What two shapes that are the same have in common."""
    if params is None or not params.shape_type:
        return None
    frame = params.frame_pose
    return (
        params.shape_type,
        params.mesh_path,
        tuple(params.mesh_scale),
        tuple(params.half_extents),
        params.radius,
        params.height,
        None if params.rgba_color is None else tuple(params.rgba_color),
        None if frame is None else (tuple(frame.position), tuple(frame.orientation)),
    )


def shape_of(params: ShapeParams) -> Shape:
    """The shape of the engine.

    Raises:
        ValueError: A value that is not allowed.
        AssetError: A mesh file cannot be read.
    """
    frame = params.frame_pose
    made = shape(
        params.shape_type or "",
        half_extents=params.half_extents,
        radius=params.radius,
        height=params.height,
        mesh_path=params.mesh_path,
        mesh_scale=params.mesh_scale,
        frame=None if frame is None else (frame.position, frame.orientation),
        rgba=params.rgba_color,
    )
    if made.kind is ShapeKind.MESH:
        triangles(made)
    return made


def triangles(made: Shape) -> list[TriMesh]:
    """The triangles of a mesh.

    Raises:
        AssetError: The file cannot be read.
    """
    return [] if made.mesh is None else load_mesh(made.mesh)


def asset_of(visual: ShapeParams | None, collision: ShapeParams | None, mass: float) -> Asset:
    """A body of two shapes.

    Raises:
        ValueError: A value that is not allowed.
        AssetError: A mesh file cannot be read.
    """
    key = (key_of(visual), key_of(collision), mass)
    asset = _assets.get(key)
    if asset is None:
        asset = body_of_shapes(_shape(visual), _shape(collision), mass)
        if len(_assets) >= _MOST_ASSETS:
            _assets.clear()
        _assets[key] = asset
    return asset


def _shape(params: ShapeParams | None) -> Shape | None:
    return None if params is None or not params.shape_type else shape_of(params)


def handle(params: ShapeParams | None) -> int:
    """A number for a shape; -1 for none."""
    if params is None or not params.shape_type:
        return -1
    _handles.append(shape_of(params))
    return len(_handles) - 1
