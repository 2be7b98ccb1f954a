"""Assets from files: which reader takes one, and where it looks for meshes."""

from __future__ import annotations

import copy
import functools
import os
from typing import Any

from unibody.core.assets.limits import DEFAULT_LIMITS
from unibody.core.assets.load import format_named, format_of, known_suffixes
from unibody.core.assets.paths import SearchPath
from unibody.errors import AssetError, InvalidArgumentError
from unibody.isaacgym.errors import ArgumentTypeError
from unibody.isaacgym.models.describe import describe
from unibody.isaacgym.models.mjcf import read_mjcf
from unibody.isaacgym.models.model import Model
from unibody.isaacgym.models.other_formats import read_other
from unibody.isaacgym.models.soft import soft_file
from unibody.isaacgym.models.urdf import read_urdf
from unibody.isaacgym.types.asset_options import AssetOptions
from unibody.isaacgym.types.enums import DofDriveMode

_RULES = {"mjcf": read_mjcf}  # others have the rules of other_formats.py
_REFUSED = ("sdf",)  # never a format of Isaac Gym's


def load_model(rootpath: Any, filename: Any, options: Any, kind: str = "") -> Model:
    """Load an asset.

    Args:
        rootpath: Directory that ``filename`` and the packages of meshes are in.
        filename: The file.
        options: An ``AssetOptions``, or None.
        kind: Name of the format, as in ``core.assets.load``; "": as the file's suffix says.

    Raises:
        ArgumentTypeError: A path is no string, or the options are no ``AssetOptions``.
        InvalidArgumentError: No reader takes the suffix, or an option has no meaning.
        AssetError: The file or a mesh is missing, or refused for its contents.
        NotSupportedError: There is no reader for this kind of file, or its soft body is not fixed.
    """
    for name, value in (("rootpath", rootpath), ("filename", filename)):
        if not isinstance(value, (str, os.PathLike)):
            raise ArgumentTypeError(name, value, "a path, as a string")
    chosen = checked_options(options)
    root = os.path.abspath(rootpath)
    file = os.path.join(root, filename)
    soft = not kind and file.lower().endswith(".tet")
    if soft and _is_file(file):
        tree, info = soft_file(file, chosen.density)
        return describe(tree, {tree.links[0].name}, chosen, [info])
    entry = format_named(kind) if kind else format_of(file)
    if entry is None and soft:
        entry = format_named("urdf")
    if entry is None or entry.name in _REFUSED or not entry.bodies:
        raise InvalidArgumentError(
            "filename", os.fspath(filename), f"a file that ends in {', '.join(_suffixes())}"
        )
    if not entry.readable:
        entry.read(file, SearchPath((root,)), DEFAULT_LIMITS)
    if not _is_file(file):
        problem = f"no such file: {os.fspath(filename)!r} below rootpath={os.fspath(rootpath)!r}"
        raise AssetError(file, "", problem)
    search = SearchPath((root,))
    if entry.name == "urdf":
        tree, bodies = read_urdf(file, search, chosen)
        alone = {body.name for body in bodies if not body.carrier}
        return describe(tree, alone, chosen, bodies)
    read = _RULES.get(entry.name, functools.partial(read_other, entry))
    return describe(*read(file, search, chosen), chosen)


def _suffixes() -> list[str]:
    refused = {suffix for name in _REFUSED for suffix in format_named(name).suffixes}
    return [suffix for suffix in known_suffixes(bodies=True) if suffix not in refused]


def checked_options(options: Any) -> AssetOptions:
    """Return a copy of asset options, or those by default for None.

    Raises:
        ArgumentTypeError: They are something else.
        InvalidArgumentError: A value has no meaning.
    """
    if options is None:
        return AssetOptions()
    if not isinstance(options, AssetOptions):
        raise ArgumentTypeError("options", options, "an AssetOptions, or None")
    chosen = copy.deepcopy(options)
    modes = [int(mode) for mode in DofDriveMode]
    if chosen.default_dof_drive_mode not in modes:
        name = "AssetOptions.default_dof_drive_mode"
        allowed = ", ".join(f"{int(mode)} ({mode.name})" for mode in DofDriveMode)
        raise InvalidArgumentError(name, chosen.default_dof_drive_mode, allowed)
    for name in ("density", "armature", "linear_damping", "angular_damping"):
        value = getattr(chosen, name)
        if not 0.0 <= value < float("inf"):
            raise InvalidArgumentError(f"AssetOptions.{name}", value, "zero or a positive number")
    return chosen


def _is_file(path: str) -> bool:
    try:
        return os.path.isfile(path)
    except ValueError:  # a NUL character in the name
        return False
