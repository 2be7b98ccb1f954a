"""Meshes that were not downloaded: pointers of Git LFS in their place.

PyBullet passes over a collision mesh of the kinds below that it cannot read, and loads the rest of
the robot. Here a file that is damaged is refused, but a pointer is no damage.
"""

from __future__ import annotations

import dataclasses
import os

from unibody.core.assets.description import Asset
from unibody.notices import tell

_KINDS = (".stl", ".dae")  # an .obj file without a face is a shape without points
_BEGINNING = b"version https://git-lfs"
_LARGEST = 1024  # bytes: a pointer has about 130


def without_pointers(asset: Asset) -> Asset:
    """The asset without the collision shapes whose mesh is a pointer; itself if there are none."""
    named = {
        shape.mesh.file
        for link in asset.links
        for shape in link.collisions
        if shape.mesh is not None
    }
    files = {file for file in named if _is_pointer(file)}
    if not files:
        return asset
    links = [
        dataclasses.replace(
            link,
            collisions=[s for s in link.collisions if s.mesh is None or s.mesh.file not in files],
        )
        for link in asset.links
    ]
    tell(
        f"{asset.name}: {len(files)} collision meshes are pointers of Git LFS, not meshes, and are"
        f" left out, as in PyBullet: {min(files)}"
    )
    return dataclasses.replace(asset, links=links)


def _is_pointer(file: str) -> bool:
    if not file.lower().endswith(_KINDS):
        return False
    try:
        if os.stat(file).st_size > _LARGEST:
            return False
        with open(file, "rb") as stream:
            return stream.read(len(_BEGINNING)) == _BEGINNING
    except OSError:
        return False
