"""`unibody data`: which models are here, where they are, and how to get others."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from unibody.command_parser import Parser

_ABOUT = """\
Without an action: list the models that are here, and where.
install    fetch the models of pybullet_data with pip (100 MB; PyBullet itself is not installed).
           Each of them has a licence of its own; what is used of PyBullet's wheel is its data only.
remove     delete them again
where      print the file of a robot or model, by name: unibody data where panda
"""
_SUFFIXES = {".urdf", ".sdf", ".xml", ".mjcf"}


def main(argv: Sequence[str]) -> int:
    """List models, or fetch them.

    Args:
        argv: The arguments behind `data`.

    Returns:
        The exit status of the process.
    """
    import argparse

    from unibody.errors import AssetError
    from unibody.sample_assets import names, originals

    parser = Parser(
        prog="unibody data", description=_ABOUT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument(
        "action", nargs="?", default="list", choices=["list", "install", "remove", "where"]
    )
    parser.add_argument("name", nargs="?", help="of a robot or model")
    options = parser.parse_args(argv)
    if (options.action == "where") != (options.name is not None):
        parser.error("where needs the name of a robot, and no other action takes one")
    try:
        if options.action == "install":
            print(f"the models of pybullet_data are in {originals.install()}")
        elif options.action == "remove":
            print(f"removed: {originals.remove() or 'nothing, none were fetched'}")
        elif options.action == "where":
            print(_where(options.name, names.file_of(options.name)))
        else:
            print("\n".join(_listed()))
    except (originals.DownloadError, AssetError, OSError) as problem:
        print(f"unibody data: {problem}", file=sys.stderr)
        return 1
    return 0


def _where(name: str, path: str) -> str:
    """The file of a model: as named, or in one of the folders.

    Raises:
        AssetError: It is in none.
    """
    from unibody.errors import AssetError
    from unibody.sample_assets import originals, stand_ins

    for folder in (Path(), originals.folder(), Path(stand_ins())):
        if folder is not None and (folder / path).is_file():
            return str((folder / path).resolve())
    raise AssetError(name, "", f"not on this machine{originals.hint(name)}")


def _listed() -> Iterator[str]:
    from unibody.sample_assets import names, originals, stand_ins

    own = Path(stand_ins())
    yield f"models of ours, which stand in for some of PyBullet's: {own}"
    yield f"  {', '.join(sorted(_models(own)))}"
    found = originals.folder()
    if found is None:
        yield f"models of pybullet_data: not here; {originals.GET} fetches them"
    else:
        yield f"models of pybullet_data: {found}"
        yield f"  {len(_models(found))} files: URDF, SDF and MJCF"
    known = [name for name in names.ROBOTS if found is not None or _stands_in(own, name)]
    yield f"robots by name, for unibody view, convert and loadURDF: {', '.join(known)}"
    described = names.described()
    if described:
        yield f"  and {len(described)} of robot_descriptions, fetched when first used"
    else:
        yield "  many more with pip install robot_descriptions, fetched when first used"


def _stands_in(own: Path, name: str) -> bool:
    from unibody.sample_assets import names

    return (own / names.ROBOTS[name]).is_file()


def _models(folder: Path) -> list[str]:
    files = (path for path in folder.rglob("*") if path.suffix in _SUFFIXES)
    return [path.relative_to(folder).as_posix() for path in files]
