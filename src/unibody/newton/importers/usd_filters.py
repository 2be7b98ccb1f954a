"""Pairs of colliders of a stage that do not collide, by the rules of later releases of 1.x."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from unibody.newton.builder.pairs import filtered
from unibody.newton.enums import ShapeFlags
from unibody.newton.exceptions import warn

if TYPE_CHECKING:
    from unibody.newton.importers.deformables import Deformables

_Pairs = set[tuple[int, int]]


def add_filters(
    builder: Any,
    stage: Any,
    bodies: dict[str, int],
    colliders: dict[str, list[int]],
    soft: Deformables,
) -> None:
    """Add the pairs of shapes that collision groups and ``physics:filteredPairs`` keep apart.

    Args:
        builder: The builder.
        stage: A ``Usd.Stage``.
        bodies: Path of a prim -> body.
        colliders: Path of a prim -> its shapes.
        soft: What deforms.
    """
    found = _of_groups(builder, stage, colliders)
    found |= _of_pairs(builder, stage, bodies, colliders, soft)
    for first, second in sorted(found - filtered(builder)):
        builder.add_shape_collision_filter_pair(first, second)


def _colliding(builder: Any, shapes: list[int]) -> list[int]:
    return [n for n in shapes if builder.shape_flags[n] & ShapeFlags.COLLIDE_SHAPES]


def _across(first: list[int], second: list[int]) -> _Pairs:
    pairs = itertools.product(first, second)
    return {(min(pair), max(pair)) for pair in pairs if pair[0] != pair[1]}


def _of_groups(builder: Any, stage: Any, colliders: dict[str, list[int]]) -> _Pairs:
    """Pairs that groups keep apart; colliders of the same groups are looked at together."""
    from pxr import UsdPhysics

    groups = {
        str(prim.GetPath()): UsdPhysics.CollisionGroup(prim)
        for prim in stage.Traverse()
        if prim.IsA(UsdPhysics.CollisionGroup)
    }
    if not groups:
        return set()
    queries = {
        path: group.GetCollidersCollectionAPI().ComputeMembershipQuery()
        for path, group in groups.items()
    }
    members: dict[tuple[str, ...], list[int]] = {}
    for path, shapes in colliders.items():
        own = tuple(name for name, query in queries.items() if query.IsPathIncluded(path))
        members.setdefault(own, []).extend(_colliding(builder, shapes))
    if not any(members):  # ungrouped ones collide with one another, whatever groups there are
        return set()
    collide = _rule(stage, groups)
    found: _Pairs = set()
    for first, second in itertools.combinations_with_replacement(members, 2):
        if not collide(first, second):
            found |= _across(members[first], members[second])
    return found


def _rule(stage: Any, groups: dict[str, Any]) -> Callable[[tuple[str, ...], tuple[str, ...]], bool]:
    """Whether what is in some groups collides with what is in others, or in none."""
    from pxr import Sdf, UsdPhysics

    table = UsdPhysics.CollisionGroup.ComputeCollisionGroupTable(stage)
    names = {path: group.GetMergeGroupNameAttr().Get() or path for path, group in groups.items()}
    inverted = {
        names[path] for path, group in groups.items() if group.GetInvertFilteredGroupsAttr().Get()
    }

    def collide(first: tuple[str, ...], second: tuple[str, ...]) -> bool:
        if first and second:
            pairs = itertools.product(map(Sdf.Path, first), map(Sdf.Path, second))
            return all(table.IsCollisionEnabled(a, b) for a, b in pairs)
        return not any(names[path] in inverted for path in first or second)

    return collide


def _of_pairs(
    builder: Any,
    stage: Any,
    bodies: dict[str, int],
    colliders: dict[str, list[int]],
    soft: Deformables,
) -> _Pairs:
    named: set[tuple[str, str]] = set()
    prims = {path: stage.GetPrimAtPath(path) for path in {*colliders, *bodies}} | soft.prims()
    for path, prim in prims.items():
        if prim and prim.HasRelationship("physics:filteredPairs"):
            targets = prim.GetRelationship("physics:filteredPairs").GetTargets()
            named |= {(path, str(target)) for target in targets}

    def shapes_of(path: str) -> tuple[list[int], str]:
        if path in colliders:
            return colliders[path], ""
        if path in bodies:
            return sorted(set(builder.body_shapes[bodies[path]])), ""
        return soft.shapes_of(path)

    found: _Pairs = set()
    for first, second in sorted(named):
        ends: list[list[int]] = []
        for path in (first, second):
            shapes, reason = shapes_of(path)
            if not shapes:
                told = reason or "it is neither a collider nor a body that was read"
                warn(
                    f"{first} <-> {second}: physics:filteredPairs was not imported because"
                    f" {path}: {told}"
                )
            ends.append(_colliding(builder, shapes))
        found |= _across(*ends)
    return found
