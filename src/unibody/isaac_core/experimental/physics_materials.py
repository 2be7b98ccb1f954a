"""Materials of the physics: friction, restitution, density."""

from __future__ import annotations

from typing import Any

import numpy as np
from pxr import Usd, UsdPhysics, UsdShade

from unibody.errors import InvalidArgumentError
from unibody.isaac_core.experimental.arguments import Array, column, one_each, table, warp
from unibody.isaac_core.experimental.prim import Prim
from unibody.isaac_core.experimental.prim_functions import get_prim_at_path
from unibody.isaac_core.materials.material import found_or_defined
from unibody.isaac_core.schemas import physx_schema

MODES = ("average", "max", "min", "multiply")


class PhysicsMaterial(Prim):
    """Materials of the physics: those that are there, or those that are made at free paths.

    Args:
        paths: Of the prims, which are all there or all free.
    """

    def __init__(self, paths: str | list[str]) -> None:
        there, free = Prim.resolve_paths(paths)
        for path in free:
            found_or_defined(path)
        super().__init__(there or free, resolve_paths=False)
        self._materials = [UsdShade.Material(prim) for prim in self._prims]

    @property
    def materials(self) -> list[UsdShade.Material]:
        """The materials of USD."""
        return self._materials

    @staticmethod
    def are_of_type(paths: str | Usd.Prim | list[str | Usd.Prim]) -> Any:
        """(N,) whether prims are materials of rigid bodies."""
        several = paths if isinstance(paths, list) else [paths]
        found = [get_prim_at_path(one).HasAPI(UsdPhysics.MaterialAPI) for one in several]
        return warp(found, "bool")

    @staticmethod
    def fetch_instances(paths: str | Usd.Prim | list[str | Usd.Prim]) -> list[Any]:
        """Each prim as a material of rigid bodies; None for one that is none."""
        several = paths if isinstance(paths, list) else [paths]
        prims = [get_prim_at_path(one) for one in several]
        return [
            RigidBodyMaterial(prim.GetPath().pathString)
            if prim.HasAPI(UsdPhysics.MaterialAPI)
            else None
            for prim in prims
        ]


class RigidBodyMaterial(PhysicsMaterial):
    """Materials of rigid bodies.

    Args:
        paths: Of the prims, which are all there or all free.
        static_frictions: (N, 1) coefficients at rest.
        dynamic_frictions: (N, 1) coefficients while sliding.
        restitutions: (N, 1) from 0 to 1.
        densities: (N, 1) [kg/m^3].
    """

    def __init__(
        self,
        paths: str | list[str],
        *,
        static_frictions: Array | None = None,
        dynamic_frictions: Array | None = None,
        restitutions: Array | None = None,
        densities: Array | None = None,
    ) -> None:
        super().__init__(paths)
        self.ensure_api(self.prims, UsdPhysics.MaterialAPI)
        if static_frictions is not None or dynamic_frictions is not None:
            self.set_friction_coefficients(static_frictions, dynamic_frictions)
        if restitutions is not None:
            self.set_restitution_coefficients(restitutions)
        if densities is not None:
            self.set_densities(densities)

    def get_friction_coefficients(self, *, indices: Array | None = None) -> tuple[Any, Any]:
        """(N, 1) coefficients at rest and while sliding."""
        names = ("physics:staticFriction", "physics:dynamicFriction")
        return self._get(names[0], indices), self._get(names[1], indices)

    def set_friction_coefficients(
        self,
        static_frictions: Array | None = None,
        dynamic_frictions: Array | None = None,
        *,
        indices: Array | None = None,
    ) -> None:
        """Set (N, 1) coefficients at rest and while sliding; what is None stays."""
        for name, argument, values in (
            ("physics:staticFriction", "static_frictions", static_frictions),
            ("physics:dynamicFriction", "dynamic_frictions", dynamic_frictions),
        ):
            if values is not None:
                self._set(name, argument, values, indices)

    def get_restitution_coefficients(self, *, indices: Array | None = None) -> Any:
        """(N, 1) restitutions."""
        return self._get("physics:restitution", indices)

    def set_restitution_coefficients(
        self, restitutions: Array, *, indices: Array | None = None
    ) -> None:
        """Set (N, 1) restitutions."""
        self._set("physics:restitution", "restitutions", restitutions, indices)

    def get_densities(self, *, indices: Array | None = None) -> Any:
        """(N, 1) densities [kg/m^3]; 0: bodies have that of the physics."""
        return self._get("physics:density", indices)

    def set_densities(self, densities: Array, *, indices: Array | None = None) -> None:
        """Set (N, 1) densities [kg/m^3]."""
        self._set("physics:density", "densities", densities, indices)

    def get_combine_modes(
        self, *, indices: Array | None = None
    ) -> tuple[list[str], list[str], list[str]]:
        """How coefficients of two materials become one: friction, restitution, damping."""
        which = self._rows(indices)
        found = [[str(self._physx(i, name).Get()) for i in which] for name in _COMBINED]
        return found[0], found[1], found[2]

    def set_combine_modes(
        self,
        frictions: str | list[str] | None = None,
        restitutions: str | list[str] | None = None,
        dampings: str | list[str] | None = None,
        *,
        indices: Array | None = None,
    ) -> None:
        """Set how coefficients of two materials become one; what is None stays.

        Raises:
            InvalidArgumentError: There is no such mode.
        """
        which: np.ndarray = self._rows(indices)
        given = zip(_COMBINED, (frictions, restitutions, dampings), strict=True)
        for name, modes in given:
            if modes is None:
                continue
            for i, mode in zip(which, one_each(name, modes, len(which)), strict=True):
                if mode not in MODES:
                    raise InvalidArgumentError("modes", mode, f"one of {', '.join(MODES)}")
                self._physx(i, name).Set(mode)

    def _get(self, name: str, indices: Any) -> Any:
        return column([self.prims[i].GetAttribute(name).Get() for i in self._rows(indices)])

    def _set(self, name: str, argument: str, values: Any, indices: Any) -> None:
        which = self._rows(indices)
        rows = table(argument, values, (len(which), 1))
        for i, value in zip(which, rows[:, 0], strict=True):
            self.prims[i].GetAttribute(name).Set(float(value))

    def _physx(self, i: int, name: str) -> Usd.Attribute:
        if not self.prims[i].HasAPI("PhysxMaterialAPI"):
            physx_schema.PhysxMaterialAPI.Apply(self.prims[i])
        return self.prims[i].GetAttribute(f"physxMaterial:{name}")


_COMBINED = ("frictionCombineMode", "restitutionCombineMode", "dampingCombineMode")
