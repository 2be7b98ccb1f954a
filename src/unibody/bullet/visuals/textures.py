"""loadTexture and changeTexture, and the numbers of textures that come with meshes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from unibody.bullet.arguments.kinds import listed
from unibody.bullet.clients.registry import get_client
from unibody.bullet.errors import error
from unibody.bullet.state.looks import Texture
from unibody.bullet.visuals.images import add_texture
from unibody.bullet.visuals.looks import number_textures
from unibody.core.assets.images import image_size
from unibody.core.assets.paths import SearchPath
from unibody.errors import AssetError

if TYPE_CHECKING:
    pass


def loadTexture(textureFilename: str, physicsClientId: int = 0) -> int:
    """Take an image file as a texture and return its id.

    Raises:
        error: Not connected, no such file, or the file is not an image that can be used.
        TypeError: ``textureFilename`` is not a path.
    """
    client = get_client(physicsClientId)
    name = os.fspath(textureFilename)
    found = SearchPath(client.search_path, confined=False).locate(name)
    if found is None:
        raise error(f"Error loading texture. {name}: no such file")
    try:
        width, height = image_size(found)
    except AssetError as problem:
        raise error(f"Error loading texture. {problem}") from problem
    number_textures(client)
    return add_texture(client, Texture(found, width, height))


def changeTexture(
    textureUniqueId: int,
    pixels: Sequence[int],
    width: int,
    height: int,
    physicsClientId: int = 0,
) -> None:
    """Replace the image of a texture on all surfaces that have it.

    Args:
        textureUniqueId: From loadTexture or getVisualShapeData.
        pixels: ``width * height * 3`` values 0 to 255, row by row.
        width: [pixels].
        height: [pixels].
        physicsClientId: The client.

    Raises:
        error: Not connected, no such texture, or not that many values.
    """
    client = get_client(physicsClientId)
    if textureUniqueId < 0 or width < 0 or height < 0:
        raise error("Error: invalid arguments in changeTexture.")
    if textureUniqueId >= len(client.textures):
        raise error("Error processing changeTexture.")
    count = width * height * 3
    values = listed("pixels", pixels)
    if len(values) < count:
        raise error(
            f"Error: invalid arguments in changeTexture. {len(values)} values, {count} needed"
        )
    texture = client.textures[textureUniqueId]
    try:
        texture.pixels = bytes(int(value) & 0xFF for value in values[:count])
    except (TypeError, ValueError, OverflowError) as problem:
        raise TypeError(f"pixels holds what is no whole number: {problem}") from None
    texture.width, texture.height = width, height
    texture.image = None
    client.looks_version += 1
