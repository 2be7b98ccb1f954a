"""`unibody convert IN OUT`: a robot or scene in another format."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from unibody.command_parser import Parser

_ABOUT = """\
The suffixes say the formats: URDF (.urdf), MJCF (.xml, .mjcf){more}.
Meshes and images are written beside OUT, into the folder OUT_files; what stands there under the
same names is replaced. What the format of OUT cannot say is listed, a line for each kind.
"""


def main(argv: Sequence[str]) -> int:
    """Convert a file.

    Args:
        argv: The arguments behind `convert`.

    Returns:
        The exit status of the process.
    """
    from unibody.core.assets.convert import convert
    from unibody.core.assets.paths import SearchPath
    from unibody.errors import UnibodyError
    from unibody.sample_assets import names

    options = _parser().parse_args(argv)
    folders = tuple(os.path.abspath(folder) for folder in options.search)
    try:
        losses = convert(
            names.file_of(options.source),
            options.target,
            search_path=SearchPath(folders, confined=False),
            model=options.model,
            fixed_base=options.base,
        )
    except (UnibodyError, OSError) as problem:
        print(f"unibody convert: {problem}", file=sys.stderr)
        return 1
    for line in losses:
        print(f"unibody convert: {options.target}: {line}", file=sys.stderr)
    return 0


def _parser() -> Parser:
    from unibody.core.assets.load import FORMATS

    written = [entry for entry in FORMATS if entry.write is not None]
    known = ("urdf", "mjcf")
    more = "".join(
        f", {entry.name.upper()} ({', '.join(entry.suffixes)})"
        for entry in written
        if entry.name not in known
    )
    parser = Parser(
        prog="unibody convert",
        description=_ABOUT.format(more=more),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("source", metavar="IN", help="URDF, SDF, MJCF or USD")
    parser.add_argument("target", metavar="OUT", help="the file that is written")
    parser.add_argument(
        "--model", default="", metavar="NAME", help="the one to write, of several models in IN"
    )
    parser.add_argument(
        "--search", action="append", default=[], metavar="FOLDER",
        help="a folder in which meshes are looked for; may be given several times",
    )  # fmt: skip
    base = parser.add_mutually_exclusive_group()
    base.add_argument(
        "--fixed-base", dest="base", action="store_true", default=None,
        help="the base does not move (default: as IN says; where it does not say, it moves)",
    )  # fmt: skip
    base.add_argument(
        "--free-base", dest="base", action="store_false", default=None, help="the base moves"
    )
    return parser
