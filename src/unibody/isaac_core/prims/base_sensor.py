"""BaseSensor: a prim of which sensors are made."""

from __future__ import annotations

from unibody.isaac_core.functions.types import Vector
from unibody.isaac_core.prims.xform import XFormPrim


class BaseSensor(XFormPrim):
    """A prim of which sensors are made; it adds nothing."""

    def __init__(
        self,
        prim_path: str,
        name: str = "base_sensor",
        position: Vector | None = None,
        translation: Vector | None = None,
        orientation: Vector | None = None,
        scale: Vector | None = None,
        visible: bool | None = None,
    ) -> None:
        super().__init__(prim_path, name, position, translation, orientation, scale, visible)
