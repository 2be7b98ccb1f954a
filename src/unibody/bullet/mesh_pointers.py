"""Meshes that were not downloaded: pointers of Git LFS in their place.

PyBullet passes over a collision mesh of the kinds below that it cannot read, and loads the rest of
the robot. Here a file that is damaged is refused, but a pointer is no damage.
"""

from __future__ import annotations

import dataclasses
import os

from unibody.core.assets.description import Asset, Shape
from unibody.notices import tell

_KINDS = (".stl", ".dae")  # an .obj file without a face is a shape without points
_BEGINNING = b"version https://git-lfs"
_LARGEST = 1024  # bytes: a pointer has about 130


def without_pointers(asset: Asset) -> Asset:
    """The asset without the collision shapes whose mesh is a pointer; itself if there are none."""
    if not any(_is_pointer(shape) for link in asset.links for shape in link.collisions):
        return asset
    links = [
        dataclasses.replace(
            link, collisions=[shape for shape in link.collisions if not _is_pointer(shape)]
        )
        for link in asset.links
    ]
    files = {
        shape.mesh.file
        for link in asset.links
        for shape in link.collisions
        if shape.mesh is not None and _is_pointer(shape)
    }
    tell(
        f"{asset.name}: {len(files)} collision meshes are pointers of Git LFS, not meshes, and are"
        f" left out, as in PyBullet: {min(files)}"
    )
    return dataclasses.replace(asset, links=links)


def _is_pointer(shape: Shape) -> bool:
    file = "" if shape.mesh is None else shape.mesh.file
    if not file.lower().endswith(_KINDS):
        return False
    try:
        if os.stat(file).st_size > _LARGEST:
            return False
        with open(file, "rb") as stream:
            return stream.read(len(_BEGINNING)) == _BEGINNING
    except OSError:
        return False
