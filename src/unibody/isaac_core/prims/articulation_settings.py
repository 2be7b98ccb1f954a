"""What the stage says about how articulations are solved."""

from __future__ import annotations

from typing import Any

import numpy as np

from unibody.isaac_core import arrays
from unibody.isaac_core.functions import prims as functions
from unibody.isaac_core.prims.articulation_base import ArticulationBase
from unibody.isaac_core.prims.xform_view import Array
from unibody.isaac_core.schemas import physx_schema

_PREFIX = "physxArticulation"


class ArticulationSettings(ArticulationBase):
    """(M,) of M articulations; settings count when the stage next plays."""

    def get_solver_position_iteration_counts(self, indices: Array = None) -> Array:
        """(M,) iterations for positions; a record: the solver here decides itself."""
        return self._setting("solverPositionIterationCount", indices, "int32")

    def set_solver_position_iteration_counts(self, counts: Array, indices: Array = None) -> None:
        """Set the iterations for positions."""
        self._set_setting("solverPositionIterationCount", counts, indices, int)

    def get_solver_velocity_iteration_counts(self, indices: Array = None) -> Array:
        """(M,) iterations for velocities; a record: the solver here decides itself."""
        return self._setting("solverVelocityIterationCount", indices, "int32")

    def set_solver_velocity_iteration_counts(self, counts: Array, indices: Array = None) -> None:
        """Set the iterations for velocities."""
        self._set_setting("solverVelocityIterationCount", counts, indices, int)

    def get_stabilization_thresholds(self, indices: Array = None) -> Array:
        """(M,) energies over masses below which they may be stabilised; a record."""
        return self._setting("stabilizationThreshold", indices, "float32")

    def set_stabilization_thresholds(self, thresholds: Array, indices: Array = None) -> None:
        """Set the energies over masses below which they may be stabilised."""
        self._set_setting("stabilizationThreshold", thresholds, indices, float)

    def get_sleep_thresholds(self, indices: Array = None) -> Array:
        """(M,) energies over masses below which they may sleep; a record."""
        return self._setting("sleepThreshold", indices, "float32")

    def set_sleep_thresholds(self, thresholds: Array, indices: Array = None) -> None:
        """Set the energies over masses below which they may sleep."""
        self._set_setting("sleepThreshold", thresholds, indices, float)

    def get_enabled_self_collisions(self, indices: Array = None) -> Array:
        """(M,) whether bodies of one articulation collide."""
        return self._setting("enabledSelfCollisions", indices, "bool")

    def set_enabled_self_collisions(self, flags: Array, indices: Array = None) -> None:
        """Set whether bodies of one articulation collide."""
        self._set_setting("enabledSelfCollisions", flags, indices, bool)

    def _attribute_of(self, i: int, name: str) -> Any:
        prim = functions.get_prim_at_path(self._prim_paths[i])
        if not prim.HasAPI("PhysxArticulationAPI"):
            physx_schema.PhysxArticulationAPI.Apply(prim)
        return prim.GetAttribute(f"{_PREFIX}:{name}")

    def _setting(self, name: str, indices: Array, kind: str) -> Array:
        found = [self._attribute_of(i, name).Get() for i in self._rows(indices)]
        return arrays.out(found, kind)

    def _set_setting(self, name: str, values: Array, indices: Array, kind: Any) -> None:
        which = self._rows(indices)
        numbers = np.broadcast_to(np.atleast_1d(arrays.table(values)).ravel(), len(which))
        for i, value in zip(which, numbers, strict=True):
            self._attribute_of(i, name).Set(kind(value))
