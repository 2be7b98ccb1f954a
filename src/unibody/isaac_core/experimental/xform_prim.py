"""XformPrim: prims that stand somewhere."""

from __future__ import annotations

from typing import Any

import numpy as np
from pxr import Usd

from unibody.errors import InvalidArgumentError
from unibody.isaac_core.experimental.arguments import Array, column, one_each, table, warp
from unibody.isaac_core.experimental.prim import Prim
from unibody.isaac_core.kit import log
from unibody.isaac_core.prims.xform_view import XFormPrimView

Placed = dict[str, Any]
"""What places prims: positions, translations, orientations, scales."""


class XformPrim(Prim):
    """Prims that stand somewhere. Orientations are w, x, y, z; lengths are the stage's.

    Args:
        paths: Of the prims; patterns match level by level.
        resolve_paths: Whether the paths are patterns.
        positions: (N, 3) in the world.
        translations: (N, 3) to the parents, instead of positions.
        orientations: (N, 4), of the kind of positions or translations.
        scales: (N, 3) to the parents.
        reset_xform_op_properties: Whether the prims get translate, orient and scale alone.

    Raises:
        InvalidArgumentError: No prim has such a path, or both positions and translations are there.
    """

    _view: Any

    def __init__(
        self,
        paths: str | list[str],
        *,
        resolve_paths: bool = True,
        positions: Array | None = None,
        translations: Array | None = None,
        orientations: Array | None = None,
        scales: Array | None = None,
        reset_xform_op_properties: bool = False,
    ) -> None:
        super().__init__(paths, resolve_paths=resolve_paths)
        self._defaults: dict[str, np.ndarray] = {}
        self._view = self._make_view(reset_xform_op_properties)
        if positions is not None and translations is not None:
            raise InvalidArgumentError("translations", translations, "None where positions are")
        if self.is_non_root_articulation_link:
            if any(one is not None for one in (positions, translations, orientations, scales)):
                log.log_warn(f"{self.paths[0]} follows its joints: it is not placed")
            return
        if translations is not None:
            XformPrim.set_local_poses(self, translations, orientations)
        elif positions is not None or orientations is not None:
            XformPrim.set_world_poses(self, positions, orientations)
        if scales is not None:
            self.set_local_scales(scales)

    def _make_view(self, reset: bool) -> Any:
        """What reads and writes poses."""
        return XFormPrimView(self.paths, reset_xform_properties=reset)

    @property
    def is_non_root_articulation_link(self) -> bool:
        """Whether they are links that joints hold, whose poses follow from these."""
        return self._view.is_non_root_articulation_link

    def get_world_poses(self, *, indices: Array | None = None) -> tuple[Any, Any]:
        """(N, 3) positions and (N, 4) orientations in the world."""
        places, turns = self._view.get_world_poses(self._rows(indices))
        return warp(places), warp(turns)

    def set_world_poses(
        self,
        positions: Array | None = None,
        orientations: Array | None = None,
        *,
        indices: Array | None = None,
    ) -> None:
        """Set (N, 3) positions and (N, 4) orientations in the world; what is None stays."""
        which = self._rows(indices)
        self._view.set_world_poses(*_poses("positions", positions, orientations, len(which)), which)

    def get_local_poses(self, *, indices: Array | None = None) -> tuple[Any, Any]:
        """(N, 3) translations and (N, 4) orientations to the parents."""
        places, turns = self._view.get_local_poses(self._rows(indices))
        return warp(places), warp(turns)

    def set_local_poses(
        self,
        translations: Array | None = None,
        orientations: Array | None = None,
        *,
        indices: Array | None = None,
    ) -> None:
        """Set (N, 3) translations and (N, 4) orientations to the parents; what is None stays."""
        which = self._rows(indices)
        self._view.set_local_poses(
            *_poses("translations", translations, orientations, len(which)), which
        )

    def get_local_scales(self, *, indices: Array | None = None) -> Any:
        """(N, 3) scales to the parents."""
        return warp(self._view.get_local_scales(self._rows(indices)))

    def set_local_scales(self, scales: Array, *, indices: Array | None = None) -> None:
        """Set (N, 3) scales to the parents."""
        which = self._rows(indices)
        self._view.set_local_scales(table("scales", scales, (len(which), 3)), which)

    def get_visibilities(self, *, indices: Array | None = None) -> Any:
        """(N, 1) whether they are seen."""
        return column(self._view.get_visibilities(self._rows(indices)), "bool")

    def set_visibilities(self, visibilities: Array, *, indices: Array | None = None) -> None:
        """Set (N, 1) whether they are seen."""
        which = self._rows(indices)
        seen = table("visibilities", visibilities, (len(which), 1), bool)
        self._view.set_visibilities(seen[:, 0], which)

    def reset_xform_op_properties(self) -> None:
        """Leave the prims translate, orient and scale alone, where they are."""
        from unibody.isaac_core import transforms

        for prim in self.prims:
            transforms.ops(prim)

    def apply_visual_materials(
        self,
        materials: Any,
        *,
        weaker_than_descendants: Array | None = None,
        indices: Array | None = None,
    ) -> None:
        """Give the prims a material, or each its own.

        Args:
            materials: A material, of which all prims get the first, or a list of one for each.
            weaker_than_descendants: (N,) whether bindings of prims below count instead.
            indices: Which prims; None: all.
        """
        which = self._rows(indices)
        self._view.apply_visual_materials(
            *bindings(materials, weaker_than_descendants, len(which)), which
        )

    def get_applied_visual_materials(self, *, indices: Array | None = None) -> list[Any]:
        """The materials of the prims; None where there is none of the kinds that are known."""
        from unibody.isaac_core.experimental.visual_materials import VisualMaterial

        return [bound_material(self.prims[i], VisualMaterial) for i in self._rows(indices)]

    def get_default_state(self, *, indices: Array | None = None) -> tuple[Any, ...]:
        """(N, 3) positions and (N, 4) orientations by default; None where there are none."""
        return self._default(("positions", "orientations"), indices)

    def set_default_state(
        self,
        positions: Array | None = None,
        orientations: Array | None = None,
        *,
        indices: Array | None = None,
    ) -> None:
        """Set poses by default; what is None stays."""
        self._set_default("positions", positions, 3, indices)
        self._set_default("orientations", orientations, 4, indices)

    def reset_to_default_state(self, *, warn_on_non_default_state: bool = False) -> None:
        """Put the prims where they are by default.

        Args:
            warn_on_non_default_state: Whether a warning says so where there is no default.
        """
        place, turn = (self._defaults.get(name) for name in ("positions", "orientations"))
        if place is not None or turn is not None:
            self.set_world_poses(place, turn)
        else:
            self._no_default("positions and orientations", warn_on_non_default_state)

    def _no_default(self, what: str, warn: bool) -> None:
        if warn:
            log.log_warn(f"{self.paths[0]} has no {what} by default: set_default_state sets them")

    def _set_default(
        self, name: str, values: Any, width: int, indices: Any, columns: Any = None
    ) -> None:
        """Remember a default; rows and columns that never had one are 0, or at rest."""
        if values is None or self.is_non_root_articulation_link:
            return
        which = self._rows(indices)
        chosen = np.arange(width) if columns is None else columns
        if name not in self._defaults:
            self._defaults[name] = np.zeros((len(self), width))
            if name == "orientations":
                self._defaults[name][:, 0] = 1.0
        new = table(name, values, (len(which), len(chosen)))
        self._defaults[name][np.ix_(which, chosen)] = new

    def _default(self, names: tuple[str, ...], indices: Any) -> tuple[Any, ...]:
        which = self._rows(indices)
        found = [self._defaults.get(name) for name in names]
        return tuple(None if one is None else warp(one[which]) for one in found)


class First:
    """One material of many, as views of prims take it.

    Args:
        materials: Of which it is the first.
    """

    def __init__(self, materials: Any) -> None:
        self.material: Any = materials.materials[0]
        self.prim_path: str = materials.paths[0]


def _poses(name: str, places: Any, turns: Any, count: int) -> tuple[Any, Any]:
    return (
        None if places is None else table(name, places, (count, 3)),
        None if turns is None else table("orientations", turns, (count, 4)),
    )


def bindings(materials: Any, weaker: Any, count: int) -> tuple[list[First], list[bool]]:
    """A material of each prim, and whether bindings of prims below count instead.

    Args:
        materials: A material, of which all prims get the first, or a list of one for each.
        weaker: (count,) flags; None: none.
        count: How many prims there are.
    """
    flags = table("weaker_than_descendants", False if weaker is None else weaker, (count,), bool)
    firsts = [First(one) for one in one_each("materials", materials, count)]
    return firsts, [bool(one) for one in flags]


def bound_material(prim: Usd.Prim, kind: Any, purpose: str = "") -> Any:
    """The material of a prim as one of a kind; None where there is none."""
    from unibody.isaac_core.prims import materials

    path = materials.bound(prim, purpose)
    return kind.fetch_instances([path])[0] if path else None
