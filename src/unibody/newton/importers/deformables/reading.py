# pyright: reportAttributeAccessIssue=false
"""What prims of OpenUSD's proposal for deformable bodies state."""

from __future__ import annotations

import logging
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from unibody.newton.exceptions import NewtonDeprecationWarning, warn
from unibody.newton.usd_values import get_attribute, has_applied_api_schema

LOGGER = logging.getLogger("newton")
_LARGEST = float(np.finfo(np.float32).max)  # of what USD's type `float` holds
_BODY = "PhysicsDeformableBodyAPI"


def read(prim: Any, name: str) -> Any:
    """The value of ``physics:NAME`` that was written, or None."""
    return get_attribute(prim, f"physics:{name}")


def is_ignored(path: str, patterns: Sequence[str]) -> bool:
    """Whether a path begins with one of some patterns."""
    return any(re.match(pattern, path) for pattern in patterns)


def fits(value: float) -> bool:
    """Whether a number is finite as USD's type `float`."""
    return math.isfinite(value) and abs(value) <= _LARGEST


def number(value: Any, prim: Any, name: str) -> float | None:
    """A value as a number; what is none is told of and counts as not stated.

    Args:
        value: The value, or None.
        prim: The prim that states it.
        name: Of its attribute, whole.
    """
    if value is None:
        return None
    found = as_number(value)
    if found is None:
        warn(f"{prim.GetPath()}: invalid {name} {value!r} is no numeric scalar: it is left out")
    return found


def as_number(value: Any) -> float | None:
    """A value as a number, or None."""
    if isinstance(value, bool | str | bytes):
        return None
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return None


@dataclass(frozen=True, slots=True)
class Elements:
    """Numbers that a simulated geometry states for its parts.

    Attributes:
        values: One a part.
        kind: The parts: "constant", "point", "face", "segment" and so on.
        implied: Whether the kind is not stated, as in an earlier draft of the proposal.
    """

    values: tuple[float, ...]
    kind: str
    implied: bool = False

    def told(self, *, implied: bool) -> dict[str, Any]:
        """What `add_usd` returns of it."""
        found: dict[str, Any] = {"values": list(self.values), "element_type": self.kind}
        return found | ({"legacy_implicit_type": self.implied} if implied else {})


def elements(
    prim: Any, name: str, counts: Mapping[str, int], *, earlier: str | None = None
) -> Elements | None:
    """The numbers ``physics:NAME`` of a geometry's parts.

    Args:
        prim: The geometry.
        name: "masses" or "thicknesses".
        counts: How many parts of each kind there are.
        earlier: The kind that counts where none is stated; None: it has to be.

    Returns:
        None where none are stated, or what is stated is no use, which is told.
    """
    written, kind = read(prim, name), str(read(prim, f"{name}:elementType") or "")
    own = f"{prim.GetPath()}: physics:{name}"
    if written is None or not np.size(written):
        if kind:
            gone = "is not authored" if written is None else "is empty"
            warn(
                f"{prim.GetPath()}: physics:{name}:elementType is {kind!r} but physics:{name}"
                f" {gone}: it is left out"
            )
        return None
    values = [as_number(value) for value in written]
    if None in values:
        warn(f"{own} is no array of numeric values: it is left out")
        return None
    implied = not kind
    if implied:
        if earlier is None:
            warn(f"{own} requires physics:{name}:elementType: it is left out")
            return None
        kind = earlier
        warn(
            f"{own} without physics:{name}:elementType keeps the direct point interpretation of an"
            f" earlier draft, which is deprecated: make all values strictly positive and state"
            f" {kind!r} for a volume-weighted conversion, which keeps the total mass and may change"
            " its distribution",
            NewtonDeprecationWarning,
        )
    found = tuple(float(value) for value in values if value is not None)
    problem = _problem(found, kind, counts, zero=implied)
    if problem:
        lower = ", and lower-precedence mass sources count" if name == "masses" else ""
        warn(f"{own} {problem}: ignoring the entire array{lower}")
        return None
    return Elements(found, kind, implied)


def _problem(values: tuple[float, ...], kind: str, counts: Mapping[str, int], *, zero: bool) -> str:
    if kind not in counts:
        return f"has an invalid elementType {kind!r}, none of {list(counts)}"
    if len(values) != counts[kind]:
        return f"length {len(values)} does not match element type {kind!r} count {counts[kind]}"
    least = 0.0 if zero else math.ulp(0.0)
    if not all(math.isfinite(value) and value >= least for value in values):
        return f"contains invalid values, not {'>=' if zero else '>'} 0 and finite"
    if not all(map(fits, values)):
        return "contains a value outside the finite USD float range"
    return ""


def body_of(prim: Any, *, tell: bool = True) -> Any:
    """The deformable body that a simulated geometry is: the prim itself or the one above it.

    One further above does not count, which is told.
    """
    if has_applied_api_schema(prim, _BODY):
        return prim
    above = prim.GetParent()
    if above and has_applied_api_schema(above, _BODY):
        return above
    while above:
        if _is_rigid(above):
            break
        if has_applied_api_schema(above, _BODY):
            if tell:
                warn(
                    f"{prim.GetPath()}: {_BODY} on ancestor {above.GetPath()} does not govern it:"
                    " the geometry itself or its direct parent does"
                )
            break
        above = above.GetParent()
    return None


def owner_above(prim: Any) -> Any:
    """The deformable body that a prim is somewhere below; None: it belongs to none."""
    while prim:
        if has_applied_api_schema(prim, _BODY):
            return prim
        if _is_rigid(prim):
            return None
        prim = prim.GetParent()
    return None


def _is_rigid(prim: Any) -> bool:
    from pxr import UsdPhysics

    return prim.HasAPI(UsdPhysics.RigidBodyAPI) or prim.HasAPI(UsdPhysics.ArticulationRootAPI)


def geometries(body: Any, ignored: Sequence[str]) -> Iterator[Any]:
    """The geometries of points of a deformable body, those of bodies inside it left out."""
    from pxr import Usd, UsdGeom

    walk = iter(Usd.PrimRange(body, Usd.TraverseInstanceProxies()))
    for prim in walk:
        if prim != body and (has_applied_api_schema(prim, _BODY) or _is_rigid(prim)):
            walk.PruneChildren()
        elif prim.IsA(UsdGeom.PointBased) and not is_ignored(str(prim.GetPath()), ignored):
            yield prim


def has_collider(prim: Any) -> bool:
    """Whether a prim has UsdPhysics' schema of colliders, switched on or not."""
    return has_applied_api_schema(prim, "PhysicsCollisionAPI")


def collides(prim: Any, ignored: Sequence[str]) -> tuple[bool, list[str]]:
    """Whether a simulated geometry collides, and the colliders that it stands for.

    Args:
        prim: The geometry.
        ignored: Patterns of paths that are left out.

    Returns:
        Whether it, or a collider of its body, is switched on; and the paths of those colliders.
    """
    body = body_of(prim)
    others = [
        str(collider.GetPath())
        for collider in (geometries(body, ignored) if body is not None else ())
        if collider != prim and _is_on(collider)
    ]
    for path in others:
        warn(
            f"{path}: a dedicated deformable collider is approximated by the simulation geometry"
            f" {prim.GetPath()}"
        )
    return _is_on(prim) or bool(others), others


def _is_on(prim: Any) -> bool:
    if not has_collider(prim):
        return False
    attribute = prim.GetAttribute("physics:collisionEnabled")
    value = attribute.Get() if attribute else None
    return value is None or bool(value)


def tell_of_particles(path: str, *, collide: bool) -> None:
    """Warn that particles collide though no collider is switched on."""
    if not collide:
        warn(
            f"{path}: it has no enabled collider, but Newton cannot disable deformable particle"
            " collision"
        )


def reason_to_skip(prim: Any) -> str:
    """Why a simulated geometry is left out, or "" where it is not."""
    body = body_of(prim) or prim
    enabled, kinematic = read(body, "bodyEnabled"), read(body, "kinematicEnabled")
    if enabled is not None and not enabled:
        return "physics:bodyEnabled is false"
    if kinematic:
        return "physics:kinematicEnabled is true (kinematic deformables are not supported)"
    return ""


def tell_of_lost(prim: Any, material_schema: str) -> None:
    """Warn of what a simulated geometry states that has no place: velocities, materials."""
    from pxr import UsdGeom

    path = prim.GetPath()
    velocities = UsdGeom.PointBased(prim).GetVelocitiesAttr()
    if velocities and velocities.HasAuthoredValue():
        warn(f"{path}: authored velocities are not imported: it starts at rest")
    tell_of_misplaced(prim, material_schema)
    _tell_of_subsets(prim)


_MOVED = ("surfaceThickness", "curvesThickness", "thickness")
_OF_MATERIALS = (
    *("youngsModulus", "poissonsRatio"),
    *(f"surface{mode}Stiffness" for mode in ("Stretch", "Shear", "Bend")),
    *(f"curves{mode}Stiffness" for mode in ("Stretch", "Shear", "Bend", "Twist")),
    *(f"{mode}Stiffness" for mode in ("stretch", "shear", "bend", "twist")),
)


def tell_of_misplaced(prim: Any, material_schema: str) -> None:
    """Warn of attributes of materials that a geometry states, where they say nothing."""
    path = prim.GetPath()
    for name in _MOVED:
        if read(prim, name) is not None:
            warn(
                f"{path}: geometry attribute 'physics:{name}' is deprecated and ignored: state"
                " physics:thicknesses with physics:thicknesses:elementType there",
                NewtonDeprecationWarning,
            )
    for name in _OF_MATERIALS:
        if read(prim, name) is not None:
            warn(
                f"{path}: deformable material attribute 'physics:{name}' is authored on the"
                f" geometry and ignored: it belongs on the bound material ({material_schema})"
            )


_MATERIALS = {
    "PhysicsMaterialAPI",
    *(f"Physics{family}DeformableMaterialAPI" for family in ("Surface", "Volume", "Curves")),
}


def _tell_of_subsets(prim: Any) -> None:
    from pxr import UsdGeom, UsdShade

    for child in prim.GetChildren():
        if not child.IsA(UsdGeom.Subset):
            continue
        binding = UsdShade.MaterialBindingAPI(child)
        if not binding.GetDirectBinding("physics").GetMaterial():
            material = binding.GetDirectBinding().GetMaterial().GetPrim()
            if not material or _MATERIALS.isdisjoint(schemas(material)):
                continue
        warn(
            f"{prim.GetPath()}: GeomSubset {child.GetPath()} binds a physics material of its own:"
            " the whole geometry has one, and that is not it"
        )


def schemas(prim: Any) -> set[str]:
    """The schemas that were applied to a prim, those that USD does not know included."""
    return set(prim.GetPrimTypeInfo().GetAppliedAPISchemas())
