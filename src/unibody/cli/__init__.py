"""The `unibody` command."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

_USAGE = """\
unibody run [options] script.py [args]          run a script, unchanged, on unibody
unibody run [options] -m package.module [args]  the same for a module
unibody view FILE...                            look at robots and meshes, a slider for every joint
unibody convert IN OUT                          a robot or scene as URDF, MJCF or SDF
unibody serve --tcp HOST:PORT                   a world in a process of its own; also
                                                --shared-memory KEY
unibody fleet run CONFIG.yaml                   run many robots from a file; also
                                                batch, replay, examples, config
unibody alias install|remove                    let `import pybullet` mean unibody everywhere
unibody doctor                                  what is installed, what works, what is missing
unibody compile                                 compile all machine code now, once for a machine
unibody bench [args]                            measure against the originals (needs a checkout)
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Entry point of the `unibody` command.

    Args:
        argv: Arguments without the program's name; those of the process if None.

    Returns:
        The exit status of the process.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments[:1] == ["run"]:  # everything behind the script belongs to the script
        from unibody.cli import run

        return run.main(arguments[1:])
    if arguments[:1] == ["bench"]:
        from unibody.cli import bench

        return bench.main(arguments[1:])
    if arguments[:1] == ["view"]:
        from unibody.cli import view

        return view.main(arguments[1:])
    if arguments[:1] == ["convert"]:
        from unibody.cli import convert

        return convert.main(arguments[1:])
    if arguments[:1] == ["serve"]:
        from unibody.cli import serve

        return serve.main(arguments[1:])
    if arguments[:1] == ["fleet"]:
        from unibody.cli import fleet

        return fleet.main(arguments[1:])
    if arguments[:1] == ["alias"]:
        from unibody.cli import alias

        return alias.main(arguments[1:])
    if arguments == ["compile"]:
        from unibody.cli import compiling

        return compiling.main()
    parser = argparse.ArgumentParser(
        prog="unibody", usage=_USAGE.replace("\n", "\n       ").rstrip(), add_help=True
    )
    commands = ["run", "view", "convert", "serve", "fleet", "alias", "doctor", "compile", "bench"]
    parser.add_argument("command", choices=commands, help=argparse.SUPPRESS)
    parser.add_argument("--version", action="version", version=f"unibody {_version()}")
    parser.parse_args(arguments)
    from unibody.cli import doctor

    return doctor.main()


def _version() -> str:
    import unibody

    return unibody.__version__
