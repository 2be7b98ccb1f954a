"""Names of ``isaacsim.core.experimental.prims``."""

from __future__ import annotations

from unibody.isaac_core.experimental.articulation import Articulation
from unibody.isaac_core.experimental.geom_prim import GeomPrim
from unibody.isaac_core.experimental.prim import Prim
from unibody.isaac_core.experimental.rigid_prim import RigidPrim
from unibody.isaac_core.experimental.xform_prim import XformPrim

__all__ = ["Articulation", "GeomPrim", "Prim", "RigidPrim", "XformPrim"]
