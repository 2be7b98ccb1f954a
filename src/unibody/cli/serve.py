"""`unibody serve`: a world in a process of its own, for clients that connect to it."""

from __future__ import annotations

import argparse
import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path

from unibody.command_parser import Parser
from unibody.extras import install_command

_ABOUT = """\
Scripts join with p.connect(p.SHARED_MEMORY, key) or p.connect(p.TCP, host, port) and share one
world. A port needs a token: it is read from --token-file or from the environment variable
UNIBODY_TOKEN, or made up; clients have it in UNIBODY_TOKEN. One that is made up for localhost lies
in a file that only this user can open, where this user's clients find it; else it is printed.
"""


def main(argv: Sequence[str]) -> int:
    """Serve until interrupted.

    Args:
        argv: The arguments behind `serve`.

    Returns:
        The exit status of the process.
    """
    arguments = _parser().parse_args(argv)
    for module in ("zmq", "msgpack"):
        if importlib.util.find_spec(module) is None:
            print(
                f"unibody serve: the package {module} is missing, which carries calls between "
                f"processes: {install_command('serve')}",
                file=sys.stderr,
            )
            return 2
    from unibody.errors import UnibodyError
    from unibody.serve.bullet import Settings, serve

    host, port = arguments.tcp or ("", 0)
    settings = Settings(
        host=host,
        port=port,
        key=arguments.shared_memory or 0,
        window=arguments.gui,
        real_time=arguments.real_time,
        files=arguments.files,
        token_file=arguments.token_file,
    )
    try:
        serve(settings, lambda line: print(line, flush=True))
    except (UnibodyError, OSError) as problem:
        print(f"unibody serve: {problem}", file=sys.stderr)
        return 1
    return 0


def _parser() -> Parser:
    parser = Parser(
        prog="unibody serve",
        description=_ABOUT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--tcp", type=_address, metavar="HOST:PORT", help="listen on a port")
    where.add_argument(
        "--shared-memory", type=_key, metavar="KEY", help="clients of this user on this machine"
    )
    parser.add_argument("--gui", action="store_true", help="show the world in the viewer")
    parser.add_argument("--real-time", action="store_true", help="step by the clock")
    parser.add_argument(
        "--files", type=Path, default=Path("served_files"), metavar="FOLDER",
        help="the only folder calls over TCP write files to (default: served_files)",
    )  # fmt: skip
    parser.add_argument("--token-file", type=Path, metavar="FILE", help="file with the token")
    return parser


def _address(text: str) -> tuple[str, int]:
    host, colon, port = text.rpartition(":")
    if not (colon and host and port.isdecimal()):
        raise argparse.ArgumentTypeError(f"{text!r}: expected HOST:PORT, as localhost:6667")
    return host.strip("[]"), int(port)


def _key(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r}: expected a positive number, as 12347")
    return int(text)
