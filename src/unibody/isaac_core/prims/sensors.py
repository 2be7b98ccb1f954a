"""What senses under the names of ``isaacsim.core.api.sensors``."""

from __future__ import annotations

from unibody.isaac_core.prims.base_sensor import BaseSensor
from unibody.isaac_core.prims.contact_view import RigidContactView

__all__ = ["BaseSensor", "RigidContactView"]
