"""Names of ``isaacsim.core.experimental.materials``."""

from __future__ import annotations

from unibody.isaac_core.experimental.physics_materials import PhysicsMaterial, RigidBodyMaterial
from unibody.isaac_core.experimental.visual_materials import (
    OmniGlassMaterial,
    OmniPbrMaterial,
    PreviewSurfaceMaterial,
    VisualMaterial,
)

__all__ = [
    "OmniGlassMaterial", "OmniPbrMaterial", "PhysicsMaterial", "PreviewSurfaceMaterial",
    "RigidBodyMaterial", "VisualMaterial",
]  # fmt: skip
