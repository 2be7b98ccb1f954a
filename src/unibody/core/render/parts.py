"""From how a body looks to what is drawn: visual shapes become parts of a stage."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unibody.core.assets.description import MeshSource, Shape, ShapeKind
from unibody.core.assets.mesh.load import load_mesh, mesh_materials
from unibody.core.assets.mesh.types import TriMesh
from unibody.core.render.mesh import Mesh, Part, Texture, load_texture, make_mesh
from unibody.core.render.shapes import mesh_of_shape
from unibody.core.render.tiles import tiles_of
from unibody.core.render.visual_shapes import Rgba, VisualShape
from unibody.errors import AssetError
from unibody.notices import tell_once


class Surface(NamedTuple):
    """A part of a shape that has one colour and one texture.

    Attributes:
        mesh: Its triangles, in the frame of the shape.
        rgba: Its own colour and opacity; None: those of the shape.
        texture: Its own image file; "": that of the shape.
    """

    mesh: Mesh
    rgba: Rgba | None = None
    texture: str = ""


Surfaces = Callable[[Shape], Sequence[Surface]]
"""How a shape is taken apart. It raises ``AssetError`` for a mesh that cannot be read."""


def whole(shape: Shape) -> Sequence[Surface]:
    """A shape as one surface."""
    mesh = mesh_of_shape(shape)
    return () if mesh is None else (Surface(mesh),)


def in_tiles(shape: Shape) -> Sequence[Surface]:
    """Ground as surfaces side by side, so that cameras draw only what is before them."""
    return [Surface(mesh) for mesh in tiles_of(shape)]


def by_material(shape: Shape) -> Sequence[Surface]:
    """A mesh of a file by its materials, with their colours and textures; others as a whole."""
    source = shape.mesh if shape.kind is ShapeKind.MESH else None
    if source is None or not source.file:
        return whole(shape)
    return _by_material(source, tuple(load_mesh(source)))


@functools.lru_cache(maxsize=512)
def _by_material(source: MeshSource, meshes: tuple[TriMesh, ...]) -> tuple[Surface, ...]:
    found: list[Surface] = []
    for mesh, material in zip(meshes, mesh_materials(source), strict=True):
        if len(mesh.faces):
            drawn = make_mesh(mesh.vertices, mesh.faces, mesh.normals, mesh.uv)
            stated = (None, "") if material is None else (material.rgba, material.texture)
            found.append(Surface(drawn, *stated))
    return tuple(found)


def parts_of(
    visual: VisualShape, surfaces: Surfaces = whole, say: Callable[[str], None] = tell_once
) -> list[Part]:
    """The parts that a visual shape is drawn as.

    Args:
        visual: The shape, and how it looks.
        surfaces: How it is taken apart.
        say: Told why a shape or a texture is not drawn; the others are.

    Returns:
        One for each surface; none, if its mesh cannot be read.
    """
    try:
        found = surfaces(visual.shape)
    except AssetError as problem:
        say(f"not drawn: {problem}")
        return []
    pose, frame, label, both = visual.shape.pose, visual.frame, visual.label, visual.double_sided
    parts: list[Part] = []
    for mesh, rgba, own in found:
        source = own or visual.texture
        texture = texture_of(source, say) if source else None
        parts.append(Part(mesh, frame, pose, rgba or visual.rgba, texture, label, both))
    return parts


def texture_of(source: str | Texture, say: Callable[[str], None] = tell_once) -> Texture | None:
    """The texture in a file, or one that there is; None if it has no pixels."""
    if isinstance(source, Texture):
        return source
    if not source:
        return None
    try:
        return load_texture(source)
    except (AssetError, OSError) as problem:
        say(f"drawn without its texture: {problem}")
        return None


def texture_of_pixels(pixels: NDArray[np.uint8]) -> Texture:
    """A texture from an image (height, width, 3 or 4), rows from the top."""
    return Texture(np.ascontiguousarray(pixels[::-1, :, :3]))
