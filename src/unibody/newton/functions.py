"""Functions that scripts know as ``newton.utils``."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import warp as wp

from unibody.errors import NotSupportedError


def parse_urdf(urdf_filename: Any, builder: Any, **options: Any) -> None:
    """Add what a URDF file holds; see `ModelBuilder.add_urdf`."""
    builder.add_urdf(urdf_filename, **options)


def parse_mjcf(mjcf_filename_or_string: Any, builder: Any, **options: Any) -> None:
    """Add what an MJCF file holds; see `ModelBuilder.add_mjcf`."""
    builder.add_mjcf(mjcf_filename_or_string, **options)


def parse_usd(source: Any, builder: Any, **options: Any) -> Any:
    """Add what a USD stage holds; see `ModelBuilder.add_usd`."""
    return builder.add_usd(source, **options)


def download_asset(asset_folder: str, **_: Any) -> str:
    """Refuse: nothing is downloaded.

    Args:
        asset_folder: What would be.
    """
    raise NotSupportedError(f"download_asset({asset_folder!r})", "add_urdf and add_mjcf take files")


def quat_between_axes(*axes: Any) -> wp.quat:
    """The rotation from each axis to the next, one behind another."""
    from unibody.newton.enums import Axis

    turn = wp.quat_identity()
    for first, second in pairwise(axes):
        turn = turn * Axis.from_any(first).quat_between_axes(Axis.from_any(second))
    return turn
