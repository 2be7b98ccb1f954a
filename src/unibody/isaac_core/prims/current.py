"""Prims under the names of ``isaacsim.core.prims``: views have the short names there."""

from __future__ import annotations

from unibody.isaac_core.prims.articulation import Articulation as SingleArticulation
from unibody.isaac_core.prims.articulation_view import ArticulationView as Articulation
from unibody.isaac_core.prims.geometry import GeometryPrim as SingleGeometryPrim
from unibody.isaac_core.prims.geometry_view import GeometryPrimView as GeometryPrim
from unibody.isaac_core.prims.rigid import RigidPrim as SingleRigidPrim
from unibody.isaac_core.prims.rigid_view import RigidPrimView as RigidPrim
from unibody.isaac_core.prims.xform import XFormPrim as SingleXFormPrim
from unibody.isaac_core.prims.xform_view import XFormPrimView as XFormPrim

__all__ = [
    "Articulation", "GeometryPrim", "RigidPrim", "SingleArticulation", "SingleGeometryPrim",
    "SingleRigidPrim", "SingleXFormPrim", "XFormPrim",
]  # fmt: skip
