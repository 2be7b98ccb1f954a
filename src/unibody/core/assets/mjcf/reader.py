"""Reading MJCF files, with PyBullet's rules or with MuJoCo's."""

from __future__ import annotations

import os
from collections.abc import Sequence

from unibody.core.assets.description import Asset
from unibody.core.assets.limits import DEFAULT_LIMITS, Limits
from unibody.core.assets.mjcf.bullet import read_bullet
from unibody.core.assets.mjcf.names import NumberedAssets
from unibody.core.assets.mjcf.native import read_native
from unibody.core.assets.paths import SearchPath
from unibody.core.assets.urdf.node import Node, UrdfContext
from unibody.core.assets.xml import read_xml
from unibody.errors import AssetError


def load_mjcf(
    file: str | os.PathLike[str],
    search_path: SearchPath,
    limits: Limits = DEFAULT_LIMITS,
    *,
    pybullet_numbering: bool = True,
) -> list[Asset]:
    """Reads an MJCF file.

    Args:
        file: Path of the file; looked for with ``search_path``.
        search_path: Where the file and the files it refers to are looked for.
        limits: Bounds on the contents of the file.
        pybullet_numbering: Links, names, poses and masses as PyBullet's loadMJCF gives them, with
            what it misunderstands. ``False``: what the file means to MuJoCo, with inertias from
            geoms, armature, springs and motors; a link for each body, and one more without mass
            for each joint beyond the first and for joints that are not in the body's origin.

    Returns:
        One asset for each top-level body in file order. The geoms of the world are an asset each
        (PyBullet) or one asset named "world" (MuJoCo), which comes first.

    Raises:
        AssetError: The file is missing, malformed or refused for its contents.
    """
    if pybullet_numbering:
        return load_numbered(file, search_path, limits).named()
    found, root = _open(file, search_path, limits)
    return _from_file(read_native(root), file, found)


def load_numbered(
    file: str | os.PathLike[str], search_path: SearchPath, limits: Limits = DEFAULT_LIMITS
) -> NumberedAssets:
    """Reads an MJCF file with PyBullet's rules, but for the numbers in the names of joints.

    Raises:
        AssetError: As ``load_mjcf``.
    """
    found, root = _open(file, search_path, limits)
    bodies = read_bullet(root)
    _from_file(bodies.assets, file, found)
    return bodies


def _open(
    file: str | os.PathLike[str], search_path: SearchPath, limits: Limits
) -> tuple[str, Node]:
    """Where a file is, and its root."""
    found = search_path.locate(file)
    if found is None:
        raise AssetError(file, "", f"no such file, {search_path.described()}")
    context = UrdfContext(os.fspath(file), found, search_path, limits, 1.0)
    return found, Node(read_xml(found, limits, root="mujoco"), "", context)


def _from_file(assets: Sequence[Asset], file: str | os.PathLike[str], found: str) -> list[Asset]:
    """The bodies, which note where they are from."""
    if not assets:
        raise AssetError(file, "<worldbody>", "has neither a body nor a geom")
    for asset in assets:
        asset.file = found
    return list(assets)
