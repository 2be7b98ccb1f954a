# pyright: reportAttributeAccessIssue=false
"""Reading of meshes of tetrahedra and of scenes from USD, which ``newton.usd`` has."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from unibody.errors import InvalidArgumentError
from unibody.newton.enums import AttributeFrequency
from unibody.newton.exceptions import NewtonDeprecationWarning, warn
from unibody.newton.tet_mesh import RESERVED, TetMesh
from unibody.newton.usd_values import get_attribute, has_applied_api_schema, has_attribute

DEFORMABLE_LEGACY_NAMESPACES = ("omniphysics", "physxDeformableBody")
"""Namespaces in which older files say what deformable bodies are made of."""
_SCHEMA = "PhysicsVolumeDeformableMaterialAPI"
_NAMES = ("youngsModulus", "poissonsRatio", "density")
_LARGEST = float(np.finfo(np.float32).max)  # of what USD's type `float` holds
_POISSON = 0.3  # of the schema, as is the next
_YOUNG = 1e6  # [Pa]
_NEARLY_INCOMPRESSIBLE = 0.499
_UNSTATED = {"youngsModulus": -math.inf, "density": 0.0}  # what says that nothing is stated
_FREQUENCIES = {
    "vertex": AttributeFrequency.PARTICLE,
    "varying": AttributeFrequency.PARTICLE,
    "uniform": AttributeFrequency.TETRAHEDRON,
    "constant": AttributeFrequency.ONCE,
}
_LOOKS = {"st", "normals", "displayColor", "displayOpacity"}


def get_tetmesh(prim: Any, *, compat_namespaces: Sequence[str] | None = None) -> TetMesh:
    """A mesh of tetrahedra, and what its physics material says that it is made of.

    Args:
        prim: A prim of the type ``TetMesh``. Primvars become attributes of the mesh.
        compat_namespaces: Namespaces beside ``physics`` in which any material may state its
            numbers; (): none, and materials state them that have the schema of deformable volumes;
            None: as `DEFORMABLE_LEGACY_NAMESPACES`, with a warning where that matters.

    Returns:
        The mesh, in the stage's units.

    Raises:
        InvalidArgumentError: The prim has no points or no tetrahedra.
    """
    from pxr import UsdGeom

    geometry = UsdGeom.TetMesh(prim)
    points = geometry.GetPointsAttr().Get()
    corners = geometry.GetTetVertexIndicesAttr().Get()
    for name, found in (("points", points), ("tetVertexIndices", corners)):
        if found is None:
            raise InvalidArgumentError("prim", str(prim.GetPath()), f"a TetMesh with {name}")
    indices = np.array(corners, dtype=np.int32).reshape(-1, 4)
    if str(geometry.GetOrientationAttr().Get()).lower() == "lefthanded":
        indices = indices[:, (0, 2, 1, 3)]
    return TetMesh(
        np.array(points, dtype=np.float32),
        indices.reshape(-1),
        custom_attributes=_primvars(prim),
        **_material_of(prim, compat_namespaces),
    )


def find_tetmesh_prims(stage: Any) -> list[Any]:
    """All prims of a stage that are meshes of tetrahedra."""
    from pxr import UsdGeom

    return [prim for prim in stage.Traverse() if prim.IsA(UsdGeom.TetMesh)]


def get_physics_scenes(
    stage: Any, root_path: str = "/", exclude_paths: Sequence[str] | None = None
) -> list[Any]:
    """The ``UsdPhysics.Scene`` objects of a stage, those in instances included.

    Args:
        stage: The stage.
        root_path: Prim that is searched, with all below it.
        exclude_paths: Prims that are left out, with all below them.
    """
    from pxr import Sdf, Usd, UsdPhysics

    excluded = [Sdf.Path(path) for path in exclude_paths or ()]
    walk = iter(Usd.PrimRange(stage.GetPrimAtPath(root_path), Usd.TraverseInstanceProxies()))
    found: list[Any] = []
    for prim in walk:
        if any(prim.GetPath().HasPrefix(path) for path in excluded):
            walk.PruneChildren()
        elif prim.IsA(UsdPhysics.Scene):
            found.append(UsdPhysics.Scene(prim))
    return found


def _primvars(prim: Any) -> dict[str, tuple[np.ndarray, AttributeFrequency]]:
    from pxr import UsdGeom

    found: dict[str, tuple[np.ndarray, AttributeFrequency]] = {}
    for primvar in UsdGeom.PrimvarsAPI(prim).GetPrimvarsWithValues():
        name, kind = str(primvar.GetPrimvarName()), str(primvar.GetInterpolation())
        if name in RESERVED:
            told = f"primvar {name!r} has a reserved name of TetMesh: it is left out"
            warnings.warn(f"{prim.GetPath()}: {told}", stacklevel=4)
        elif name not in _LOOKS and kind in _FREQUENCIES:
            found[name] = (np.array(primvar.ComputeFlattened()), _FREQUENCIES[kind])
    return found


def _material_of(prim: Any, namespaces: Sequence[str] | None) -> dict[str, float]:
    """The arguments of a `TetMesh` that its physics material states."""
    from pxr import UsdGeom, UsdPhysics, UsdShade

    stray = [name for name in _NAMES[:2] if has_attribute(prim, f"physics:{name}")]
    if stray:
        told = f"{', '.join(stray)} is authored on the geometry, where it says nothing"
        warnings.warn(f"{prim.GetPath()}: {told}: a material has it", stacklevel=4)
    material = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial("physics")[0].GetPrim()
    if not material:
        return {}
    typed = has_applied_api_schema(material, _SCHEMA)
    legacy = namespaces is None
    allowed = DEFORMABLE_LEGACY_NAMESPACES if namespaces is None else tuple(namespaces)
    stated = _stated(material, allowed)
    if not typed and not allowed:
        density = stated.get("density") if material.HasAPI(UsdPhysics.MaterialAPI) else None
        return {} if density is None else {"density": density}
    if legacy and stated and not typed:
        told = f"{material.GetPath()}: get_tetmesh() reads materials without {_SCHEMA} unasked"
        warn(f"{told}: compat_namespaces says what is read", NewtonDeprecationWarning)
    if typed and "youngsModulus" not in stated:
        stage = prim.GetStage()
        known = UsdGeom.StageHasAuthoredMetersPerUnit(stage)
        stated["youngsModulus"] = _YOUNG * (UsdGeom.GetStageMetersPerUnit(stage) if known else 1.0)
    found: dict[str, float] = {}
    if "youngsModulus" in stated:
        young, ratio = stated["youngsModulus"], stated.get("poissonsRatio", _POISSON)
        found["k_mu"] = young / (2.0 * (1.0 + ratio))
        found["k_lambda"] = young * ratio / ((1.0 + ratio) * (1.0 - 2.0 * ratio))
    if "density" in stated:
        found["density"] = stated["density"]
    return found


def _stated(material: Any, namespaces: Sequence[str]) -> dict[str, float]:
    """The numbers that a material states; what no body can have is told of and left out."""
    found: dict[str, float] = {}
    for name in _NAMES:
        keys = [f"{space}:{name}" for space in ("physics", *namespaces)]
        key = next((key for key in keys if has_attribute(material, key)), "")
        if not key:
            continue
        stated = get_attribute(material, key)
        try:
            value = math.nan if isinstance(stated, bool | str) else float(stated)
        except (TypeError, ValueError):
            value = math.nan
        if math.isnan(value):
            told = f"{material.GetPath()}: invalid {key} {stated!r} is no numeric scalar"
            warnings.warn(f"{told}: it is left out", stacklevel=5)
            continue
        if name == "poissonsRatio" and 0.5 <= value < 1.0:
            why = "is incompressible" if value == 0.5 else "is outside the proposal range (-1, 0.5]"
            told = f"{why}: {_NEARLY_INCOMPRESSIBLE} is taken for compatibility"
            warnings.warn(f"{material.GetPath()}: {key}={value} {told}", stacklevel=5)
            value = _NEARLY_INCOMPRESSIBLE
        if _is_possible(name, value):
            found[name] = value
        elif value != _UNSTATED.get(name):
            warnings.warn(
                f"{material.GetPath()}: invalid {key} {value} is left out{_range(value)}",
                stacklevel=5,
            )
    return found


def _range(value: float) -> str:
    beyond = math.isfinite(value) and abs(value) > _LARGEST
    return ": it is outside the finite USD float range" if beyond else ""


def _is_possible(name: str, value: float) -> bool:
    if name == "poissonsRatio":
        return -1.0 < value < 0.5
    return abs(value) <= _LARGEST and (value > 0.0 or (name == "youngsModulus" and value == 0.0))
