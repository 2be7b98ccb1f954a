"""Commands of Isaac Sim: they make, move, scale and delete prims."""

from __future__ import annotations

from typing import Any

from unibody.isaac_core import handles, transforms
from unibody.isaac_core.functions import prims, stage
from unibody.isaac_core.kit.commands import command


@command("IsaacSimSpawnPrim")
def spawn(
    usd_path: str, prim_path: str, translation: Any = (0, 0, 0), rotation: Any = (1, 0, 0, 0)
) -> None:
    """Refer to a file from a new prim; rotation is w, x, y, z."""
    prim = stage.add_reference_to_stage(usd_path, prim_path)
    transforms.write(prim, translation, rotation)


@command("IsaacSimTeleportPrim")
def teleport(prim_path: str, translation: Any = (0, 0, 0), rotation: Any = (1, 0, 0, 0)) -> None:
    """Put a prim elsewhere to its parent; rotation is w, x, y, z."""
    transforms.write(handles.prim_at(prim_path), translation, rotation)


@command("IsaacSimScalePrim")
def scale_prim(prim_path: str, scale: Any = (0, 0, 0)) -> None:
    """Scale a prim."""
    transforms.write(handles.prim_at(prim_path), scale=scale)


@command("IsaacSimDestroyPrim")
def destroy(prim_path: str) -> None:
    """Delete a prim."""
    prims.delete_prim(prim_path)
