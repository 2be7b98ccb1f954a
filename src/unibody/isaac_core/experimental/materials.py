"""Names of ``isaacsim.core.experimental.materials``."""

from __future__ import annotations

from unibody.isaac_core.experimental.non_visual_material import NonVisualMaterial
from unibody.isaac_core.experimental.physics_materials import PhysicsMaterial, RigidBodyMaterial
from unibody.isaac_core.experimental.visual_materials import (
    OmniGlassMaterial,
    OmniPbrMaterial,
    PreviewSurfaceMaterial,
    VisualMaterial,
)

__all__ = [
    "NonVisualMaterial", "OmniGlassMaterial", "OmniPbrMaterial", "PhysicsMaterial",
    "PreviewSurfaceMaterial", "RigidBodyMaterial", "VisualMaterial",
]  # fmt: skip
