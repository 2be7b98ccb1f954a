"""XFormPrim: one prim that stands somewhere."""

from __future__ import annotations

from typing import Any

import numpy as np
from pxr import Usd

from unibody.isaac_core import convert
from unibody.isaac_core.functions import prims as functions
from unibody.isaac_core.functions.types import Vector, XFormPrimState
from unibody.isaac_core.prims.xform_view import XFormPrimView
from unibody.isaac_core.simulation.manager import simulation


class XFormPrim:
    """One prim; it is made if it is not there. Its arrays are rows of a view of one.

    Args:
        prim_path: Where it is.
        name: By which a scene finds it.
        position: In the world.
        translation: To the parent, instead of a position.
        orientation: w, x, y, z.
        scale: To the parent.
        visible: Whether it is seen.
    """

    _kind = "Xform"

    def __init__(
        self,
        prim_path: str,
        name: str = "xform_prim",
        position: Vector | None = None,
        translation: Vector | None = None,
        orientation: Vector | None = None,
        scale: Vector | None = None,
        visible: bool | None = None,
    ) -> None:
        self._define(prim_path)
        self._view_of(
            XFormPrimView(
                prim_path,
                f"{name}_view",
                **rows_of(
                    positions=position,
                    translations=translation,
                    orientations=orientation,
                    scales=scale,
                    visibilities=visible,
                ),
            ),
            name,
        )

    def _define(self, prim_path: str) -> None:
        if not functions.is_prim_path_valid(prim_path):
            functions.define_prim(prim_path, self._kind)

    def _view_of(self, view: Any, name: str) -> None:
        self._view, self._name = view, name
        self._prim_path = view.prim_paths[0]
        self._prim = view.prims[0]

    @property
    def prim_path(self) -> str:
        """Where the prim is."""
        return self._prim_path

    @property
    def prim(self) -> Usd.Prim:
        """The prim."""
        return self._prim

    @property
    def name(self) -> str | None:
        """The name given."""
        return self._name

    @property
    def non_root_articulation_link(self) -> bool:
        """Whether it is a link that joints hold."""
        return self._view.is_non_root_articulation_link

    def initialize(self, physics_sim_view: Any = None) -> None:
        """Take hold of the physics; `World.reset` does it for what is in the scene."""
        self._view.initialize(physics_sim_view)

    def is_valid(self) -> bool:
        """Whether the prim is still on the stage."""
        return self._view.is_valid()

    def post_reset(self) -> None:
        """Go back to the default state."""
        self._view.post_reset()

    def get_default_state(self) -> XFormPrimState:
        """Pose by default."""
        state = self._view.get_default_state()
        return XFormPrimState(first(state.positions), first(state.orientations))

    def set_default_state(
        self, position: Vector | None = None, orientation: Vector | None = None
    ) -> None:
        """Set the pose by default; what is None stays."""
        self._view.set_default_state(**rows_of(positions=position, orientations=orientation))

    def get_world_pose(self) -> tuple[np.ndarray, np.ndarray]:
        """Position and orientation w, x, y, z in the world."""
        position, orientation = self._view.get_world_poses()
        return first(position), first(orientation)

    def set_world_pose(
        self, position: Vector | None = None, orientation: Vector | None = None
    ) -> None:
        """Set position and orientation in the world; what is None stays."""
        self._view.set_world_poses(**rows_of(positions=position, orientations=orientation))

    def get_local_pose(self) -> tuple[np.ndarray, np.ndarray]:
        """Translation and orientation w, x, y, z to the parent."""
        translation, orientation = self._view.get_local_poses()
        return first(translation), first(orientation)

    def set_local_pose(
        self,
        translation: Vector | None = None,
        orientation: Vector | None = None,
    ) -> None:
        """Set translation and orientation to the parent; what is None stays."""
        self._view.set_local_poses(**rows_of(translations=translation, orientations=orientation))

    def get_local_scale(self) -> np.ndarray:
        """Scale to the parent."""
        return first(self._view.get_local_scales())

    def set_local_scale(self, scale: Vector | None) -> None:
        """Set the scale to the parent."""
        self._view.set_local_scales(row(scale))

    def get_world_scale(self) -> np.ndarray:
        """Scale in the world."""
        return first(self._view.get_world_scales())

    def get_visibility(self) -> bool:
        """Whether it is seen."""
        return bool(number(self._view.get_visibilities()))

    def set_visibility(self, visible: bool) -> None:
        """Set whether it is seen."""
        self._view.set_visibilities([visible])

    def apply_visual_material(
        self, visual_material: Any, weaker_than_descendants: bool = False
    ) -> None:
        """Give it a material.

        Args:
            visual_material: The material.
            weaker_than_descendants: Whether materials of prims below count instead.
        """
        self._view.apply_visual_materials([visual_material], [weaker_than_descendants])

    def get_applied_visual_material(self) -> Any:
        """Its material; None if it has none of the kinds that are known."""
        return self._view.get_applied_visual_materials()[0]

    def is_visual_material_applied(self) -> bool:
        """Whether it has a material of its own."""
        return self._view.is_visual_material_applied()[0]


def first(values: Any) -> Any:
    """The only row of an array; None stays None."""
    if values is None:
        return None
    if simulation.backend == "warp":
        return simulation.backend_utils().convert(
            values.numpy()[0], device=simulation.device, dtype=_kind_of(values)
        )
    return values[0]


def number(values: Any) -> Any:
    """The only number of an array of any library, or of a list."""
    return convert.plain(values)[0]


def row(value: Any) -> Any:
    """One more axis in front, in the backend; None stays None."""
    if value is None:
        return None
    if hasattr(value, "detach"):
        return value[None]
    found = value.numpy() if hasattr(value, "numpy") else np.asarray(value)
    return found[None]


def rows_of(**values: Any) -> dict[str, Any]:
    """Each with one more axis in front."""
    return {name: row(value) for name, value in values.items()}


def _kind_of(values: Any) -> str:
    return str(values.numpy().dtype)
