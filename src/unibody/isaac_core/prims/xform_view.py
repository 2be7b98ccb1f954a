"""XFormPrimView: many prims that stand somewhere."""

from __future__ import annotations

from typing import Any

import numpy as np
from pxr import Usd, UsdGeom

from unibody.core.assets.transforms import quat_multiply
from unibody.errors import InvalidArgumentError
from unibody.isaac_core import arrays, convert, transforms
from unibody.isaac_core.functions import prims as functions
from unibody.isaac_core.functions.numpy import transformations
from unibody.isaac_core.functions.types import XFormPrimViewState
from unibody.isaac_core.prims import materials
from unibody.isaac_core.simulation import seam
from unibody.isaac_core.simulation.manager import simulation

Array = Any
"""An array of NumPy, PyTorch or Warp."""


class XFormPrimView:
    """Prims whose paths match patterns. Orientations are w, x, y, z; lengths are the stage's.

    Args:
        prim_paths_expr: A pattern, level by level, or several.
        name: By which a scene finds the view.
        positions: (M, 3) in the world.
        translations: (M, 3) to the parents, instead of positions.
        orientations: (M, 4), of the kind of positions or translations.
        scales: (M, 3) to the parents.
        visibilities: (M,) whether they are seen.
        reset_xform_properties: Whether the prims get translate, orient and scale alone.
        usd: Whether poses are those of the stage: they are, always.

    Raises:
        InvalidArgumentError: No prim matches, or both positions and translations are there.
    """

    def __init__(
        self,
        prim_paths_expr: str | list[str],
        name: str = "xform_prim_view",
        positions: Array = None,
        translations: Array = None,
        orientations: Array = None,
        scales: Array = None,
        visibilities: Array = None,
        reset_xform_properties: bool = True,
        usd: bool = True,
    ) -> None:
        patterns = prim_paths_expr if isinstance(prim_paths_expr, list) else [prim_paths_expr]
        self._regex_prim_paths = patterns
        self._prim_paths = [
            path for pattern in patterns for path in functions.find_matching_prim_paths(pattern)
        ]
        if not self._prim_paths:
            raise InvalidArgumentError("prim_paths_expr", prim_paths_expr, "paths of prims")
        self._prims = [functions.get_prim_at_path(path) for path in self._prim_paths]
        self._name = name
        self._non_root_link = functions.is_prim_non_root_articulation_link(self._prim_paths[0])
        self._applied = materials.Applied(self._prims)
        self._default_state: Any = None
        if not self._non_root_link:
            if reset_xform_properties:
                for prim in self._prims:
                    transforms.ops(prim)
            self._place(positions, translations, orientations, scales)
        if visibilities is not None:
            self.set_visibilities(visibilities)
        if not self._non_root_link:
            self._default_state = XFormPrimViewState(*XFormPrimView.get_world_poses(self))
        simulation.enroll(self)

    def _place(self, positions: Any, translations: Any, orientations: Any, scales: Any) -> None:
        if positions is not None and translations is not None:
            raise InvalidArgumentError("translations", translations, "None where positions are")
        if translations is not None:
            XFormPrimView.set_local_poses(self, translations, orientations)
        elif positions is not None or orientations is not None:
            XFormPrimView.set_world_poses(self, positions, orientations)
        if scales is not None:
            XFormPrimView.set_local_scales(self, scales)

    @property
    def prim_paths(self) -> list[str]:
        """Paths of the prims."""
        return self._prim_paths

    @property
    def name(self) -> str:
        """The name given."""
        return self._name

    @property
    def count(self) -> int:
        """How many prims there are."""
        return len(self._prims)

    @property
    def prims(self) -> list[Usd.Prim]:
        """The prims."""
        return self._prims

    @property
    def initialized(self) -> bool:
        """Whether there is a physics."""
        return simulation.view is not None

    @property
    def is_non_root_articulation_link(self) -> bool:
        """Whether they are links that joints hold, whose poses follow from these."""
        return self._non_root_link

    def initialize(self, physics_sim_view: Any = None) -> None:
        """Take hold of the physics; there is none for prims that only stand somewhere.

        Args:
            physics_sim_view: The view of the physics; None: that of the process.
        """
        if physics_sim_view is not None and simulation.view is None:
            simulation.view = physics_sim_view
        self._on_physics_ready()

    def is_valid(self, indices: Array = None) -> bool:
        """Whether the prims are still on the stage."""
        return all(self._prims[i].IsValid() for i in self._rows(indices))

    def post_reset(self) -> None:
        """Put the prims where they are by default."""
        state = self._default_state
        if state is not None and not self._non_root_link:
            self.set_world_poses(state.positions, state.orientations)

    def get_default_state(self) -> XFormPrimViewState:
        """Poses by default."""
        return self._default_state

    def set_default_state(
        self, positions: Array = None, orientations: Array = None, indices: Array = None
    ) -> None:
        """Set poses by default; what is None stays."""
        if self._non_root_link:
            return
        which = self._rows(indices)
        state = self._default_state
        state.positions = _merged(state.positions, which, positions, self.count)
        state.orientations = _merged(state.orientations, which, orientations, self.count)

    def get_world_poses(self, indices: Array = None, usd: bool = True) -> tuple[Array, Array]:
        """(M, 3) positions and (M, 4) orientations in the world."""
        return _poses(
            self._matrices(self._rows(indices), UsdGeom.XformCache.GetLocalToWorldTransform)
        )

    def set_world_poses(
        self,
        positions: Array = None,
        orientations: Array = None,
        indices: Array = None,
        usd: bool = True,
    ) -> None:
        """Set (M, 3) positions and (M, 4) orientations in the world; what is None stays."""
        which = self._rows(indices)
        places, turns = (
            simulation.backend_utils().to_numpy(x)
            for x in XFormPrimView.get_world_poses(self, which)
        )
        if positions is not None:
            places = arrays.table(positions, 3, len(which))
        if orientations is not None:
            turns = arrays.table(orientations, 4, len(which))
        parents = self._matrices(which, UsdGeom.XformCache.GetParentToWorldTransform)
        moved, turned = transformations.get_local_from_world(parents, places, turns)
        above = _plain_poses(parents)[1]
        for row, given in enumerate(turns):  # of the two quaternions of a turn, the one given
            if np.dot(quat_multiply(above[row], turned[row]), given) < 0.0:
                turned[row] *= -1.0
        self._write(which, moved, turned)

    def get_local_poses(self, indices: Array = None) -> tuple[Array, Array]:
        """(M, 3) translations and (M, 4) orientations to the parents."""
        which = self._rows(indices)
        seam.flush(self._prims[i] for i in which)
        matrices = [
            UsdGeom.Xformable(self._prims[i]).GetLocalTransformation(Usd.TimeCode.Default())
            for i in which
        ]
        poses = _plain_poses(np.array(matrices, dtype=np.float64).reshape(-1, 4, 4))
        for row, i in enumerate(which):  # of the two quaternions of a turn, that of the stage
            said = self._prims[i].GetAttribute("xformOp:orient").Get()
            if said is not None and poses[1][row] @ convert.quat_wxyz(said) < 0.0:
                poses[1][row] *= -1.0
        return arrays.out(poses[0]), arrays.out(poses[1])

    def set_local_poses(
        self, translations: Array = None, orientations: Array = None, indices: Array = None
    ) -> None:
        """Set (M, 3) translations and (M, 4) orientations to the parents; what is None stays."""
        which = self._rows(indices)
        self._write(
            which,
            None if translations is None else arrays.table(translations, 3, len(which)),
            None if orientations is None else arrays.table(orientations, 4, len(which)),
        )

    def get_local_scales(self, indices: Array = None) -> Array:
        """(M, 3) scales to the parents."""
        scales = [transforms.ops(self._prims[i])[2].Get() for i in self._rows(indices)]
        return arrays.out(np.array(scales, dtype=np.float64).reshape(-1, 3))

    def set_local_scales(self, scales: Array, indices: Array = None) -> None:
        """Set (M, 3) scales to the parents."""
        which = self._rows(indices)
        for i, scale in zip(which, arrays.table(scales, 3, len(which)), strict=True):
            transforms.write(self._prims[i], scale=scale)

    def get_world_scales(self, indices: Array = None) -> Array:
        """(M, 3) scales in the world."""
        matrices = self._matrices(self._rows(indices), UsdGeom.XformCache.GetLocalToWorldTransform)
        return arrays.out(np.linalg.norm(matrices[:, :3, :3], axis=-1))

    def get_visibilities(self, indices: Array = None) -> Array:
        """(M,) whether they are seen."""
        hidden = UsdGeom.Tokens.invisible
        seen = [
            UsdGeom.Imageable(self._prims[i]).ComputeVisibility() != hidden
            for i in self._rows(indices)
        ]
        return arrays.out(seen, "bool")

    def set_visibilities(self, visibilities: Array, indices: Array = None) -> None:
        """Set whether they are seen."""
        which = self._rows(indices)
        seen = np.broadcast_to(np.atleast_1d(arrays.table(visibilities)), len(which))
        for i, visible in zip(which, seen, strict=True):
            functions.set_prim_visibility(self._prims[i], bool(visible))

    def apply_visual_materials(
        self,
        visual_materials: Any,
        weaker_than_descendants: bool | list[bool] | None = None,
        indices: Array = None,
    ) -> None:
        """Give the prims a material, or each its own.

        Raises:
            InvalidArgumentError: There are not as many materials as prims.
        """
        self._applied.apply(visual_materials, weaker_than_descendants, self._rows(indices))

    def get_applied_visual_materials(self, indices: Array = None) -> list[Any]:
        """The materials; None where there is none of the kinds that are known."""
        return [self._applied.get(i) for i in self._rows(indices)]

    def is_visual_material_applied(self, indices: Array = None) -> list[bool]:
        """Whether each prim has a material of its own."""
        return [self._applied.is_bound(i) for i in self._rows(indices)]

    def destroy(self) -> None:
        """Let go of the prims."""
        self._prims, self._prim_paths = [], []

    def _rows(self, indices: Array) -> np.ndarray:
        return arrays.rows(indices, self.count)

    def _matrices(self, which: np.ndarray, matrix_of: Any) -> np.ndarray:
        seam.flush(self._prims[i] for i in which)
        cache = UsdGeom.XformCache()
        matrices = [matrix_of(cache, self._prims[i]) for i in which]
        return np.array(matrices, dtype=np.float64).reshape(-1, 4, 4)

    def _write(self, which: np.ndarray, translations: Any, orientations: Any) -> None:
        for row, i in enumerate(which):
            transforms.write(
                self._prims[i],
                None if translations is None else translations[row],
                None if orientations is None else orientations[row],
            )

    def _on_physics_ready(self) -> None:
        """Take hold of the physics: what derived classes do."""

    def _on_physics_gone(self) -> None:
        """Let go of the physics: what derived classes do."""


def _merged(old: Any, which: np.ndarray, new: Any, count: int) -> Any:
    if new is None:
        return old
    if old is None or len(which) == count:
        return arrays.out(new)
    return arrays.put(old, which, new)


def _poses(matrices: np.ndarray) -> tuple[Array, Array]:
    places, turns = _plain_poses(matrices)
    return arrays.out(places), arrays.out(turns)


def _plain_poses(
    matrices: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Positions and orientations of matrices for row vectors."""
    flipped = np.linalg.det(matrices[:, :3, :3]) < 0.0  # a mirror is a scale, no turn
    matrices[flipped, :3, :3] *= -1.0
    return transformations.poses_of(np.swapaxes(matrices, -1, -2))
