"""From a file of one format to a file of another."""

from __future__ import annotations

import os
from dataclasses import replace

from unibody.core.assets.load import FORMATS, format_of, load_assets
from unibody.core.assets.paths import SearchPath
from unibody.core.assets.suffixes import suffix_of
from unibody.core.assets.writers.folder import OutputFolder
from unibody.errors import InvalidArgumentError, NotSupportedError


def convert(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    *,
    search_path: SearchPath,
    model: str = "",
    fixed_base: bool | None = None,
) -> list[str]:
    """Write what a file says in another format, which the suffix of the target names.

    Meshes and images are written into a folder beside the target. A file that is there is replaced
    when all of the new one is written.

    Args:
        source: The file that is read; looked for with ``search_path``.
        target: The file that is written.
        search_path: Where the source and the files it refers to are looked for.
        model: Name of the model that is written, "": all, or the only one that is not the world
            where the target holds one.
        fixed_base: Whether the base moves, None: as the source says; it moves where that is silent.

    Returns:
        What the target cannot say, a line for each kind of loss.

    Raises:
        AssetError: The source is missing, malformed or refused for its contents.
        InvalidArgumentError: ``target`` is the source, or ``model`` is none of its models.
        NotSupportedError: One of the formats is not read, or not written.
        OSError: The target cannot be written.
    """
    entry = format_of(target)
    if entry is None or entry.write is None:
        kind = suffix_of(target) or "nameless"
        written = [suffix for item in FORMATS if item.write for suffix in item.suffixes]
        raise NotSupportedError(
            f"{os.fspath(target)}: writing a {kind} file", f"files end in {' '.join(written)}"
        )
    found = search_path.locate(source)
    if found is not None and os.path.realpath(found) == os.path.realpath(target):
        raise InvalidArgumentError("target", os.fspath(target), "another file than the source")
    origin = format_of(source)
    if origin is not None and not origin.bodies:
        raise NotSupportedError(
            f"{os.fspath(source)}: a mesh alone has no bodies; converting it",
            "a .urdf file with the mesh in a link is converted",
        )
    assets = load_assets(source, search_path)
    if fixed_base is not None:
        assets = [
            asset if asset.static else replace(asset, fixed_base=fixed_base) for asset in assets
        ]
    return entry.write(assets, OutputFolder(os.fspath(target)), model).lines()
