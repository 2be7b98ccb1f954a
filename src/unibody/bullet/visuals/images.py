"""Images and colours that shapes are drawn with, and the numbers of textures."""

from __future__ import annotations

import functools
import os
from typing import TYPE_CHECKING

from unibody.bullet.state.looks import Texture
from unibody.core.assets.description import MeshSource, Shape, ShapeKind
from unibody.core.assets.images import image_size
from unibody.errors import AssetError
from unibody.notices import tell

if TYPE_CHECKING:
    from unibody.bullet.state.client_state import ClientState
    from unibody.core.render.mesh import Texture as Image

_CHECKERED = frozenset({ShapeKind.PLANE, ShapeKind.HEIGHTFIELD})
_BLUE, _WHITE = (173, 199, 255), (255, 255, 255)
_CHECKERS = ((_BLUE, _WHITE), (_WHITE, _BLUE))


def add_texture(client: ClientState, texture: Texture) -> int:
    """Give a texture the next number; PyBullet never takes one back."""
    client.textures.append(texture)
    return len(client.textures) - 1


def image_of(client: ClientState, number: int) -> Image | None:
    """A texture as cameras draw it; None if it has no pixels, or its file cannot be read."""
    texture = client.textures[number]
    if texture.image is None and texture.width * texture.height > 0:
        try:
            texture.image = _image(texture)
        except AssetError as problem:
            if client.say_once(str(problem)):
                tell(f"drawn without its texture: {problem}")
    return texture.image


def _image(texture: Texture) -> Image:
    import numpy as np

    from unibody.core.render import mesh

    if texture.pixels is None and texture.file:
        return mesh.load_texture(texture.file)
    if texture.pixels is None:
        texels = np.array(_CHECKERS, dtype=np.uint8)
    else:
        size = (texture.height, texture.width, 3)
        texels = np.frombuffer(texture.pixels, dtype=np.uint8).reshape(size)
    return mesh.Texture(np.ascontiguousarray(texels[::-1]))


def shape_texture(shape: Shape) -> Texture | None:
    """A texture of its own for a shape that PyBullet would draw with one."""
    if shape.kind in _CHECKERED:
        return Texture("", 1024, 1024)
    if shape.mesh is None or not shape.mesh.file.lower().endswith(".obj"):
        return None
    stat = os.stat(shape.mesh.file)
    found = _mesh_texture(shape.mesh.file, stat.st_mtime_ns, stat.st_size)
    return Texture(*found) if found else None


def file_texture(file: str) -> Image | None:
    """What the file of a soft body's mesh is drawn with: its image, or chequers without one.

    Meshes of triangles without an image are plain, as in PyBullet.
    """
    if not file.lower().endswith(".obj"):
        return _chequers()
    try:
        stat = os.stat(file)
        found = _mesh_texture(file, stat.st_mtime_ns, stat.st_size)
        return _image(Texture(*found)) if found else None
    except (AssetError, OSError):
        return None


@functools.cache
def _chequers() -> Image:
    return _image(Texture("", 2, 2))


def mesh_color(shape: Shape) -> tuple[float, float, float, float] | None:
    """Colour and opacity that the .mtl file states for a mesh, of the group PyBullet takes."""
    if shape.mesh is None or not shape.mesh.file.lower().endswith(".obj"):
        return None
    from unibody.core.assets.mesh.load import mesh_materials

    materials = mesh_materials(MeshSource(file=shape.mesh.file))
    color = None
    for material in materials:
        color = material.rgba if material else (0.0, 0.0, 0.0, 1.0)
        if material and material.texture:
            break
    return color


@functools.lru_cache(maxsize=1024)
def _mesh_texture(file: str, changed: int, size: int) -> tuple[str, int, int] | None:
    """The first texture of a mesh's materials that is a usable image."""
    from unibody.core.assets.mesh.load import mesh_materials

    try:
        materials = mesh_materials(MeshSource(file=file))
    except AssetError:
        return None
    for material in materials:
        if material and material.texture:
            try:
                return (material.texture, *image_size(material.texture))
            except AssetError:
                continue
    return None
