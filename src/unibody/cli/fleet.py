"""`unibody fleet`: run scenarios of many robots from files."""

from __future__ import annotations

from collections.abc import Sequence


def main(argv: Sequence[str]) -> int:
    """Run the command of the fleet surface.

    Args:
        argv: The arguments behind `fleet`.

    Returns:
        The exit status of the process.
    """
    from unibody.fleet.command_line import fleet_command

    return fleet_command.main(argv)
