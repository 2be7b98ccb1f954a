"""Compiled models with meshes in files of the disk cache, named by all that a compile reads.

A script that loads the same robot in every run has MuJoCo work out the hulls of its meshes each
time, which takes longer than all else. What was compiled before is noted, and a model that is
compiled for the second time is stored: a script that puts its robot somewhere else in every run
leaves no files behind but the notes.
"""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from unibody.core.assets.description import Asset, ShapeKind
from unibody.core.assets.disk_cache import is_noted, note, store, stored
from unibody.core.engine.library.layout import struct_size
from unibody.core.engine.model_cache.in_memory import Content
from unibody.core.engine.records import rule_table
from unibody.core.engine.spec import asset_checks

_FOLDER, _SEEN = "models", "compiled"
_SUFFIX, _FILE = ".model", "model.mjb"
_MOST_BYTES = 1 << 25


def _name_of(content: Content) -> str | None:
    """What the model of a content is stored under; None if it is not to be stored.

    That is where there is no mesh to work on, or something whose content is not known.
    """
    if not any(map(_has_mesh, content.assets)):
        return None
    parts = [_of_asset(asset, plain=plain) for asset, plain in content.assets]
    if None in parts:
        return None
    digest = hashlib.sha256(_version())
    digest.update(repr((content.numbers, parts)).encode())
    return digest.hexdigest()


@functools.cache
def _version() -> bytes:
    """What models depend on besides the content: MuJoCo, and how scenes are written for it."""
    digest = hashlib.sha256()
    writers = Path(asset_checks.__file__).parent.glob("*.py")
    for source in sorted([*writers, Path(rule_table.__file__), Path(__file__)]):
        digest.update(source.read_bytes())
    build = mujoco.mj_versionString(), struct_size("mjModel"), np.dtype(np.intp).byteorder
    return repr((digest.hexdigest(), *build)).encode()


def _has_mesh(entry: tuple[Asset, bool]) -> bool:
    asset, plain = entry
    return not plain and any(
        shape.kind is ShapeKind.MESH for link in asset.links for shape in link.collisions
    )


def _of_asset(asset: Asset, *, plain: bool) -> str | None:
    """What says what an asset is made of, but for numbers that are the record's."""
    if plain:
        return repr(asset.links[0].collisions)
    if any(
        shape.concave or shape.kind is ShapeKind.HEIGHTFIELD
        for link in asset.links
        for shape in link.collisions
    ):
        return None
    return asset_checks.content_of(asset)


def find(content: Content) -> Any | None:
    """The model of a content that was stored; None: there is none, or the file is damaged."""
    if (name := _name_of(content)) is None:
        return None
    data = stored(_FOLDER, name + _SUFFIX)
    if data is None:
        return None
    try:
        model = mujoco.MjModel.from_binary_path(_FILE, {_FILE: data})
    except (ValueError, RuntimeError):
        return None
    return model if _fits(content, model) else None


def _fits(content: Content, model: Any) -> bool:
    """Whether a model can be that of a content: it has its links and shapes, and numbers."""
    links = [link for asset, _ in content.assets for link in asset.links]
    shapes = sum(len(link.collisions) for link in links)
    arrays = (
        model.qpos0, model.body_pos, model.body_quat, model.body_mass, model.body_inertia,
        model.geom_pos, model.geom_quat, model.geom_size, model.mesh_vert, model.opt.gravity,
    )  # fmt: skip
    return (
        int(model.nbody) == 1 + len(links)
        and int(model.ngeom) >= shapes
        and bool(model.body_mass.min() >= 0.0)
        and all(bool(np.isfinite(array).all()) for array in arrays)
    )


def keep(content: Content, model: Any) -> None:
    """Store the model of a content, or note that it was compiled where it is the first time."""
    name, size = _name_of(content), mujoco.mj_sizeModel(model)
    if name is None or size > _MOST_BYTES:
        return
    if not is_noted(_SEEN, name):
        note(_SEEN, name)
        return
    written = np.empty(size, dtype=np.uint8)
    mujoco.mj_saveModel(model, None, written)
    store(_FOLDER, name + _SUFFIX, written.tobytes())
