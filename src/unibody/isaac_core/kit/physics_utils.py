"""``omni.physx.scripts.physicsUtils``: grounds."""

from __future__ import annotations

from unibody.isaac_core.schemas import physics_schema_tools

__all__ = ["add_ground_plane"]

add_ground_plane = physics_schema_tools.addGroundPlane
