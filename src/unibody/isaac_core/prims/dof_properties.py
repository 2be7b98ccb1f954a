"""Properties of degrees of freedom: of the physics while it runs, else of the stage's joints."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from pxr import UsdPhysics

from unibody.isaac_core import arrays
from unibody.isaac_core.functions import prims as functions
from unibody.isaac_core.prims.articulation_base import ArticulationBase
from unibody.isaac_core.prims.xform_view import Array
from unibody.isaac_core.schemas import physx_schema


@dataclass(frozen=True)
class Property:
    """Where a property is found.

    Attributes:
        name: In the physics.
        attribute: On the stage; ``{}`` stands for "angular" or "linear".
        per_turn: Factor from the stage, which counts in degrees, to the physics, for turns.
        missing: Value where the stage has none.
    """

    name: str
    attribute: str
    per_turn: float = 1.0
    missing: float = 0.0


STIFFNESS = Property("dof_stiffnesses", "drive:{}:physics:stiffness", math.degrees(1.0))
DAMPING = Property("dof_dampings", "drive:{}:physics:damping", math.degrees(1.0))
MAX_EFFORT = Property("dof_max_forces", "drive:{}:physics:maxForce", missing=math.inf)
ARMATURE = Property("dof_armatures", "physxJoint:armature")
FRICTION = Property("dof_friction_coefficients", "physxJoint:jointFriction")
MAX_VELOCITY = Property(
    "dof_max_velocities", "physxJoint:maxJointVelocity", math.radians(1.0), math.inf
)


class DofProperties(ArticulationBase):
    """Reading and writing of properties."""

    def _get_property(
        self, what: Property, indices: Array, dofs: np.ndarray, clone: bool = True
    ) -> Array:
        if not self.initialized:
            return None
        if self.is_physics_handle_valid():
            return self._read(f"get_{what.name}", indices, dofs, clone)
        found = [[self._of_stage(what, i, dof) for dof in dofs] for i in self._rows(indices)]
        return arrays.out(np.array(found).reshape(-1, len(dofs)))

    def _set_property(
        self,
        what: Property,
        values: Array,
        indices: Array,
        dofs: np.ndarray,
        stage: bool = False,
    ) -> None:
        if not self.initialized:
            return
        if self.is_physics_handle_valid() and not stage:
            self._write_columns(what.name, values, indices, dofs)
            return
        which = self._rows(indices)
        numbers = np.broadcast_to(arrays.table(values), (len(which), len(dofs)))
        for i, row in zip(which, numbers, strict=True):
            for dof, value in zip(dofs, row, strict=True):
                self._to_stage(what, i, dof, float(value))

    def _attribute(self, what: Property, i: int, dof: int) -> tuple[Any, float]:
        kind = "angular" if self._is_turning(dof) else "linear"
        prim = functions.get_prim_at_path(self._dof_paths[i][dof])
        if what.attribute.startswith("drive:"):
            if not prim.HasAPI(UsdPhysics.DriveAPI, kind):
                UsdPhysics.DriveAPI.Apply(prim, kind)
        elif not prim.HasAPI("PhysxJointAPI"):
            physx_schema.PhysxJointAPI.Apply(prim)
        factor = what.per_turn if kind == "angular" else 1.0
        return prim.GetAttribute(what.attribute.format(kind)), factor

    def _of_stage(self, what: Property, i: int, dof: int) -> float:
        attribute, factor = self._attribute(what, i, dof)
        value = attribute.Get()
        return what.missing if value is None else value * factor

    def _to_stage(self, what: Property, i: int, dof: int, value: float) -> None:
        attribute, factor = self._attribute(what, i, dof)
        attribute.Set(value / factor)
