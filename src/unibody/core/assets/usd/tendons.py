"""Fixed tendons of PhysX's schema: joints of one articulation that share the name of a tendon."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from unibody.core.assets.description import FixedTendon, JointType, Link
from unibody.core.assets.usd.units import Units
from unibody.errors import AssetError, NotSupportedError
from unibody.notices import tell_once

_AXIS, _ROOT = "PhysxTendonAxisAPI:", "PhysxTendonAxisRootAPI:"
_TURNING = (JointType.REVOLUTE, JointType.CONTINUOUS)
_ALIKE = 1e-4  # of the largest: roundings of numbers in single precision


@dataclass(slots=True)
class TendonAxis:
    """A joint's part in a tendon, in the stage's units.

    Attributes:
        tendon: Its name.
        path: Of the joint's prim.
        gearing: Length by the joint's position, in degrees where it turns.
        force: Force at the joint by that of the tendon.
        root: What the joint says of the whole tendon, by attribute; None: it is not the first.
    """

    tendon: str
    path: str
    gearing: float
    force: float
    root: dict[str, Any] | None


def tendon_axes(prim: Any, schemas: Sequence[str], units: Units) -> list[TendonAxis]:
    """The parts that a joint has in tendons.

    Args:
        prim: The joint's.
        schemas: That it applies.
        units: Of the stage.
    """
    roots = {name.removeprefix(_ROOT) for name in schemas if name.startswith(_ROOT)}
    others = [name.removeprefix(_AXIS) for name in schemas if name.startswith(_AXIS)]
    found: list[TendonAxis] = []
    for tendon in dict.fromkeys((*sorted(roots), *others)):
        gearing, force = (
            _first(prim, f"physxTendon:{tendon}:{name}", units)
            for name in ("gearing", "forceCoefficient")
        )
        root = _root(prim, tendon, units) if tendon in roots else None
        found.append(TendonAxis(tendon, str(prim.GetPath()), gearing, force, root))
    return found


def _first(prim: Any, name: str, units: Units) -> float:
    """The first number of an array: there is one a joint."""
    attribute = prim.GetAttribute(name)
    values = attribute.Get() if attribute else None
    if values is None:
        return 1.0
    try:
        value = next(iter(values), 1.0)
    except TypeError:
        value = values
    return units.number(value, prim.GetPath(), name)


_NUMBERS = {
    "stiffness": 0.0,
    "damping": 0.0,
    "limitStiffness": 0.0,
    "offset": 0.0,
    "restLength": 0.0,
    "lowerLimit": -math.inf,
    "upperLimit": math.inf,
}


def _root(prim: Any, tendon: str, units: Units) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, default in _NUMBERS.items():
        attribute = prim.GetAttribute(f"physxTendon:{tendon}:{name}")
        value = attribute.Get() if attribute else None
        finite = math.isfinite(default)
        value = default if value is None else value
        found[name] = units.number(value, prim.GetPath(), name, finite=finite)
    enabled = prim.GetAttribute(f"physxTendon:{tendon}:tendonEnabled")
    stated = enabled.Get() if enabled else None
    found["enabled"] = stated is None or bool(stated)
    return found


def build_tendons(
    axes: Iterable[TendonAxis], links: Sequence[Link], units: Units
) -> list[FixedTendon]:
    """The tendons of one tree of links.

    Args:
        axes: Of its joints.
        links: Of the tree; their notes name the prims of their joints.
        units: Of the stage.

    Raises:
        AssetError: A tendon has no first joint, or several, or none that changes its length.
        NotSupportedError: A joint turns about several axes, or closes a loop.
    """
    by_name: dict[str, list[TendonAxis]] = {}
    for axis in axes:
        by_name.setdefault(axis.tendon, []).append(axis)
    above = {dict(link.notes).get("joint_prim_path", ""): link for link in links}
    found: list[FixedTendon] = []
    for name, own in by_name.items():
        roots = [axis.root for axis in own if axis.root is not None]
        if len(roots) != 1:
            problem = f"the tendon {name!r} has {len(roots)} joints with PhysxTendonAxisRootAPI"
            raise AssetError(units.file, own[0].path, f"{problem}, for 1")
        if roots[0]["enabled"]:
            found.append(_tendon(name, own, roots[0], above, units))
    return found


def _tendon(
    name: str, axes: list[TendonAxis], root: dict[str, Any], above: dict[str, Link], units: Units
) -> FixedTendon:
    joints: list[str] = []
    lengths: list[float] = []
    forces: list[float] = []
    for axis in axes:
        link = above.get(axis.path)
        if link is None or link.joint.type not in (*_TURNING, JointType.PRISMATIC):
            raise NotSupportedError(
                f"{units.file}: {axis.path}: the tendon {name!r} at a joint that has not one axis",
                "tendons of revolute and prismatic joints of the tree",
            )
        turns = link.joint.type in _TURNING
        if axis.gearing or axis.force:
            joints.append(link.joint.name)
            lengths.append(axis.gearing * (math.degrees(1.0) * units.length if turns else 1.0))
            forces.append(axis.force * (units.length if turns else 1.0))
    if not any(lengths):
        problem = f"no joint changes the length of the tendon {name!r}"
        raise AssetError(units.file, axes[0].path, problem)
    ratio = sum(f * g for f, g in zip(forces, lengths, strict=True)) / sum(g * g for g in lengths)
    if ratio <= 0.0:
        raise NotSupportedError(
            f"{units.file}: the tendon {name!r}, which pushes where it is to pull",
            "force coefficients of the signs of the gearings",
        )
    errors = [abs(f - ratio * g) for f, g in zip(forces, lengths, strict=True)]
    if max(errors) > _ALIKE * max(map(abs, forces)):
        tell_once(
            f"{units.file}: the tendon {name!r}: its forces at joints are {ratio:.4g} times their "
            "gearings, the mean of what its force coefficients say"
        )
    kept = [(j, g) for j, g in zip(joints, lengths, strict=True) if g]
    return FixedTendon(
        name,
        [joint for joint, _ in kept],
        [length for _, length in kept],
        (root["lowerLimit"] * units.length, root["upperLimit"] * units.length),
        root["stiffness"] * units.mass,
        root["damping"] * units.mass,
        root["restLength"] * units.length,
        offset=root["offset"] * units.length,
        limit_stiffness=root["limitStiffness"] * units.mass,
        force_ratio=ratio,
    )
