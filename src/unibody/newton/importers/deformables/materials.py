"""What deformable bodies of a stage are made of, by OpenUSD's proposal."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from unibody.newton.exceptions import warn
from unibody.newton.importers.deformables.reading import as_number, body_of, fits, number, read
from unibody.newton.usd_values import get_attribute, has_applied_api_schema

DENSITY = 1000.0  # [kg/m^3], which with the next three counts where nothing is stated
THICKNESS = 1e-3  # [m]
YOUNG = 1e6  # [Pa]
POISSON = 0.3
_NEARLY_INCOMPRESSIBLE = 0.499
_POSITIVE = {"thickness", "surfaceThickness", "curvesThickness", "density"}
_EARLIER = ("thickness", "stretchStiffness", "shearStiffness", "bendStiffness")
DAMPINGS = tuple(f"curves{mode}Damping" for mode in ("Stretch", "Shear", "Bend", "Twist"))

Material = dict[str, float]


def bound(prim: Any) -> Any:
    """The prim of the physics material that a geometry has, or None."""
    from pxr import UsdShade

    material = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial("physics")[0].GetPrim()
    return material if material else None


def of_surface(prim: Any) -> Material | None:
    """The numbers of a surface's material; None where it has none of its family."""
    modes = (f"surface{mode}Stiffness" for mode in ("Stretch", "Shear", "Bend"))
    names = ("surfaceThickness", "youngsModulus", "poissonsRatio", *modes, "density", *_EARLIER)
    return _of_family(bound(prim), "PhysicsSurfaceDeformableMaterialAPI", names)


def of_volume(prim: Any) -> Material | None:
    """The numbers of a volume's material; None where it has none of its family."""
    names = ("youngsModulus", "poissonsRatio", "density")
    return _of_family(bound(prim), "PhysicsVolumeDeformableMaterialAPI", names)


def of_curves(prim: Any) -> Material | None:
    """The numbers of a curve's material, Newton's dampings with them; None: of another family."""
    material = bound(prim)
    modes = (f"curves{mode}Stiffness" for mode in ("Stretch", "Shear", "Bend", "Twist"))
    names = ("curvesThickness", "youngsModulus", "poissonsRatio", *modes, "density", *_EARLIER)
    found = _of_family(material, "PhysicsCurvesDeformableMaterialAPI", (*names, "twistStiffness"))
    if found is None:
        return None
    damping = _of_family(material, "NewtonCurvesDeformableMaterialAPI", DAMPINGS, space="newton")
    return found | (damping or {})


def _of_family(
    material: Any, schema: str, names: Sequence[str], *, space: str = "physics"
) -> Material | None:
    if material is None or not has_applied_api_schema(material, schema):
        return None
    found: Material = {}
    for name in names:
        value = number(get_attribute(material, f"{space}:{name}"), material, f"{space}:{name}")
        if value is None:
            continue
        if name == "poissonsRatio":
            value = _ratio(value, material, f"{space}:{name}")
        else:
            value = _allowed(value, material, name, f"{space}:{name}")
        if value is not None:
            found[name] = value
    return found


def _ratio(value: float, material: Any, name: str) -> float | None:
    """Poisson's ratio; what is nearly incompressible is taken as what has finite parameters."""
    if -1.0 < value < 0.5:
        return value
    told = f"{material.GetPath()}: {name}={value:g}"
    if 0.5 <= value < 1.0:
        why = "is incompressible" if value == 0.5 else "is outside the proposal range (-1, 0.5]"
        warn(f"{told} {why}: {_NEARLY_INCOMPRESSIBLE} is taken for compatibility")
        return _NEARLY_INCOMPRESSIBLE
    warn(f"{material.GetPath()}: invalid {name} {value:g} is not in (-1, 0.5]: it is left out")
    return None


def _allowed(value: float, material: Any, name: str, whole: str) -> float | None:
    """A number of a material that can be; -inf says that the simulator chooses, 0 no density."""
    if (value == -math.inf and name != "density") or (value == 0.0 and name == "density"):
        return None
    if fits(value) and (value > 0.0 or (value == 0.0 and name not in _POSITIVE)):
        return value
    allowed = "> 0" if name in _POSITIVE else ">= 0"
    if not math.isfinite(value):
        allowed = "finite" if name == "density" else "finite or the -inf sentinel"
    elif not fits(value):
        allowed += ", and it is outside the finite USD float range"
    warn(
        f"{material.GetPath()}: invalid {whole} {value:g} (expected {allowed}):"
        " it counts as not stated"
    )
    return None


def density_of(
    prim: Any, stated: float | None, metres: float, *, read_material: bool = True
) -> float:
    """The density of a deformable body.

    Args:
        prim: Its simulated geometry.
        stated: That of its material's family, or None.
        metres: In a unit of the stage.
        read_material: Whether the material's schema for rigid bodies may state one.

    Returns:
        That of the body, else of its material's family, else of its material, else 1000 kg/m^3
        [kg per cubed unit of the stage].
    """
    _, own = overrides(prim)
    if own is None:
        own = stated
    if own is None and read_material:
        own = _density_of_rigid(bound(prim))
    return DENSITY * metres**3 if own is None else own


def _density_of_rigid(material: Any) -> float | None:
    if material is None or not has_applied_api_schema(material, "PhysicsMaterialAPI"):
        return None
    attribute = material.GetAttribute("physics:density")
    value = number(attribute.Get() if attribute else None, material, "physics:density")
    if value is None or value == 0.0:
        return None
    if fits(value) and value > 0.0:
        return value
    warn(
        f"{material.GetPath()}: invalid physics material density {value}: it is not positive in"
        " the finite USD float range"
    )
    return None


def overrides(prim: Any) -> tuple[float | None, float | None]:
    """The mass and the density that a deformable body states, which count before all others."""
    body = body_of(prim)
    if body is None:
        return None, None
    found: list[float | None] = []
    for name in ("mass", "density"):
        value = number(read(body, name), body, f"physics:{name}")
        if value == 0.0:
            value = None
        elif value is not None and not (math.isfinite(value) and value > 0.0):
            warn(
                f"{body.GetPath()}: invalid physics:{name} {value:g} is neither finite and positive"
                " nor 0: it counts as not stated"
            )
            value = None
        found.append(value)
    return found[0], found[1]


def lame(young: float, poisson: float) -> tuple[float, float]:
    """The elastic parameters mu and lambda of a modulus and a ratio."""
    first = young / (2.0 * (1.0 + poisson))
    return first, young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson))


def gains(stiffness: Any, damping: Any) -> tuple[float | None, float | None]:
    """Stiffness and damping of an attachment; None for one that is no number.

    Without a stiffness it has no way to go.
    """
    return (
        math.inf if stiffness is None else as_number(stiffness),
        0.0 if damping is None else as_number(damping),
    )
