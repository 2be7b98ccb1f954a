"""Tasks of worlds."""

from __future__ import annotations

from unibody.isaac_core.tasks.base_task import BaseTask
from unibody.isaac_core.tasks.follow_target import FollowTarget
from unibody.isaac_core.tasks.pick_place import PickPlace
from unibody.isaac_core.tasks.stacking import Stacking

__all__ = ["BaseTask", "FollowTarget", "PickPlace", "Stacking"]
