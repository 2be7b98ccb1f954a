"""Cloners: environments of a prim."""

from __future__ import annotations

from unibody.isaac_core.cloners.cloner import Cloner
from unibody.isaac_core.cloners.grid_cloner import GridCloner

__all__ = ["Cloner", "GridCloner"]
