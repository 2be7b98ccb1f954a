"""Equality constraints of MJCF files."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from unibody.core.assets.mjcf.model import MjcfModel
from unibody.newton.enums import AttributeFrequency

_CONNECT, _WELD, _JOINT = range(3)
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
            if first in dofs and (second < 0 or second in dofs):
                builder.add_equality_constraint_joint(
                    joint1=dofs[first][0],
                    joint2=dofs[second][0] if second >= 0 else -1,
                    polycoef=[float(v) for v in data[:5]],
                    **given,
                )
            continue
        if kind not in {_CONNECT, _WELD} or int(model.eq_objtype[number]) != _BODY_OBJECT:
            continue
        if first not in bodies or second not in bodies:
            continue
        anchor = wp.vec3(*(float(v) * scale for v in data[:3]))
        if kind == _CONNECT:
            builder.add_equality_constraint_connect(
                body1=bodies[first], body2=bodies[second], anchor=anchor, **given
            )
            continue
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


def _attributes(builder: Any, model: Any, number: int) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name in ("eq_solref", "eq_solimp"):
        attribute = builder.custom_attributes.get(f"mujoco:{name}")
        if attribute is not None and attribute.frequency == AttributeFrequency.EQUALITY_CONSTRAINT:
            values[attribute.key] = attribute.dtype(*getattr(model, name)[number].tolist())
    return values
