"""Roots of articulations on the stage."""

from __future__ import annotations

from pxr import Sdf, Usd, UsdPhysics

from unibody.isaac_core import handles

_PHYSX = "PhysxArticulationAPI"


def add_articulation_root(prim: Usd.Prim) -> None:
    """Make a prim the root of an articulation."""
    UsdPhysics.ArticulationRootAPI.Apply(prim)
    prim.AddAppliedSchema(_PHYSX)


def remove_articulation_root(prim: Usd.Prim) -> None:
    """Make a prim no root of an articulation any more."""
    prim.RemoveAPI(UsdPhysics.ArticulationRootAPI)
    prim.RemoveAppliedSchema(_PHYSX)


def move_articulation_root(src_prim: Usd.Prim, dst_prim: Usd.Prim) -> None:
    """Make another prim the root in place of one."""
    if src_prim.HasAPI(UsdPhysics.ArticulationRootAPI):
        remove_articulation_root(src_prim)
        add_articulation_root(dst_prim)


def find_all_articulation_base_paths() -> list[str]:
    """Paths under which robots stand: of roots, or of the prims above joints that are roots.

    Roots do not nest: one above another is none.
    """
    found: list[Sdf.Path] = []
    for prim in handles.current_stage().Traverse():
        if prim.HasAPI(UsdPhysics.ArticulationRootAPI):
            joint = prim.IsA(UsdPhysics.Joint)
            found.append((prim.GetParent() if joint else prim).GetPath())
    above = {path for path in found for other in found if other != path and other.HasPrefix(path)}
    return [str(path) for path in found if path not in above]
