"""Parts of deformable bodies of a stage that do not collide."""

from __future__ import annotations

from typing import Any

from unibody.newton.exceptions import warn
from unibody.newton.importers.deformables.context import Reading, target_of
from unibody.newton.importers.deformables.reading import read


def add_element_filters(reading: Reading) -> None:
    """Add the pairs of shapes that prims ``PhysicsElementCollisionFilter`` keep apart."""
    for prim in reading.found.filters:
        enabled = read(prim, "filterEnabled")
        if enabled is not None and not enabled:
            continue
        path = str(prim.GetPath())
        sides = [_groups(prim, end) for end in (0, 1)]
        pairs = _pairs(path, sides)
        sources = [target_of(prim, f"physics:src{end}") for end in (0, 1)]
        found: set[tuple[int, int]] = set()
        for groups in pairs:
            shapes = [
                _shapes(reading, source, group, path)
                for source, group in zip(sources, groups, strict=True)
            ]
            if shapes[0] is None or shapes[1] is None:
                found.clear()
                break
            found |= {(min(a, b), max(a, b)) for a in shapes[0] for b in shapes[1] if a != b}
        for first, second in sorted(found):
            reading.builder.add_shape_collision_filter_pair(first, second)


def _groups(prim: Any, end: int) -> list[list[int]] | None:
    """Groups of elements of one side: [] in a group is all of them.

    Returns:
        An empty list where there are no groups: all elements meet each group of the other side.
        None, with a warning, where sizes and elements do not fit.
    """
    counts = [int(c) for c in read(prim, f"groupElemCounts{end}") or ()]
    indices = [int(i) for i in read(prim, f"groupElemIndices{end}") or ()]
    own = f"{prim.GetPath()}: groupElemIndices{end}"
    if not counts:
        if indices:
            warn(
                f"{own} without groupElemCounts{end}: all elements count, and the indices are"
                " ignored"
            )
        return []
    problem = ""
    if min(counts) < 0:
        problem = f"groupElemCounts{end} has a negative count {min(counts)}"
    elif sum(counts) > len(indices):
        problem = f"groupElemCounts{end} sum exceeds its {len(indices)} elements"
    elif sum(counts) < len(indices):
        problem = f"has {len(indices) - sum(counts)} trailing index(es) of no group"
    if problem:
        warn(f"{own}: {problem}: it is left out")
        return None
    groups: list[list[int]] = []
    for count in counts:
        groups.append(indices[:count])
        indices = indices[count:]
    return groups


def _pairs(path: str, sides: list[list[list[int]] | None]) -> list[tuple[list[int], list[int]]]:
    first, second = sides
    if first is None or second is None:
        return []
    if not first or not second:
        return [(a, b) for a in first or [[]] for b in second or [[]]]
    if len(first) != len(second):
        warn(
            f"{path}: PhysicsElementCollisionFilter has {len(first)} src0 group(s) but"
            f" {len(second)} src1 group(s), which have to pair one-to-one: it is left out"
        )
        return []
    return list(zip(first, second, strict=True))


def _shapes(reading: Reading, source: str, elements: list[int], path: str) -> list[int] | None:
    """Shapes of some elements of a source; None, with a warning, where it has none to name."""
    builder = reading.builder
    segments = reading.segments.get(source)
    if segments is not None:
        wrong = [i for i in elements if i not in segments]
        for index in wrong:
            warn(f"{path}: element index {index} is not an imported segment of cable {source!r}")
        chosen = [i for i in elements if i in segments] if elements else list(segments)
        return [shape for i in chosen for shape in builder.body_shapes[segments[i][0]]]
    if source in reading.bodies:
        return list(builder.body_shapes[reading.bodies[source]])
    if source in reading.shapes:
        return list(reading.shapes[source])
    if source in reading.cloths or source in reading.softs:
        warn(
            f"{path}: PhysicsElementCollisionFilter on cloth/volume source {source!r} is not"
            " supported: particles have no shapes"
        )
    else:
        warn(
            f"{path}: PhysicsElementCollisionFilter source {source!r} is not an imported"
            " deformable or collider"
        )
    return None
