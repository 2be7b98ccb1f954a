"""``omni.isaac.IsaacSensorSchema``: a class for each kind of prim that is a sensor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unibody.isaac_core.schemas.classes import classes
from unibody.isaac_core.schemas.table import schemas

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """The classes come from the table."""


globals().update(classes("sensors"))
__all__ = [row.python for row in schemas("sensors")]  # pyright: ignore[reportUnsupportedDunderAll]
