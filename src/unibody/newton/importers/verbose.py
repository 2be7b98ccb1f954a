"""Lines about what an importer has added, for callers that ask for them."""

from __future__ import annotations

import logging
import sys
from typing import Any

from unibody.newton.dialect import is_after_first_of_1
from unibody.newton.enums import JointType

_KINDS = ("body", "joint", "shape", "articulation", "equality_constraint", "constraint_mimic")


def tell(text: str) -> None:
    """Write a line to the output, or the log of later releases of 1.x if it has a reader."""
    logger = logging.getLogger("newton")
    level = logging.WARNING if text.startswith("Warning") else logging.INFO
    if is_after_first_of_1() and logger.hasHandlers() and logger.isEnabledFor(level):
        logger.log(level, text)
    else:
        sys.stdout.write(f"{text}\n")


def sizes(builder: Any) -> dict[str, int]:
    """How many entities of each kind a builder has."""
    return {kind: len(getattr(builder, f"{kind}_key")) for kind in _KINDS}


def report(builder: Any, before: dict[str, int]) -> None:
    """Name all that was added to a builder.

    Args:
        builder: The builder.
        before: Its sizes before.
    """
    for kind, first in before.items():
        keys = getattr(builder, f"{kind}_key")
        for index in range(min(first, len(keys)), len(keys)):
            tell(f"Added {kind} {index}: {keys[index]}{_more(builder, kind, index)}")


def _more(builder: Any, kind: str, index: int) -> str:
    if kind == "body":
        return f", mass {builder.body_mass[index]:g} kg"
    if kind == "joint":
        names = [
            "the world" if body < 0 else builder.body_key[body]
            for body in (builder.joint_parent[index], builder.joint_child[index])
        ]
        return f", {JointType(builder.joint_type[index]).name} from {names[0]} to {names[1]}"
    return ""
