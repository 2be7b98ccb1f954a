"""Dictionaries of parameters, as configuration files have them, into ``SimParams``."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

from unibody.errors import InvalidArgumentError
from unibody.isaacgym.argument_kinds import checked
from unibody.isaacgym.types.enums import ContactCollection, UpAxis
from unibody.isaacgym.types.fields import Struct
from unibody.isaacgym.types.sim_params import SimParams
from unibody.isaacgym.types.vectors import Vec3
from unibody.notices import tell


@checked
def parse_sim_config(config: Mapping[str, Any], sim_params: SimParams) -> None:
    """Set parameters of a simulation.

    Args:
        config: Names of ``SimParams`` -> values. ``gravity`` is three numbers [m/s^2], ``up_axis``
            is "y", "z", 0, 1 or an ``UpAxis``, ``physx`` and ``flex`` are dictionaries.
        sim_params: Where they are set. A name it does not have is told on stderr.

    Raises:
        InvalidArgumentError: A value is not allowed; nothing has been set then.
    """
    draft = SimParams()
    draft.assign("sim_params", sim_params)
    for name, value in config.items():
        if name == "gravity":
            draft.gravity = _gravity(value)
        elif name == "up_axis":
            draft.up_axis = _up_axis(value)
        elif name == "physx":
            parse_physx_config(value, draft)
        elif name == "flex":
            parse_flex_config(value, draft)
        else:
            _set(draft, name, value)
    sim_params.assign("sim_params", draft)


@checked
def parse_physx_config(config: Mapping[str, Any], sim_params: SimParams) -> None:
    """Set ``sim_params.physx``, where ``contact_collection`` may be a number; see above."""
    for name, value in config.items():
        is_mode = name == "contact_collection"
        _set(sim_params.physx, name, _member(name, value, ContactCollection) if is_mode else value)


@checked
def parse_flex_config(config: Mapping[str, Any], sim_params: SimParams) -> None:
    """Set ``sim_params.flex``; see above."""
    for name, value in config.items():
        _set(sim_params.flex, name, value)


def _set(params: Struct, name: str, value: Any) -> None:
    if name in params.fields:
        setattr(params, name, value)
        return
    near = difflib.get_close_matches(name, params.fields, n=1)
    hint = f"; did you mean {near[0]}?" if near else ""
    tell(f"{type(params).__name__} has no parameter {name!r}, which is left out{hint}")


def _gravity(value: Any) -> Vec3:
    if isinstance(value, Vec3):
        return value
    try:
        x, y, z = value
    except (TypeError, ValueError):
        raise InvalidArgumentError("gravity", value, "three numbers") from None
    return Vec3(x, y, z)


def _up_axis(value: Any) -> UpAxis:
    if isinstance(value, str):
        name = f"UP_AXIS_{value.upper()}"
        if name not in UpAxis.__members__:
            raise InvalidArgumentError("up_axis", value, "'y' or 'z'")
        return UpAxis[name]
    return _member("up_axis", value, UpAxis)


def _member(name: str, value: Any, kind: Any) -> Any:
    try:
        return kind(value)
    except ValueError:
        raise InvalidArgumentError(name, value, ", ".join(map(repr, kind))) from None
