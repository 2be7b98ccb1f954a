"""The table of assets: by their paths below the root, what they are made from."""

from __future__ import annotations

import importlib.util
import tomllib
from dataclasses import dataclass, field
from functools import cache
from importlib.machinery import PathFinder
from pathlib import Path

_HERE = Path(__file__).resolve().parent
_OWN = _HERE / "models"


@dataclass(frozen=True, slots=True)
class Source:
    """A file that an asset is made from.

    Attributes:
        name: As it is named in what is said of it.
        package: The package that has it, "" for one of our own.
        file: Its path, in the package or among our own.
    """

    name: str
    package: str
    file: str

    def found(self) -> Path | None:
        """Where it is; None where its package is not installed, or does not have it."""
        if not self.package:
            return _OWN / self.file
        # What is installed comes first: in a script the originals' names mean modules of ours.
        specs = (PathFinder.find_spec(self.package), importlib.util.find_spec(self.package))
        places = [
            place
            for spec in specs
            if spec is not None
            for place in spec.submodule_search_locations or []
        ]
        files = [Path(place) / self.file for place in places]
        return next((file for file in files if file.is_file()), None)


@dataclass(frozen=True, slots=True)
class DriveOfTable:
    """The drive of joints whose names a pattern fits."""

    pattern: str
    stiffness: float = 0.0
    damping: float = 0.0
    max_force: float = 0.0
    acceleration: bool = False


@dataclass(frozen=True, slots=True)
class Recipe:
    """What an asset is made from, and how.

    Attributes:
        paths: Of the asset, below the root; all spellings.
        sources: The first one that is there is taken.
        fixed: Whether its base stands still, None: as the source says.
        without: Links that are left out.
        joints: "": joints are in a scope of their own; "parents", "children": below their bodies.
        drives: Of its joints, where they are not as the source says.
        start: Where joints begin, by name [rad or m].
        more: A file of our own whose prims are added; "": none.
        self_collision: Whether its links touch one another, None: as the source says.
        needs: Other assets that it refers to.
        scopes: Names of prims below the root, and patterns of the links that lie below each.
    """

    paths: tuple[str, ...]
    sources: tuple[Source, ...]
    fixed: bool | None = None
    without: tuple[str, ...] = ()
    joints: str = ""
    drives: tuple[DriveOfTable, ...] = field(default_factory=tuple)
    start: tuple[tuple[str, float], ...] = ()
    more: str = ""
    scopes: tuple[tuple[str, str], ...] = ()
    needs: tuple[str, ...] = ()
    self_collision: bool | None = None

    def more_file(self) -> Path:
        """The file whose prims are added."""
        return _OWN / self.more


@cache
def recipes() -> dict[str, Recipe]:
    """The recipes, by each path of their assets."""
    found: dict[str, Recipe] = {}
    with (_HERE / "table.toml").open("rb") as stream:
        rows = tomllib.load(stream)["asset"]
    for row in rows:
        sources = tuple(_source(entry) for entry in row["sources"])
        drives = tuple(DriveOfTable(key, **row["drives"][key]) for key in row.get("drives", {}))
        recipe = Recipe(
            tuple(row["paths"]), sources, row.get("fixed"), tuple(row.get("without", ())),
            row.get("joints", ""), drives, tuple(row.get("start", {}).items()),
            row.get("more", ""), tuple(row.get("scopes", {}).items()),
            tuple(row.get("needs", ())), row.get("self_collision"),
        )  # fmt: skip
        found |= dict.fromkeys(recipe.paths, recipe)
    return found


def _source(entry: dict[str, str]) -> Source:
    if "own" in entry:
        return Source(f"a model of our own, {entry['own']}", "", entry["own"])
    return Source(f"{entry['package']}'s {entry['file']}", entry["package"], entry["file"])
