"""Equality constraints of MJCF files."""

from __future__ import annotations

from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np
import warp as wp

from unibody.core.assets.mjcf.model import MjcfModel
from unibody.newton.dialect import is_after_first_of_1
from unibody.newton.enums import AttributeFrequency, ShapeFlags
from unibody.newton.exceptions import warn
from unibody.newton.importers.mjcf_options import pose_of

_CONNECT, _WELD, _JOINT = range(3)
_UNSTATED = (0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0)  # the original's pose of welds without one
_SLIDE = 2
_SHOWN = 5  # names in a warning
_BODY_OBJECT, _SITE_OBJECT = 1, 6


def add_constraints(
    builder: Any,
    found: MjcfModel,
    bodies: dict[int, int],
    dofs: dict[int, tuple[int, int]],
    scale: float,
) -> None:
    """Add connections, welds and couplings of joints.

    Args:
        builder: The builder.
        found: The file.
        bodies: MuJoCo's body -> body.
        dofs: MuJoCo's joint -> joint and degree of freedom.
        scale: Factor on lengths.
    """
    model = found.model
    alone: list[str] = []  # couplings that only MuJoCo has
    # the original adds all connections first, then welds, then couplings
    for number in np.argsort(model.eq_type, kind="stable").tolist():
        kind, data = int(model.eq_type[number]), model.eq_data[number]
        first, second = int(model.eq_obj1id[number]), int(model.eq_obj2id[number])
        name = str(found.spec.equalities[number].name)
        given = {
            "key": f"{found.name}/{name}" if found.name and name else name or None,
            "enabled": bool(model.eq_active0[number]),
            "custom_attributes": _attributes(builder, model, number),
        }
        if kind == _JOINT:
            if is_after_first_of_1():
                chosen = _choose_axes(builder, [dofs.get(first), dofs.get(second)])
                given["custom_attributes"] |= chosen
                if chosen or second < 0:
                    alone.append(name or f"joint1={found.name_of('joint', first)}")
            if first in dofs and (second < 0 or second in dofs):
                builder.add_equality_constraint_joint(
                    joint1=dofs[first][0],
                    joint2=dofs[second][0] if second >= 0 else -1,
                    polycoef=_coefficients(model, number, scale),
                    **given,
                )
            continue
        if kind not in {_CONNECT, _WELD}:
            continue
        of_sites = int(model.eq_objtype[number]) == _SITE_OBJECT
        if of_sites:
            data = _of_sites(model, kind, first, second, data)
            first, second = (int(model.site_bodyid[site]) for site in (first, second))
        if first not in bodies or second not in bodies:
            continue
        anchor = wp.vec3(*(float(v) * scale for v in data[:3]))
        if kind == _CONNECT:
            builder.add_equality_constraint_connect(
                body1=bodies[first], body2=bodies[second], anchor=anchor, **given
            )
            continue
        own = np.array(found.spec.equalities[number].data)
        if not of_sites and is_after_first_of_1() and not own[6:10].any():
            data = np.array([*own[:3], *_UNSTATED, own[10]])  # bodies stay as they are
        w, x, y, z = (float(v) for v in data[6:10])
        position = wp.vec3(*(float(v) * scale for v in data[3:6]))
        builder.add_equality_constraint_weld(
            body1=bodies[first],
            body2=bodies[second],
            anchor=anchor,
            torquescale=float(data[10]),
            relpose=wp.transform(position, wp.quat(x, y, z, w)),
            **given,
        )
    if alone:
        _warn_of_couplings(alone)


def _choose_axes(builder: Any, ends: list[tuple[int, int] | None]) -> dict[str, int]:
    """The degrees of freedom that a coupling is of, where joints have several."""
    return {
        f"mujoco:equality_constraint_joint{number}_dof": end[1]
        for number, end in enumerate(ends, start=1)
        if end is not None and sum(builder.joint_dof_dim[end[0]]) > 1
    }


def _warn_of_couplings(names: list[str]) -> None:
    """Name couplings that other solvers than MuJoCo do not have."""
    shown = ", ".join(names[:_SHOWN]) + ", ..." * (len(names) > _SHOWN)
    warn(
        f"{len(names)} joint equalities omit joint2 or are of a multi-DoF joint ({shown}): they"
        " stay MuJoCo equality constraints, which other solvers do not know"
    )


def _coefficients(model: Any, number: int, scale: float) -> list[float]:
    """Those of a coupling of the builder's coordinates: after 1.0 slides have its lengths."""
    factors = [1.0, 1.0]
    ends = int(model.eq_obj1id[number]), int(model.eq_obj2id[number])
    if is_after_first_of_1():
        factors = [scale if e >= 0 and model.jnt_type[e] == _SLIDE else 1.0 for e in ends]
    stated = model.eq_data[number, :5].tolist()
    return [value * factors[0] / factors[1] ** power for power, value in enumerate(stated)]


def _of_sites(model: Any, kind: int, first: int, second: int, data: Any) -> Any:
    """MuJoCo's numbers of a connection or weld of two sites, as one of their bodies."""
    found = data.copy()
    if kind == _CONNECT:
        found[:3] = model.site_pos[first]
        return found
    frames = [pose_of(model.site_pos[site], model.site_quat[site]) for site in (first, second)]
    relative = frames[0] * wp.transform_inverse(frames[1])
    x, y, z, qx, qy, qz, qw = (float(v) for v in relative)
    found[:3] = 0.0
    found[3:10] = x, y, z, qw, qx, qy, qz
    return found


def add_pairs(builder: Any, found: MjcfModel, shapes: dict[int, int], scale: float) -> None:
    """Add pairs of geoms that touch by numbers of their own.

    Args:
        builder: The builder.
        found: The file.
        shapes: MuJoCo's geom -> shape.
        scale: Factor on lengths.
    """
    known, model = builder.custom_attributes, found.model
    if "mujoco:pair_geom1" not in known:
        return
    for number in range(model.npair):
        geoms = [int(geom[number]) for geom in (model.pair_geom1, model.pair_geom2)]
        if not all(geom in shapes for geom in geoms):
            continue
        values: dict[str, Any] = {
            "mujoco:pair_world": builder.current_world,
            "mujoco:pair_geom1": shapes[geoms[0]],
            "mujoco:pair_geom2": shapes[geoms[1]],
            "mujoco:pair_condim": int(model.pair_dim[number]),
            "mujoco:pair_margin": float(model.pair_margin[number]) * scale,
            "mujoco:pair_gap": float(model.pair_gap[number]) * scale,
        }
        for name in ("solref", "solreffriction", "solimp", "friction"):
            attribute = known[f"mujoco:pair_{name}"]
            row = getattr(model, f"pair_{name}")[number].tolist()
            values[attribute.key] = attribute.dtype(*row)
        builder.add_custom_values(**values)


def keep_apart_by_masks(builder: Any, found: MjcfModel, shapes: dict[int, int]) -> None:
    """Filter pairs of shapes that the masks of the file do not let touch.

    Args:
        builder: The builder.
        found: The file.
        shapes: MuJoCo's geom -> shape.
    """
    model = found.model
    kinds: dict[tuple[int, int], list[int]] = {}
    for geom, shape in shapes.items():
        masks = int(model.geom_contype[geom]), int(model.geom_conaffinity[geom])
        if any(masks) and int(builder.shape_flags[shape]) & int(ShapeFlags.COLLIDE_SHAPES):
            kinds.setdefault(masks, []).append(shape)
    for (first, own), (second, other) in combinations_with_replacement(kinds, 2):
        if first & other or second & own:
            continue
        for a, b in product(kinds[first, own], kinds[second, other]):
            if a != b and builder.shape_body[a] != builder.shape_body[b]:
                builder.add_shape_collision_filter_pair(a, b)


def _attributes(builder: Any, model: Any, number: int) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name in ("eq_solref", "eq_solimp"):
        attribute = builder.custom_attributes.get(f"mujoco:{name}")
        if attribute is not None and attribute.frequency == AttributeFrequency.EQUALITY_CONSTRAINT:
            values[attribute.key] = attribute.dtype(*getattr(model, name)[number].tolist())
    return values
