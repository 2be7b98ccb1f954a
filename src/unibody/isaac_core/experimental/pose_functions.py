"""Functions of poses of single prims on the stage; quaternions are w, x, y, z."""

from __future__ import annotations

from typing import Any

import numpy as np
from pxr import Usd

from unibody.isaac_core.experimental import prim_functions as functions
from unibody.isaac_core.experimental.arguments import Array, table, warp
from unibody.isaac_core.functions import transformations
from unibody.isaac_core.prims.xform_view import XFormPrimView


def get_local_pose(prim: str | Usd.Prim, *, device: Any = None) -> tuple[Any, Any]:
    """(3,) translation and (4,) orientation to the parent."""
    return _first(_view(prim).get_local_poses(), device)


def set_local_pose(
    prim: str | Usd.Prim, *, translation: Array | None = None, orientation: Array | None = None
) -> None:
    """Set (3,) translation and (4,) orientation to the parent; what is None stays."""
    _view(prim).set_local_poses(*_rows("translation", translation, orientation))


def get_world_pose(prim: str | Usd.Prim, *, device: Any = None) -> tuple[Any, Any]:
    """(3,) position and (4,) orientation in the world."""
    return _first(_view(prim).get_world_poses(), device)


def set_world_pose(
    prim: str | Usd.Prim, *, position: Array | None = None, orientation: Array | None = None
) -> None:
    """Set (3,) position and (4,) orientation in the world; what is None stays."""
    _view(prim).set_world_poses(*_rows("position", position, orientation))


def get_relative_transform(source_prim: str | Usd.Prim, target_prim: str | Usd.Prim) -> np.ndarray:
    """(4, 4) matrix for column vectors, from the frame of a prim to that of another."""
    prims = (functions.get_prim_at_path(one) for one in (source_prim, target_prim))
    return transformations.get_relative_transform(*prims)


def _view(prim: str | Usd.Prim) -> XFormPrimView:
    return XFormPrimView(functions.get_prim_path(prim), reset_xform_properties=False)


def _first(poses: tuple[Any, Any], device: Any) -> tuple[Any, Any]:
    return warp(poses[0][0], device=device), warp(poses[1][0], device=device)


def _rows(name: str, place: Any, turn: Any) -> tuple[Any, Any]:
    return (
        None if place is None else table(name, place, (1, 3)),
        None if turn is None else table("orientation", turn, (1, 4)),
    )
