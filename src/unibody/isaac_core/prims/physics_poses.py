"""Poses of prims that the physics moves: its own while it runs, else those of the stage."""

from __future__ import annotations

from typing import Any

import numpy as np
from pxr import UsdGeom

from unibody.errors import UnibodyError
from unibody.isaac_core import arrays
from unibody.isaac_core.functions.numpy import transformations
from unibody.isaac_core.prims.xform_view import Array, XFormPrimView
from unibody.isaac_core.simulation.manager import simulation


class PhysicsPoses(XFormPrimView):
    """What views of bodies and of articulations have in common."""

    _physics_view: Any

    def is_physics_handle_valid(self) -> bool:
        """Whether there is a physics that can be asked."""
        return simulation.view is not None and self._physics_view is not None

    def _physics(self, what: str) -> Any:
        if not self.is_physics_handle_valid():
            raise UnibodyError(f"{what} of {self._regex_prim_paths} needs a simulation: play first")
        return self._physics_view

    def _poses_of_physics(self) -> Any:
        raise NotImplementedError

    def _set_poses_of_physics(self, poses: Any, which: Any) -> None:
        raise NotImplementedError

    def get_world_poses(  # pyright: ignore[reportIncompatibleMethodOverride] - the original's
        self, indices: Array = None, clone: bool = True, usd: bool = True
    ) -> tuple[Array, Array]:
        """(M, 3) positions and (M, 4) orientations in the world."""
        if not self.is_physics_handle_valid():
            return XFormPrimView.get_world_poses(self, indices, usd)
        which = self._rows(indices)
        poses = self._poses_of_physics()
        places = arrays.take(poses, which, slice(0, 3))
        turns = arrays.take(poses, which, [6, 3, 4, 5])
        return places, turns

    def set_world_poses(
        self,
        positions: Array = None,
        orientations: Array = None,
        indices: Array = None,
        usd: bool = True,
    ) -> None:
        """Set (M, 3) positions and (M, 4) orientations in the world; what is None stays."""
        if not self.is_physics_handle_valid():
            XFormPrimView.set_world_poses(self, positions, orientations, indices, usd)
            return
        which = self._rows(indices)
        poses = self._poses_of_physics()
        if positions is not None:
            poses = arrays.put(poses, which, positions, [0, 1, 2])
        if orientations is not None:
            poses = arrays.put(poses, which, orientations, [6, 3, 4, 5])
        self._set_poses_of_physics(poses, arrays.row_numbers(which))

    def get_local_poses(self, indices: Array = None) -> tuple[Array, Array]:
        """(M, 3) translations and (M, 4) orientations to the parents."""
        if not self.is_physics_handle_valid():
            return XFormPrimView.get_local_poses(self, indices)
        which = self._rows(indices)
        world = [simulation.backend_utils().to_numpy(x) for x in self.get_world_poses(which)]
        parents = self._matrices(which, UsdGeom.XformCache.GetParentToWorldTransform)
        places, turns = transformations.get_local_from_world(parents, *world)
        return arrays.out(places), arrays.out(turns)

    def set_local_poses(
        self, translations: Array = None, orientations: Array = None, indices: Array = None
    ) -> None:
        """Set (M, 3) translations and (M, 4) orientations to the parents; what is None stays."""
        if not self.is_physics_handle_valid():
            XFormPrimView.set_local_poses(self, translations, orientations, indices)
            return
        which = self._rows(indices)
        utils = simulation.backend_utils()
        places, turns = (np.array(utils.to_numpy(x)) for x in self.get_local_poses(which))
        if translations is not None:
            places = arrays.table(translations, 3, len(which))
        if orientations is not None:
            turns = arrays.table(orientations, 4, len(which))
        parents = self._matrices(which, UsdGeom.XformCache.GetParentToWorldTransform)
        world = transformations.get_world_from_local(parents, places, turns)
        self.set_world_poses(arrays.out(world[0]), arrays.out(world[1]), which)
