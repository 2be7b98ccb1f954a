"""Asking MuJoCo about an asset before a scene takes it in.

A scene compiles its edits together and later: what MuJoCo refuses then would leave the scene
broken, and nobody would know which body it was.
"""

from __future__ import annotations

import dataclasses
import hashlib
import math
from collections.abc import Callable
from typing import Any

import mujoco
import numpy as np

from unibody.core.assets.bounded_cache import BoundedCache, asset_bytes
from unibody.core.assets.description import Asset, Pose, Shape, ShapeKind
from unibody.core.assets.disk_cache import is_noted, note
from unibody.core.assets.link_order import parents_first
from unibody.core.assets.mesh.hull import widened_hulls
from unibody.core.assets.mesh.load import load_mesh
from unibody.core.engine.records.options import BodyOptions
from unibody.core.engine.spec.geometry import PRIMITIVES, MeshStore, primitive
from unibody.core.engine.spec.writer import make_record, write_body
from unibody.errors import AssetError

MAX_NUMBER = 1e10  # m, kg, kg m^2: larger ones are mistakes, and overflow further on
_REMEMBERED = 256
# What passed is noted on the disk: compiling a robot alone takes longer than reading its file.
_FOLDER, _VERSION = "passed", 4  # to be changed with what bodies are written as
_ODD_MASSES = (1e-9, 1e7)  # kg: no robot has less or more
_MOST_LINKS = 5000
_MOST_DEPTH = 1000  # links of a chain
_ODD_LENGTH = 1e4  # m, inside a body
_LEAST_SHARE = 1e-12
_MUCH_MEMORY = 1 << 28  # bytes, of which there are perhaps not as many

# Assets that passed, by identity; they are held so that no other can get their identity.
_REMEMBERED_BYTES = 16 << 20
_passed: BoundedCache[tuple[int, bool], Asset] = BoundedCache(_REMEMBERED, _REMEMBERED_BYTES)
_contents: BoundedCache[int, tuple[Asset, str | None]] = BoundedCache(
    _REMEMBERED, _REMEMBERED_BYTES
)


def check(new_spec: Callable[[], Any], asset: Asset, options: BodyOptions) -> None:
    """Refuse an asset that MuJoCo would not compile.

    Args:
        new_spec: Makes a spec with the scene's settings and nothing else in it.
        asset: What is about to be added.
        options: How.

    Raises:
        AssetError: With MuJoCo's reason, or the number that is not finite or absurdly large.
        InvalidArgumentError: A size is negative.
    """
    key = (id(asset), options.fixed)
    if _passed.get(key) is not None:
        return
    _check_depth(asset)
    _check_numbers(asset)
    far_apart = _has_odd_numbers(asset)
    if _is_plain(asset) and not far_apart:
        for shape in asset.links[0].collisions:
            if shape.kind in PRIMITIVES:
                primitive(shape)
    else:
        here = dataclasses.replace(options, pose=Pose())
        name = _content(asset, here)
        if name is None or not is_noted(_FOLDER, name):
            spec = new_spec()
            record = make_record(0, asset, here)
            write_body(spec, record, MeshStore(spec))
            model = _compile(spec, asset)
            if far_apart:
                _check_inertia(model, asset)
            if name is not None:
                note(_FOLDER, name)
    _passed.put(key, asset, asset_bytes(asset))


def _content(asset: Asset, options: BodyOptions) -> str | None:
    """A hash over all that the trial of a body without a height field reads.

    Raises:
        AssetError: A mesh cannot be read.
        InvalidArgumentError: A size is not allowed.
    """
    content = content_of(asset)
    if content is None:
        return None
    return hashlib.sha256(
        f"{_VERSION};{mujoco.mj_versionString()};{options!r};{content}".encode()
    ).hexdigest()


def content_of(asset: Asset) -> str | None:
    """A hash over all that is written of an asset; None if it has a height field or is concave.

    Raises:
        AssetError: A mesh cannot be read.
        InvalidArgumentError: A size is not allowed.
    """
    known = _contents.get(id(asset))
    if known is None:
        known = _contents.put(id(asset), (asset, _hash_of(asset)), asset_bytes(asset))
    return known[1]


def _hash_of(asset: Asset) -> str | None:
    digest = hashlib.sha256()
    about = dataclasses.replace(asset, links=[], file="", notes=())
    digest.update(repr(about).encode())
    for link in asset.links:
        bare = dataclasses.replace(link, visuals=[], collisions=[], notes=())
        digest.update(repr(bare).encode())
        for shape in link.collisions:
            if shape.kind is ShapeKind.HEIGHTFIELD or shape.concave:
                return None
            digest.update(repr(dataclasses.replace(shape, mesh=None)).encode())
            if shape.kind is ShapeKind.MESH and shape.mesh is not None:
                for hull in widened_hulls(load_mesh(shape.mesh), shape.margin):
                    digest.update(hull.key.encode())
            else:
                primitive(shape)
    return digest.hexdigest()


def _compile(spec: Any, asset: Asset) -> Any:
    try:
        model = spec.compile()
        if model.narena + model.nbuffer > _MUCH_MEMORY:
            mujoco.MjData(model)
    except (ValueError, mujoco.FatalError) as problem:
        reason = " ".join(str(problem).split())
        raise AssetError(asset.file or asset.name, "", f"MuJoCo refuses it: {reason}") from problem
    return model


def _has_odd_numbers(asset: Asset) -> bool:
    """Whether masses and lengths lie so far apart that the inertia matrix may be singular."""
    for link in asset.links:
        inertial = link.inertial
        lengths = (*inertial.pose.pos, *link.joint.origin.pos)
        if inertial.mass and not _ODD_MASSES[0] < inertial.mass < _ODD_MASSES[1]:
            return True
        if max(map(abs, lengths)) > _ODD_LENGTH or max(inertial.inertia[:3]) > _ODD_MASSES[1]:
            return True
    return False


def _check_inertia(model: Any, asset: Asset) -> None:
    """Refuse a body whose inertia matrix cannot be inverted with the digits there are.

    Raises:
        AssetError: It cannot; all states of the world would be lost in the first step.
    """
    data = mujoco.MjData(model)
    for stage in (mujoco.mj_kinematics, mujoco.mj_comPos, mujoco.mj_crb):
        stage(model, data)
    matrix = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, matrix)
    mujoco.mj_factorM(model, data)
    # What elimination leaves of each diagonal, as a share: below 1e-13 of it are rounding errors.
    with np.errstate(all="ignore"):
        left = 1.0 / (data.qLDiagInv * np.diagonal(matrix))
    if not (left > _LEAST_SHARE).all():
        problem = "masses and lengths are so far apart that its inertia matrix is singular"
        raise AssetError(asset.file or asset.name, "", problem)


def _is_plain(asset: Asset) -> bool:
    """One link with plain shapes: nothing in it that could be refused but its numbers."""
    return len(asset.links) == 1 and not any(map(_is_special, asset.links[0].collisions))


def _is_special(shape: Shape) -> bool:
    """A shape MuJoCo could refuse: those made of concave meshes are solids for certain."""
    if shape.kind is ShapeKind.MESH:
        return not shape.concave
    return shape.kind is ShapeKind.HEIGHTFIELD


def _check_depth(asset: Asset) -> None:
    """Refuse what takes MuJoCo's compiler minutes, or what it refuses after as long.

    Its time grows with the second power of the number of links, and with the third of their depth.
    """
    if len(asset.links) > _MOST_LINKS:
        problem = f"{len(asset.links)} links, at most {_MOST_LINKS} are compiled"
        raise AssetError(asset.file or asset.name, "", problem)
    depths = [0] * len(asset.links)
    for number in parents_first(asset.links):
        parent = asset.links[number].parent
        depths[number] = 0 if parent < 0 else depths[parent] + 1
        if depths[number] > _MOST_DEPTH:
            problem = f"has more than {_MOST_DEPTH} links between it and the base"
            place = f"link {asset.links[number].name!r}"
            raise AssetError(asset.file or asset.name, place, problem)


def _check_numbers(asset: Asset) -> None:
    for link in asset.links:
        inertial, joint = link.inertial, link.joint
        numbers = [inertial.mass, *inertial.inertia, *inertial.pose.pos, *inertial.pose.quat]
        numbers += [*joint.origin.pos, *joint.origin.quat, *joint.axis, joint.damping]
        for shape in link.collisions:
            numbers += [*shape.size, *shape.pose.pos, *shape.pose.quat]
        if sum(map(abs, numbers)) <= MAX_NUMBER:
            continue  # which no number that is not finite lets through
        for number in numbers:
            if not math.isfinite(number) or abs(number) > MAX_NUMBER:
                meshes = (shape.mesh.name for shape in link.collisions if shape.mesh is not None)
                raise AssetError(
                    asset.file or asset.name or next(meshes, "") or "a made body",
                    f"link {link.name!r}",
                    f"{number} as a mass, size or pose; at most {MAX_NUMBER:g} is allowed",
                )
