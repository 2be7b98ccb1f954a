"""Domain randomisation: samples from a description, applied to properties of actors.

A description (``attr_randomization_params``) has a "range" of two numbers, a "distribution"
("uniform", "loguniform" or "gaussian", whose range is mean and variance), an "operation"
("additive" or "scaling"), and perhaps a "schedule" ("linear" or "constant") over "schedule_steps",
and "num_buckets", the number of values a sample may take.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from unibody.core.batch.sampling import Rule
from unibody.errors import EngineError, InvalidArgumentError
from unibody.isaacgym.argument_kinds import checked, is_number, method_of
from unibody.isaacgym.errors import ArgumentTypeError
from unibody.isaacgym.types.fields import Struct
from unibody.isaacgym.types.sim_params import SimParams

_MOST_SAMPLES = 2**28
MAX_MATERIALS = 64_000
"""PhysX holds no more materials."""

_PROPERTIES = ("dof_properties", "tendon_properties", "rigid_body_properties")
_PER_ACTOR = (*_PROPERTIES, "rigid_shape_properties")


@checked
def get_property_setter_map(gym: Any) -> dict[str, Callable[..., Any]]:
    """Return the methods of ``gym`` that set properties, by the kind of property."""
    found = {name: method_of(gym, f"set_actor_{name}") for name in _PER_ACTOR}
    return {**found, "sim_params": method_of(gym, "set_sim_params")}


@checked
def get_property_getter_map(gym: Any) -> dict[str, Callable[..., Any]]:
    """Return the methods of ``gym`` that get properties, by the kind of property."""
    found = {name: method_of(gym, f"get_actor_{name}") for name in _PER_ACTOR}
    return {**found, "sim_params": method_of(gym, "get_sim_params")}


@checked
def get_default_setter_args(gym: Any) -> dict[str, list[Any]]:
    """Return what the setters take behind the properties: inertias are worked out again."""
    return {
        name: [True] if name == "rigid_body_properties" else []
        for name in (*_PER_ACTOR, "sim_params")
    }


@checked
def generate_random_samples(
    attr_randomization_params: Mapping[str, Any],
    shape: Any,
    curr_gym_step_count: int,
    extern_sample: Any = None,
) -> Any:
    """Return samples, drawn with NumPy's global generator.

    Args:
        attr_randomization_params: The description.
        shape: Shape of the result.
        curr_gym_step_count: Where the schedule is.
        extern_sample: A sample that is used instead, after the schedule.

    Raises:
        InvalidArgumentError: The description is not one.
    """
    rule = _rule(attr_randomization_params)
    if not _is_shape(shape):
        raise InvalidArgumentError("shape", shape, "one or more numbers of samples")
    if extern_sample is not None:
        if np.asarray(extern_sample).dtype.kind not in "biuf":
            raise ArgumentTypeError("extern_sample", extern_sample, "numbers")
        return rule.scheduled(extern_sample, curr_gym_step_count)
    return rule.sample(np.random, shape, curr_gym_step_count)


def _is_shape(shape: Any) -> bool:
    sizes = shape if isinstance(shape, Sequence) else (shape,)
    if not all(isinstance(size, (int, np.integer)) and size >= 0 for size in sizes):
        return False
    return math.prod(sizes) <= _MOST_SAMPLES


def _rule(params: Mapping[str, Any]) -> Rule:
    schedule = params.get("schedule")
    steps = 0 if schedule is None else _entry(params, "schedule_steps")
    if schedule is not None and not (is_number(steps) and steps > 0):
        raise InvalidArgumentError("schedule_steps", steps, "a positive number")
    distribution, bounds = _entry(params, "distribution"), _bounds(params)
    return Rule(
        distribution, bounds, _entry(params, "operation"), schedule, steps,
        params.get("num_buckets", 0),
    )  # fmt: skip


def _entry(params: Mapping[str, Any], name: str) -> Any:
    if name not in params:
        allowed = f"a dict with {name!r}"
        raise InvalidArgumentError("attr_randomization_params", params, allowed)
    return params[name]


def _bounds(params: Mapping[str, Any]) -> tuple[Any, Any]:
    found = _entry(params, "range")
    if np.shape(found)[:1] != (2,) or np.asarray(found).dtype.kind not in "biuf":
        raise InvalidArgumentError("range", found, "two numbers")
    return found[0], found[1]


def _buckets_of(params: Mapping[str, Any]) -> int:
    found = _entry(params, "num_buckets")
    if not (isinstance(found, (int, np.integer)) and 0 <= found <= MAX_MATERIALS):
        raise InvalidArgumentError("num_buckets", found, f"an integer from 0 to {MAX_MATERIALS}")
    return int(found)


@checked
def get_bucketed_val(new_prop_val: Any, attr_randomization_params: Mapping[str, Any]) -> Any:
    """Return the greatest bucket that is not above a value; the lowest for what is below all."""
    params = attr_randomization_params
    rule = Rule(
        _entry(params, "distribution"), _bounds(params), "", buckets=max(_buckets_of(params), 1)
    )
    if np.asarray(new_prop_val).dtype.kind not in "biuf":
        raise ArgumentTypeError("new_prop_val", new_prop_val, "numbers")
    return rule.bucketed(new_prop_val)


@checked
def apply_random_samples(
    prop: Any,
    og_prop: Any,
    attr: str,
    attr_randomization_params: Mapping[str, Any],
    curr_gym_step_count: int,
    extern_sample: Any = None,
) -> None:
    """Randomise one attribute of a property.

    Args:
        prop: What is changed: a structured array, a property structure, or ``SimParams``.
        og_prop: Its original values, by name.
        attr: The attribute; of ``SimParams``, "gravity" or "rest_offset".
        attr_randomization_params: The description.
        curr_gym_step_count: Where the schedule is.
        extern_sample: A sample that is used instead of a drawn one.
    """
    is_array = isinstance(prop, np.ndarray)
    names = _attributes(prop)
    if attr not in names:
        raise InvalidArgumentError("attr", attr, ", ".join(map(repr, names)))
    if attr != "rest_offset" and not _has(og_prop, attr):
        raise InvalidArgumentError("og_prop", og_prop, f"values by name, {attr!r} among them")
    shape = prop[attr].shape if is_array else (3 if attr == "gravity" else 1)
    sample = generate_random_samples(
        attr_randomization_params, shape, curr_gym_step_count, extern_sample
    )
    if isinstance(prop, SimParams):
        _randomise_sim(prop, og_prop, attr, _rule(attr_randomization_params), sample)
        return
    value = _rule(attr_randomization_params).combined(og_prop[attr], sample)
    if attr_randomization_params.get("num_buckets", 0) > 0:
        value = get_bucketed_val(value, attr_randomization_params)
    if is_array:
        prop[attr] = value
    else:
        setattr(prop, attr, value)


def _attributes(prop: Any) -> Sequence[str]:
    """Names of what can be randomised of a property."""
    if isinstance(prop, SimParams):
        return "gravity", "rest_offset"
    if isinstance(prop, np.ndarray) and prop.dtype.names is not None:
        return prop.dtype.names
    if isinstance(prop, Struct):
        return list(prop.fields)
    raise ArgumentTypeError("prop", prop, "properties of an actor, or SimParams")


def _has(values: Any, name: str) -> bool:
    if isinstance(values, np.ndarray):
        return values.dtype.names is not None and name in values.dtype.names
    return isinstance(values, Mapping) and name in values


def _randomise_sim(
    prop: SimParams, original: Any, attr: str, rule: Rule, sample: npt.NDArray[Any]
) -> None:
    if attr == "gravity":
        for axis, part in zip("xyz", sample, strict=True):
            value = rule.combined(getattr(original["gravity"], axis), part)
            setattr(prop.gravity, axis, value)
    elif attr == "rest_offset":
        prop.physx.rest_offset = sample
    else:
        raise InvalidArgumentError("attr", attr, "'gravity' or 'rest_offset'")


@checked
def check_buckets(gym: Any, envs: Sequence[Any], dr_params: Mapping[str, Any]) -> None:
    """Check that randomised materials are not more than PhysX could hold.

    Args:
        gym: A ``Gym``.
        envs: All environments.
        dr_params: Has "actor_params": actor -> kind of property -> attribute -> description.

    Raises:
        EngineError: They are more.
    """
    actors = dr_params.get("actor_params")
    if not isinstance(actors, Mapping):
        raise InvalidArgumentError("dr_params", dr_params, "a dict with 'actor_params'")
    shapes = {name: kinds.get("rigid_shape_properties") for name, kinds in actors.items()}
    buckets = sum(_buckets(attributes) for attributes in shapes.values() if attributes)
    if buckets > MAX_MATERIALS:
        raise EngineError(f"num_buckets: {buckets} materials in all, more than {MAX_MATERIALS}")
    if buckets:
        return
    count = 0
    for env in envs:
        for i in range(method_of(gym, "get_actor_count")(env)):
            actor = gym.get_actor_handle(env, i)
            if shapes.get(gym.get_actor_name(env, actor)) is not None:
                count += gym.get_actor_rigid_shape_count(env, actor)
    if count > MAX_MATERIALS:
        problem = f"{count} shapes have a material of their own, more than {MAX_MATERIALS}"
        raise EngineError(f"{problem}: set num_buckets of friction or restitution")


def _buckets(attributes: Mapping[str, Mapping[str, Any]]) -> int:
    counts = [
        attributes[name]["num_buckets"]
        for name in ("restitution", "friction")
        if "num_buckets" in attributes.get(name, ())
    ]
    return int(np.prod(counts)) if counts else 0
