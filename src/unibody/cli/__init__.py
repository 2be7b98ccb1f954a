"""The `unibody` command."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence

COMMANDS = {
    "run": ("run", "run [options] script.py [args]", "run a script, unchanged, on unibody"),
    "view": ("view", "view FILE...", "look at robots and meshes, a slider for every joint"),
    "convert": ("convert", "convert IN OUT", "a robot or scene as URDF, MJCF, SDF or USD"),
    "serve": ("serve", "serve --tcp HOST:PORT", "a world in a process of its own"),
    "fleet": ("fleet", "fleet run CONFIG.yaml", "run many robots from a file; also batch, replay"),
    "train": ("train", "train TASK", "train a policy for a task"),
    "play": ("play", "play TASK CHECKPOINT", "let a trained policy act in its task"),
    "collect": ("collect", "collect TASK DIR --episodes N", "episodes of a policy as a data set"),
    "sweep": ("sweep", "sweep script.py --set NAME=A,B", "run a script over parameters and seeds"),
    "alias": ("alias", "alias install|remove", "let `import pybullet` mean unibody everywhere"),
    "data": ("data", "data [install]", "which models are here; get those of PyBullet"),
    "doctor": ("doctor", "doctor", "what is installed, what works, what is missing"),
    "compile": ("compiling", "compile", "compile all machine code now, once for a machine"),
    "bench": ("bench", "bench [args]", "measure against the originals (needs a checkout)"),
}
"""By name: the module of this package whose ``main`` it is, how it is written, what it does."""

_PIPE_CLOSED = 141  # 128 + SIGPIPE, what a shell reports
_OF_TRAINING = ("train", "play")
_ABOUT = "unibody COMMAND --help says more of one; `run -m package.module` runs a module."


def main(argv: Sequence[str] | None = None) -> int:
    """Entry point of the `unibody` command.

    Args:
        argv: Arguments without the program's name; those of the process if None.

    Returns:
        The exit status of the process.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments[:1] == ["help"]:
        arguments = [*arguments[1:2], "--help"]
    command = COMMANDS.get(arguments[0]) if arguments else None
    if command is None:
        return _no_command(arguments)
    module = importlib.import_module(f"unibody.cli.{command[0]}")
    try:
        return int(module.main(arguments[1:]))
    except ModuleNotFoundError as missing:
        return _say_which_extra(arguments[0], missing)
    except BrokenPipeError:  # who reads has enough, as `head` has
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nothing is left to flush
        return _PIPE_CLOSED


def _no_command(arguments: list[str]) -> int:
    """Print the help or the version, or say what is wrong; ends the process."""
    import argparse

    from unibody.command_parser import Parser

    width = max(len(usage) for _, usage, _ in COMMANDS.values()) + 2
    lines = [f"  unibody {usage:<{width}}{what}" for _, usage, what in COMMANDS.values()]
    parser = Parser(
        prog="unibody",
        usage="unibody COMMAND [arguments]",
        description="\n".join(lines),
        epilog=_ABOUT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("command", choices=COMMANDS, metavar="COMMAND", help=argparse.SUPPRESS)
    parser.add_argument("--version", action="version", version=f"unibody {_version()}")
    if not arguments:
        parser.print_help(sys.stderr)
        return 2
    parser.parse_args(arguments[:1])
    return 2


def _say_which_extra(command: str, missing: ModuleNotFoundError) -> int:
    """Say in a line how to get a package that the command needs.

    Raises:
        ModuleNotFoundError: No extra brings it.
    """
    from unibody import extras

    line = extras.advice(missing.name)
    if line is None:
        raise missing
    if command in _OF_TRAINING:  # what they import first belongs to smaller extras, too
        name = str(missing.name).partition(".")[0]
        line = f"{name} is not installed: {extras.install_command('train')}"
    print(f"unibody {command}: {line}", file=sys.stderr)
    return 2


def _version() -> str:
    import unibody

    return unibody.__version__
