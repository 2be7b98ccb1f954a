"""Robot and RobotView: articulations under other names."""

from __future__ import annotations

from unibody.isaac_core.functions.types import Vector
from unibody.isaac_core.prims.articulation import Articulation
from unibody.isaac_core.prims.articulation_controller import ArticulationController
from unibody.isaac_core.prims.articulation_view import ArticulationView
from unibody.isaac_core.prims.xform_view import Array


class Robot(Articulation):
    """One robot; the arguments are those of `Articulation`."""

    def __init__(
        self,
        prim_path: str,
        name: str = "robot",
        position: Vector | None = None,
        translation: Vector | None = None,
        orientation: Vector | None = None,
        scale: Vector | None = None,
        visible: bool = True,
        articulation_controller: ArticulationController | None = None,
    ) -> None:
        super().__init__(
            prim_path, name, position, translation, orientation, scale, visible,
            articulation_controller,
        )  # fmt: skip


class RobotView(ArticulationView):
    """Many robots of one kind; the arguments are those of `ArticulationView`."""

    def __init__(
        self,
        prim_paths_expr: str | list[str],
        name: str = "rigid_prim_view",
        positions: Array = None,
        translations: Array = None,
        orientations: Array = None,
        scales: Array = None,
        visibilities: Array = None,
    ) -> None:
        super().__init__(
            prim_paths_expr, name, positions, translations, orientations, scales, visibilities
        )
