"""BaseSensor: a prim of which sensors are made."""

from __future__ import annotations

from collections.abc import Sequence

from unibody.isaac_core.prims.xform import XFormPrim


class BaseSensor(XFormPrim):
    """A prim of which sensors are made; it adds nothing."""

    def __init__(
        self,
        prim_path: str,
        name: str = "base_sensor",
        position: Sequence[float] | None = None,
        translation: Sequence[float] | None = None,
        orientation: Sequence[float] | None = None,
        scale: Sequence[float] | None = None,
        visible: bool | None = None,
    ) -> None:
        super().__init__(prim_path, name, position, translation, orientation, scale, visible)
