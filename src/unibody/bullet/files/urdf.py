"""loadURDF."""

from __future__ import annotations

import functools
import os
from collections.abc import Sequence
from typing import Any

from unibody import sample_assets
from unibody.bullet import constants as c
from unibody.bullet.arguments.finite import finite
from unibody.bullet.arguments.kinds import c_int
from unibody.bullet.arguments.vectors import vector
from unibody.bullet.bodies.loading import add_asset, prepared
from unibody.bullet.clients.client import Client
from unibody.bullet.clients.registry import get_client
from unibody.bullet.convert import wxyz
from unibody.bullet.errors import error, naming_model
from unibody.bullet.handles.body import Body
from unibody.bullet.state.load_calls import LoadCall
from unibody.bullet.state.user_data import Place
from unibody.core.assets.description import Asset, Pose
from unibody.core.assets.paths import SearchPath
from unibody.errors import AssetError, InvalidArgumentError

_Number = float  # an integer, or in the older forms a coordinate
_UNSCALED = float("1")  # an object of its own: where it arrives, no eighth argument was given


def loadURDF(
    fileName: str,
    basePosition: Sequence[float] | float = (0.0, 0.0, 0.0),
    baseOrientation: Sequence[float] | float = (0.0, 0.0, 0.0, 1.0),
    useMaximalCoordinates: _Number = 0,
    useFixedBase: _Number = 0,
    flags: _Number = 0,
    globalScaling: float = _UNSCALED,
    physicsClientId: _Number = 0,
) -> int:
    """Load a robot or object and return its body id.

    The older forms ``loadURDF(file, x, y, z)`` and ``loadURDF(file, x, y, z, qx, qy, qz, qw)``
    are understood too.

    Args:
        fileName: A URDF file; relative names are looked for in the working directory, then in
            the folder of setAdditionalSearchPath.
        basePosition: Of the base link's frame, world frame [m].
        baseOrientation: (x, y, z, w).
        useMaximalCoordinates: 1 makes a body without damping, and one without joints without a
            limit of its speed, as PyBullet's are then; joints stay joints.
        useFixedBase: 1 holds the base in place.
        flags: ``URDF_*``.
        globalScaling: Factor on every length.
        physicsClientId: The client.

    Raises:
        error: Not connected, or the file cannot be loaded; the message says why.
    """
    if isinstance(basePosition, (int, float)):
        numbers = (basePosition, baseOrientation, useMaximalCoordinates)
        turn = (useFixedBase, flags, globalScaling, physicsClientId)
        given = turn if globalScaling is not _UNSCALED else (0.0, 0.0, 0.0, 1.0)
        return loadURDF(fileName, numbers, given)  # pyright: ignore[reportArgumentType]
    maximal, held, flags = c_int(useMaximalCoordinates), c_int(useFixedBase), c_int(flags)
    client = get_client(c_int(physicsClientId))
    pos = vector(basePosition, 3, "Cannot convert basePosition.")
    quat = vector(baseOrientation, 4, "Cannot convert baseOrientation.")
    finite("basePosition", *pos)
    finite("baseOrientation", *quat)
    if not os.fspath(fileName):
        raise error("Empty filename, method expects 1, 4 or 8 arguments.")
    try:
        asset = _read_urdf(
            _named_file(os.fspath(fileName), client.search_path), client.search_path,
            flags & _READ_FLAGS, float(globalScaling),
            bool(held and flags & c.URDF_MERGE_FIXED_LINKS), os.getcwd(),
        )  # fmt: skip
        if asset.deformable is not None:
            from unibody.bullet.soft.loading import load_deformable

            place = Pose(pos, wxyz(quat))
            number = load_deformable(client, asset, place, float(globalScaling), flags)
            _keep_notes(client, client.bodies[number])
            return number
        fixed = bool(held) or bool(asset.fixed_base) or asset.links[0].inertial.mass == 0.0
        body = add_asset(
            client, asset, Pose(pos, wxyz(quat)), fixed=fixed, flags=flags,
            maximal=bool(maximal),
        )  # fmt: skip
    except (AssetError, InvalidArgumentError) as problem:
        text = naming_model(os.fspath(fileName), problem)
        raise error(f"Cannot load URDF file. {text}") from problem
    _keep_notes(client, body)
    options = f"useFixedBase={int(fixed)}, flags={flags}, globalScaling={float(globalScaling)!r}"
    client.load_calls[body.id] = LoadCall(f"[p.loadURDF({asset.file!r}, {options})]", 0)
    return body.id


def _named_file(name: str, directories: tuple[str, ...]) -> str:
    """A file as it is named, or that of a robot of this name where no file is called so."""
    if "." in name:  # robots have names without a suffix
        return name
    from unibody.sample_assets import names

    found = name in names.ROBOTS and SearchPath(directories, confined=False).locate(name) is None
    return names.file_of(name) if found else name


def _keep_notes(client: Client, body: Body) -> None:
    """Keep the notes of a file, in PyBullet's order."""
    keep = client.user_data.add_from_file
    for key, text in body.asset.notes:
        keep(Place(body.id, -1, -1, key), text)
    for index, link in enumerate(body.asset.links, start=-1):
        for key, text in link.notes:
            keep(Place(body.id, index, -1, key), text)
        for number, shape in enumerate(link.visuals):
            for key, text in shape.notes:
                keep(Place(body.id, index, number, key), text)


_READ_FLAGS = (
    c.URDF_USE_INERTIA_FROM_FILE
    | c.URDF_USE_IMPLICIT_CYLINDER
    | c.URDF_MAINTAIN_LINK_ORDER
    | c.URDF_MERGE_FIXED_LINKS
    | c.URDF_IGNORE_COLLISION_SHAPES
    | c.URDF_IGNORE_VISUAL_SHAPES
)


def _read_urdf(
    name: str, directories: tuple[str, ...], flags: int, scale: float, keep_base: bool, cwd: str
) -> Asset:
    found = SearchPath(directories, confined=False).locate(name)
    stat = os.stat(found) if found else None
    stamp = (found, stat.st_mtime_ns, stat.st_size) if stat else (name, 0, 0)
    return _cached_urdf(name, directories, flags, scale, keep_base, cwd, stamp)


@functools.lru_cache(maxsize=64)
def _cached_urdf(
    name: str, directories: tuple[str, ...], flags: int, scale: float, keep_base: bool, cwd: str,
    stamp: Any,
) -> Asset:  # fmt: skip
    """The asset of a file, prepared as PyBullet would; shared by all copies, so never changed.

    With ``keep_base`` the mass of what is merged into the base does not count.
    """
    from unibody.core.assets.urdf import UrdfOptions, load_urdf

    options = UrdfOptions(
        scale=scale,
        fixed_base=keep_base,
        maintain_link_order=bool(flags & c.URDF_MAINTAIN_LINK_ORDER),
        merge_fixed_links=bool(flags & c.URDF_MERGE_FIXED_LINKS),
        deformable=True,
    )
    asset = load_urdf(name, search_path=SearchPath(directories, confined=False), options=options)
    if sample_assets.stands_for_pybullet_data():
        sample_assets.tell_of_stand_in(asset.file)
    return prepared(asset, flags)
