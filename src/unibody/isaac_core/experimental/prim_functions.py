"""Functions of prims: found by patterns and conditions, their schemas, variants, attributes."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Literal

from pxr import Sdf, Usd

from unibody.errors import InvalidArgumentError
from unibody.isaac_core import handles
from unibody.isaac_core.functions import prims as functions
from unibody.isaac_core.simulation import seam

Condition = Callable[[Usd.Prim, str], bool]
"""Of a prim and its path."""


def get_prim_at_path(path: Any) -> Usd.Prim:
    """The prim of a path, or of a schema."""
    if isinstance(path, (str, Sdf.Path)):
        return handles.current_stage().GetPrimAtPath(str(path))
    return path if isinstance(path, Usd.Prim) else path.GetPrim()


def get_prim_path(prim: Any) -> str:
    """The path of a prim, or of the prim of a schema."""
    return str(prim) if isinstance(prim, (str, Sdf.Path)) else prim.GetPath().pathString


def find_matching_prim_paths(path: str, *, traverse: bool = False) -> list[str]:
    """Paths of the prims that match a regular expression.

    Args:
        path: A path, or a pattern for each of its levels.
        traverse: Whether the pattern is one for whole paths, and what is below matches, too.
    """
    stage = handles.current_stage()
    if Sdf.Path.IsValidPathString(path) and stage.GetPrimAtPath(path):
        if not traverse:
            return [path]
        return [one.GetPath().pathString for one in Usd.PrimRange(stage.GetPrimAtPath(path))]
    if traverse:
        pattern = re.compile(path)
        paths = (prim.GetPath().pathString for prim in stage.Traverse())
        return [found.string for one in paths if (found := pattern.match(one))]
    level = [stage.GetPseudoRoot()]
    for name in path.strip("/").split("/"):
        pattern = re.compile(name)
        level = [
            child
            for prim in level
            for child in prim.GetChildren()
            if pattern.fullmatch(child.GetName())
        ]
    return [prim.GetPath().pathString for prim in level]


def get_all_matching_child_prims(
    prim: str | Usd.Prim,
    *,
    predicate: Condition,
    include_self: bool = False,
    max_depth: int | None = None,
) -> list[Usd.Prim]:
    """The prims below a prim, at most ``max_depth`` levels, for which a condition holds.

    Raises:
        InvalidArgumentError: The depth is negative.
    """
    if max_depth is not None and max_depth < 0:
        raise InvalidArgumentError("max_depth", max_depth, "0 or more levels")
    level, depth, found = [get_prim_at_path(prim)], 0, []
    while level and (max_depth is None or depth <= max_depth):
        for one in level:
            if (depth or include_self) and predicate(one, one.GetPath().pathString):
                found.append(one)
        level = [child for one in level for child in one.GetChildren()]
        depth += 1
    return found


def get_first_matching_child_prim(
    prim: str | Usd.Prim, *, predicate: Condition, include_self: bool = False
) -> Usd.Prim | None:
    """The first prim below a prim, level by level, for which a condition holds."""
    found = get_all_matching_child_prims(prim, predicate=predicate, include_self=include_self)
    return found[0] if found else None


def get_first_matching_parent_prim(
    prim: str | Usd.Prim, *, predicate: Condition, include_self: bool = False
) -> Usd.Prim | None:
    """The nearest prim above a prim for which a condition holds."""
    one = get_prim_at_path(prim)
    if not include_self:
        one = one.GetParent()
    while one and not one.IsPseudoRoot():
        if predicate(one, one.GetPath().pathString):
            return one
        one = one.GetParent()
    return None


def has_api(
    prim: str | Usd.Prim,
    api: str | type | list[str | type],
    *,
    test: Literal["all", "any", "none"] = "all",
) -> bool:
    """Whether all, any or none of the schemas are applied to a prim."""
    if test not in ("all", "any", "none"):
        raise InvalidArgumentError("test", test, "'all', 'any' or 'none'")
    one = get_prim_at_path(prim)
    there = [_has(one, kind) for kind in (api if isinstance(api, list) else [api])]
    return {"all": all(there), "any": any(there), "none": not any(there)}[test]


def _has(prim: Usd.Prim, api: str | Any) -> bool:
    return prim.HasAPI(api)


def ensure_api(prim: str | Usd.Prim, api: Any, *args: Any, **kwargs: Any) -> Any:
    """A schema of a prim, which is applied where it is not."""
    one = get_prim_at_path(prim)
    there = one.HasAPI(api, *args) if args else one.HasAPI(api)
    return api(one, *args, **kwargs) if there else api.Apply(one, *args, **kwargs)


def create_prim_attribute(
    prim: str | Usd.Prim, *, name: str, type_name: Sdf.ValueTypeName, exist_ok: bool = True
) -> Usd.Attribute:
    """An attribute of a prim, which is made.

    Raises:
        InvalidArgumentError: It is there and may not be.
    """
    one = get_prim_at_path(prim)
    if one.HasAttribute(name) and not exist_ok:
        raise InvalidArgumentError("name", name, "a name of no attribute, as exist_ok=False")
    return one.CreateAttribute(name, type_name)


def get_prim_attribute_value(prim: str | Usd.Prim, attribute_name: str) -> Any:
    """The value of an attribute.

    Raises:
        InvalidArgumentError: The prim has none of that name.
    """
    one = get_prim_at_path(prim)
    if not one.HasAttribute(attribute_name):
        raise InvalidArgumentError("attribute_name", attribute_name, f"one of {one.GetPath()}")
    seam.flush([one])
    return one.GetAttribute(attribute_name).Get()


def get_prim_attribute_names(prim: str | Usd.Prim) -> list[str]:
    """Names of the attributes of a prim."""
    return [attribute.GetName() for attribute in get_prim_at_path(prim).GetAttributes()]


def is_prim_non_root_articulation_link(prim: str | Usd.Prim) -> bool:
    """Whether a prim is a link that joints hold, but no root."""
    return functions.is_prim_non_root_articulation_link(get_prim_path(prim))


def set_prim_variants(prim: str | Usd.Prim, *, variants: list[tuple[str, str]]) -> None:
    """Choose variants of a prim.

    Args:
        prim: The prim, or its path.
        variants: Names of sets, and what is chosen of each.

    Raises:
        InvalidArgumentError: The prim has no such set, or the set no such variant.
    """
    known = get_prim_variant_collection(prim)
    for name, chosen in variants:
        if name not in known:
            raise InvalidArgumentError("variants", name, f"sets: {', '.join(known) or 'none'}")
        if chosen not in known[name]:
            raise InvalidArgumentError("variants", chosen, f"one of {', '.join(known[name])}")
        get_prim_at_path(prim).GetVariantSets().GetVariantSet(name).SetVariantSelection(chosen)


def get_prim_variants(prim: str | Usd.Prim) -> list[tuple[str, str]]:
    """Names of the sets of variants of a prim, and what is chosen of each."""
    sets = get_prim_at_path(prim).GetVariantSets()
    return [(name, sets.GetVariantSelection(name)) for name in sets.GetNames()]


def get_prim_variant_collection(prim: str | Usd.Prim) -> dict[str, list[str]]:
    """The variants of each set of a prim."""
    sets = get_prim_at_path(prim).GetVariantSets()
    return {name: list(sets.GetVariantSet(name).GetVariantNames()) for name in sets.GetNames()}
