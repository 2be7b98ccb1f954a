"""Controllers."""

from __future__ import annotations

from unibody.isaac_core.controllers.base_controller import BaseController, BaseGripperController
from unibody.isaac_core.prims.articulation_controller import ArticulationController

__all__ = ["ArticulationController", "BaseController", "BaseGripperController"]
