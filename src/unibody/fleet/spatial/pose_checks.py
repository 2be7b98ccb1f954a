"""What is asked of poses."""

from __future__ import annotations

import math
from typing import Any

from unibody.errors import InvalidArgumentError
from unibody.fleet.spatial.geometry import Pose

WANTED_POSE = (
    "three finite coordinates [m] and a finite quaternion (x, y, z, w) that is not all zeros"
)


def check_pose(name: str, position: Any, orientation: Any) -> None:
    """See that a pose is one.

    Raises:
        InvalidArgumentError: A number is not finite, or the quaternion is all zeros.
    """
    try:
        px, py, pz = position
        x, y, z, w = orientation
        fine = math.isfinite(px + py + pz + x + y + z + w) and bool(x or y or z or w)
    except (TypeError, ValueError, OverflowError):  # too few, too many, or no numbers at all
        fine = False
    if not fine:
        raise InvalidArgumentError(name, (position, orientation), WANTED_POSE)


def check_given(**poses: Pose | None) -> None:
    """`check_pose` for arguments by name, where they are given."""
    for name, pose in poses.items():
        if pose is not None:
            check_pose(name, pose.position, pose.orientation)
