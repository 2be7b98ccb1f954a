"""Files of any format as assets: one table says what reads and what writes which suffix.

A format is added with one entry in ``FORMATS``. Readers and writers are imported when they are
first called.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from unibody.core.assets import suffixes
from unibody.core.assets.description import Asset, Link, MeshSource, Shape, ShapeKind
from unibody.core.assets.limits import DEFAULT_LIMITS, Limits
from unibody.core.assets.paths import SearchPath
from unibody.core.assets.suffixes import suffix_of
from unibody.errors import AssetError, NotSupportedError

if TYPE_CHECKING:
    from unibody.core.assets.writers.folder import OutputFolder
    from unibody.core.assets.writers.losses import Losses

_File = str | os.PathLike[str]
_Reader = Callable[[_File, SearchPath, Limits], list[Asset]]
_Writer = Callable[[list[Asset], "OutputFolder", str], "Losses"]


@dataclass(frozen=True, slots=True)
class Format:
    """A format of files.

    Attributes:
        name: In lower case.
        suffixes: Of its files, in lower case.
        read: Gives the assets of a file as the format's own specification means them.
        bodies: A file says what bodies there are. Otherwise it holds a shape alone.
        readable: Its reader reads it. Otherwise that refuses all files and says what to do.
        write: Writes assets into a folder, all or the one of a name, and gives what the format
            cannot say of them; None: nothing writes it.
    """

    name: str
    suffixes: tuple[str, ...]
    read: _Reader
    bodies: bool = True
    readable: bool = True
    write: _Writer | None = None


def _read_urdf(file: _File, search_path: SearchPath, limits: Limits) -> list[Asset]:
    from unibody.core.assets.urdf import UrdfOptions, load_urdf

    options = UrdfOptions(pybullet_defaults=False, skip_missing_visuals=True)
    return [load_urdf(file, search_path=search_path, limits=limits, options=options)]


def _read_sdf(file: _File, search_path: SearchPath, limits: Limits) -> list[Asset]:
    from unibody.core.assets.sdf import load_sdf

    return load_sdf(file, search_path, limits, pybullet_numbering=False)


def _read_mjcf(file: _File, search_path: SearchPath, limits: Limits) -> list[Asset]:
    from unibody.core.assets.mjcf.reader import load_mjcf

    return load_mjcf(file, search_path, limits, pybullet_numbering=False)


def _read_usd(file: _File, search_path: SearchPath, limits: Limits) -> list[Asset]:
    from unibody.core.assets.usd import load_usd

    return load_usd(file, search_path=search_path, limits=limits)


def _read_mesh(file: _File, search_path: SearchPath, _limits: Limits) -> list[Asset]:
    """One link that looks like the mesh, which is read when it is drawn."""
    found = search_path.locate(file)
    if found is None:
        raise AssetError(file, "", f"no such file, {search_path.described()}")
    source = MeshSource(found, os.fspath(file))
    link = Link("mesh", visuals=[Shape(ShapeKind.MESH, mesh=source)])
    return [Asset(Path(found).stem, [link], file=found)]


def _write_urdf(assets: list[Asset], folder: OutputFolder, model: str) -> Losses:
    from unibody.core.assets.writers.urdf_writer import write_urdf

    return write_urdf(assets, folder, model)


def _write_mjcf(assets: list[Asset], folder: OutputFolder, model: str) -> Losses:
    from unibody.core.assets.writers.mjcf_writer import write_mjcf

    return write_mjcf(assets, folder, model)


def _write_sdf(assets: list[Asset], folder: OutputFolder, model: str) -> Losses:
    from unibody.core.assets.writers.sdf_writer import write_sdf

    return write_sdf(assets, folder, model)


def _write_usd(assets: list[Asset], folder: OutputFolder, model: str) -> Losses:
    from unibody.core.assets.writers.usd_writer import write_usd

    return write_usd(assets, folder, model)


def _read_opensim(_file: _File, _search_path: SearchPath, _limits: Limits) -> list[Asset]:
    raise NotSupportedError("loading OpenSim files", "convert the file to MJCF")


FORMATS = (
    Format("urdf", (".urdf",), _read_urdf, write=_write_urdf),
    Format("sdf", (".sdf", ".world"), _read_sdf, write=_write_sdf),
    Format("mjcf", (".xml", ".mjcf"), _read_mjcf, write=_write_mjcf),
    Format("usd", suffixes.USD, _read_usd, write=_write_usd),
    Format("opensim", (".osim",), _read_opensim, readable=False),
    Format("mesh", suffixes.MESH, _read_mesh, bodies=False),
)


def format_of(file: _File) -> Format | None:
    """The format of a file, by its suffix; None: nothing here reads it."""
    suffix = suffix_of(file)
    return next((entry for entry in FORMATS if suffix in entry.suffixes), None)


def format_named(name: str) -> Format:
    """The format of a name.

    Raises:
        KeyError: There is none.
    """
    return {entry.name: entry for entry in FORMATS}[name]


def known_suffixes(*, bodies: bool = False) -> tuple[str, ...]:
    """All suffixes that a reader takes; with ``bodies`` those of files that say what bodies are."""
    readable = [entry for entry in FORMATS if entry.readable and (entry.bodies or not bodies)]
    return tuple(suffix for entry in readable for suffix in entry.suffixes)


def load_assets(
    file: _File, search_path: SearchPath, limits: Limits = DEFAULT_LIMITS
) -> list[Asset]:
    """Read a file of any format.

    What the file leaves open stays open, masses too: ``mass.defaults`` completes them.

    Args:
        file: Path of the file; looked for with ``search_path``.
        search_path: Where the file and the files it refers to are looked for.
        limits: Bounds on the contents of the file.

    Returns:
        The assets in the order of the file, at least one.

    Raises:
        AssetError: The file is missing, malformed or refused for its contents.
        NotSupportedError: No reader takes its suffix, or what the reader needs is not installed.
    """
    entry = format_of(file)
    if entry is None:
        kind = suffix_of(file) or "nameless"
        raise NotSupportedError(f"a {kind} file", f"files end in {' '.join(known_suffixes())}")
    return entry.read(file, search_path, limits)
