"""Stiffness and damping of the joints of cables, from their material."""

from __future__ import annotations

import math
from typing import Any

from unibody.newton.enums import JointType
from unibody.newton.exceptions import NewtonDeprecationWarning, warn
from unibody.newton.importers.deformables import materials
from unibody.newton.importers.deformables.materials import Material

_MODES = ("Stretch", "Shear", "Bend", "Twist")
_SHEAR_SHARE = 0.9  # of the area of a round section that bears shear
_EARLIER = ("thickness", *(f"{mode.lower()}Stiffness" for mode in _MODES))
_PRESENT = (
    *("curvesThickness", "youngsModulus", "poissonsRatio"),
    *(f"curves{mode}Stiffness" for mode in _MODES),
)
_AXES = (1, 1, 0, 2, 2, 3)  # mode of each degree of freedom of a joint of rods

Modes = tuple[float | None, ...]


def radius_of(material: Material | None, metres: float) -> float:
    """The radius of a cable whose geometry states no thickness."""
    for name in ("curvesThickness", "thickness"):
        if name in (material or {}):
            return 0.5 * (material or {})[name]
    return 0.5 * materials.THICKNESS / metres


def rigidities(material: Material, radius: float, metres: float) -> Modes:
    """What a round section resists with: E A and k G A [N], E I and G J [N m^2].

    Each is that of the material, else one of an earlier draft, which is per area or moment, else
    that of its Young's modulus and Poisson's ratio. None: not stated at all.
    """
    area = math.pi * radius**2
    factors = (area, area, 0.25 * area * radius**2, 0.5 * area * radius**2)
    earlier = [
        None if (value := material.get(f"{mode.lower()}Stiffness")) is None else value * factor
        for mode, factor in zip(_MODES, factors, strict=True)
    ]
    if any(name in material for name in _EARLIER) and not any(n in material for n in _PRESENT):
        stretch, shear, bend, twist = earlier
        return stretch, stretch if shear is None else shear, bend, bend if twist is None else twist
    young = material.get("youngsModulus", materials.YOUNG * metres)
    shear_modulus = 0.5 * young / (1.0 + material.get("poissonsRatio", materials.POISSON))
    moduli = (young, _SHEAR_SHARE * shear_modulus, young, shear_modulus)
    found: list[float | None] = []
    for mode, before, modulus, factor in zip(_MODES, earlier, moduli, factors, strict=True):
        own = material.get(f"curves{mode}Stiffness")
        given = modulus * factor if before is None else before
        found.append(given if own is None else own)
    return tuple(found)


def write_gains(
    builder: Any,
    joints: list[int],
    material: Material | None,
    segments: dict[int, tuple[float, float]],
    radii: list[float],
    metres: float,
) -> None:
    """Give joints of rods the gains of half of the segment on each side.

    Stretch and shear of two halves with sections of their own act one behind the other; bend and
    twist have the section at the joint.

    Args:
        builder: The builder.
        joints: The joints.
        material: Of the cable; None: they keep what they have.
        segments: Body -> length and radius [m].
        radii: At the joints.
        metres: In a unit of the stage.

    Raises:
        ValueError: A joint is no joint of rods.
    """
    if material is None:
        return
    damping = [material.get(name) for name in materials.DAMPINGS]
    for joint, radius in zip(joints, radii, strict=True):
        if builder.joint_type[joint] != JointType.ROD:
            raise ValueError(f"joint {joint} has no six-DOF ROD layout")
        ends = [segments[b] for b in (builder.joint_parent[joint], builder.joint_child[joint])]
        halves = [0.5 * length for length, _ in ends]
        sections = [rigidities(material, own, metres) for _, own in ends]
        stiffness = [_behind(halves, [section[mode] for section in sections]) for mode in (0, 1)]
        length = sum(halves)
        at_joint = rigidities(material, radius, metres)
        stiffness += [None if value is None else value / length for value in at_joint[2:]]
        first = builder.joint_qd_start[joint]
        for axis, mode in enumerate(_AXES):
            if stiffness[mode] is not None:
                builder.joint_target_ke[first + axis] = stiffness[mode]
            if (value := damping[mode]) is not None:
                builder.joint_target_kd[first + axis] = value / length


def _behind(lengths: list[float], rigid: list[float | None]) -> float | None:
    """The stiffness of lengths one behind the other."""
    values = [value for value in rigid if value is not None]
    if len(values) < len(rigid):
        return None
    if not all(values):
        return 0.0
    return 1.0 / sum(length / value for length, value in zip(lengths, values, strict=True))


def tell_of_earlier(path: str, material: Material | None) -> None:
    """Warn of what an earlier draft of the proposal had in materials of curves."""
    names = material or {}
    if "curvesThickness" in names:
        warn(
            f"{path}: physics:curvesThickness of a diameter d on the material is deprecated: state"
            " physics:thicknesses = [d] with physics:thicknesses:elementType = 'constant' on the"
            " geometry",
            NewtonDeprecationWarning,
        )
    if any(name in names for name in _EARLIER):
        warn(
            f"{path}: unprefixed curve material attributes are deprecated: state"
            " physics:thicknesses on the geometry, and physics:curves*Stiffness",
            NewtonDeprecationWarning,
        )


def tell_of_misplaced(prim: Any) -> None:
    """Warn of dampings of materials that a geometry states, where they say nothing."""
    for name in materials.DAMPINGS:
        attribute = prim.GetAttribute(f"newton:{name}")
        if attribute and attribute.HasAuthoredValue():
            warn(
                f"{prim.GetPath()}: 'newton:{name}' is authored on the geometry and ignored: it"
                " belongs on the bound material (NewtonCurvesDeformableMaterialAPI)"
            )
