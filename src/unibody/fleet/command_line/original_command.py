"""The command of the original package: `python -m pybullet_fleet.cli examples | config`."""

from __future__ import annotations

import argparse
import os
import runpy
import shutil
import sys
from collections.abc import Iterator, Sequence

from unibody import fleet


def _examples_dir() -> str:
    return os.path.join(os.path.dirname(fleet.__file__), "examples")


def _config_dir() -> str:
    return os.path.join(os.path.dirname(fleet.__file__), "config")


def _files(root: str, suffixes: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Files below a folder: relative and absolute path."""
    for folder, _, names in os.walk(root):
        for name in sorted(names):
            if name.endswith(suffixes):
                full = os.path.join(folder, name)
                yield os.path.relpath(full, root), full


def _iter_examples(root: str) -> Iterator[tuple[str, str]]:
    return _files(root, (".py",))


def _iter_configs(root: str) -> Iterator[tuple[str, str]]:
    return _files(root, (".yaml", ".yml"))


def _find_example(root: str, name: str) -> list[tuple[str, str]]:
    wanted = os.path.splitext(name)[0].replace(os.sep, "/")
    found = []
    for rel, full in _iter_examples(root):
        stem = os.path.splitext(rel)[0].replace(os.sep, "/")
        if wanted in (stem, stem.rsplit("/", maxsplit=1)[-1]):
            found.append((rel, full))
    return found


def _say(text: str) -> None:
    print(text)  # noqa: T201 - a command


def _complain(text: str) -> int:
    print(text, file=sys.stderr)  # noqa: T201 - a command
    return 1


def _copy(root: str, target: str, what: str) -> int:
    place = os.path.abspath(target)
    shutil.copytree(root, place, dirs_exist_ok=True)
    _say(f"Copied {what} to {place}")
    return 0


def _run(root: str, name: str, extra: list[str]) -> int:
    found = _find_example(root, name)
    if not found:
        return _complain(f"No example matching {name!r}. Try `examples --list`.")
    if len(found) > 1:
        listed = "\n".join(f"  {rel}" for rel, _ in found)
        return _complain(f"Ambiguous name {name!r}; matches:\n{listed}")
    saved, sys.argv = sys.argv, [found[0][1], *extra]
    try:
        runpy.run_path(found[0][1], run_name="__main__")
    finally:
        sys.argv = saved
    return 0


def _examples(options: argparse.Namespace, extra: list[str]) -> int:
    root = _examples_dir()
    if not os.path.isdir(root):
        return _complain(f"examples not found at {root}")
    if options.path:
        _say(root)
        return 0
    if options.copy:
        return _copy(root, options.copy, "examples")
    if options.run:
        return _run(root, options.run, extra)
    section = None
    for rel, _ in _iter_examples(root):
        folder, name = os.path.split(rel)
        if folder != section:
            section = folder
            _say(f"[{folder or '.'}]")
        _say(f"  {name}")
    return 0


def _configs(options: argparse.Namespace) -> int:
    root = _config_dir()
    if not os.path.isdir(root):
        return _complain(f"config templates not found at {root}")
    if options.path:
        _say(root)
        return 0
    if options.copy:
        return _copy(root, options.copy, "config templates")
    for rel, _ in _iter_configs(root):
        _say(rel)
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        argv: Arguments without the program's name; those of the process if None.

    Returns:
        The exit status.
    """
    parser = argparse.ArgumentParser(prog="pybullet-fleet", description="Examples and configs")
    commands = parser.add_subparsers(dest="command")
    for name, what in (("examples", "examples"), ("config", "configuration files")):
        group = commands.add_parser(name, help=what).add_mutually_exclusive_group()
        group.add_argument("--list", action="store_true", help=f"list the {what}")
        group.add_argument("--path", action="store_true", help="where they are")
        group.add_argument("--copy", metavar="DEST", help="copy them to a folder")
        if name == "examples":
            group.add_argument("--run", metavar="NAME", help="run one")
    options, extra = parser.parse_known_args(argv)
    if options.command is None:
        parser.print_help()
        return 0
    if extra and not getattr(options, "run", None):
        parser.error(f"unrecognized arguments: {' '.join(extra)}")
    return _examples(options, extra) if options.command == "examples" else _configs(options)


if __name__ == "__main__":
    sys.exit(main())
