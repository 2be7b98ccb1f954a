"""Bodies and fixed colliders that come to a stage while it is in motion."""

from __future__ import annotations

from typing import Any

from pxr import Usd, UsdPhysics

from unibody.core.assets.description import Asset
from unibody.core.assets.usd.reader import read_stage
from unibody.isaac_core.physics.environments import environment_roots
from unibody.isaac_core.physics.fixed import is_fixed_collider
from unibody.isaac_core.physics.unsupported import check_prims


def is_new(scene: Any, prim: Usd.Prim) -> bool:
    """Whether a prim is a body or a fixed collider that a scene does not have."""
    path = str(prim.GetPath())
    if prim.HasAPI(UsdPhysics.RigidBodyAPI):
        return scene.body_of(path) is None
    return is_fixed_collider(prim) and not scene.fixed.below(path)


def admit(scene: Any) -> list[Any]:
    """Let what is new outside environments take part. Worlds are built anew for it.

    Args:
        scene: A ``PhysicsScene``.

    Returns:
        The new bodies.
    """
    roots = environment_roots(scene.stage)
    check_prims(scene.stage, "/", roots)
    found: list[Asset] = []
    for asset in read_stage(scene.stage, excluded=roots, paths=True):
        if asset.static:
            scene.fixed.add(asset)
            continue
        links = [dict(link.notes).get("prim_path", "") for link in asset.links]
        if not any(scene.body_of(path) is not None for path in links if path):
            found.append(asset)
    bodies: list[Any] = scene.add_moving(found) if found else []
    return bodies
