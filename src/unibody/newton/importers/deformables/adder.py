# pyright: reportAttributeAccessIssue=false
"""All deformable bodies of a stage into a builder, in the order that rigid ones ask for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations, product
from typing import Any

import warp as wp

from unibody.newton.enums import Axis, ShapeFlags
from unibody.newton.exceptions import warn
from unibody.newton.importers.deformables import cables, graphs
from unibody.newton.importers.deformables.attachments import add_attachments, follow
from unibody.newton.importers.deformables.cables import Root
from unibody.newton.importers.deformables.cloths import add_cloths
from unibody.newton.importers.deformables.context import Reading, rigid_above, target_of
from unibody.newton.importers.deformables.curves import lines_of
from unibody.newton.importers.deformables.filters import add_element_filters
from unibody.newton.importers.deformables.reading import read
from unibody.newton.importers.deformables.scout import scout
from unibody.newton.importers.deformables.volumes import add_volumes


class Deformables:
    """What deforms in a stage.

    Args:
        builder: The builder.
        stage: A ``Usd.Stage``.
        root: Path of the prim that is read, with all below it.
        ignored: Patterns; prims whose paths begin with one are left out.
    """

    def __init__(self, builder: Any, stage: Any, root: str, ignored: Sequence[str]) -> None:
        self._builder, self._stage = builder, stage
        self._ignored = ignored
        self._found = scout(stage, root, ignored)
        self._reading: Reading | None = None
        self._shapes: Callable[[], dict[str, list[int]]] = dict

    @property
    def apart(self) -> list[str]:
        """Paths of prims that are no rigid shapes."""
        return list(dict.fromkeys(self._found.apart))

    def place(
        self,
        pose: Any,
        bodies: dict[str, int],
        shapes: Callable[[], dict[str, list[int]]],
        configure: Callable[[Any, str], Any],
    ) -> None:
        """Say where the stage is, and what rigid bodies become.

        Args:
            pose: Of the stage in the world, with z up.
            bodies: Path of a prim -> body, which grows.
            shapes: Path of a prim -> its shapes, as far as they are there.
            configure: Writes what a prim says of contacts into a `ShapeConfig`.
        """
        from pxr import UsdGeom

        up = Axis.from_any(str(UsdGeom.GetStageUpAxis(self._stage)))
        turn = pose * _turn(up)
        known = UsdGeom.StageHasAuthoredMetersPerUnit(self._stage)
        metres = UsdGeom.GetStageMetersPerUnit(self._stage) if known else 1.0
        self._shapes = shapes
        self._reading = Reading(
            self._builder,
            self._stage,
            turn,
            float(metres),
            self._ignored,
            self._found,
            bodies,
            {},
            configure,
        )

    @property
    def reading(self) -> Reading:
        """What came of it."""
        assert self._reading is not None
        return self._reading

    def hang_on(self, paths: Sequence[str]) -> None:
        """Add cables whose end a body holds that has just been added, to its articulation.

        Args:
            paths: Of the bodies' prims.
        """
        if not self._found.curves or not self._found.attachments or not paths:
            return
        waiting = self._held_by_bodies()
        bodies = cables.last_articulation(self._builder)
        roots: dict[str, Root] = {}
        prims: list[Any] = []
        for body in paths:
            for prim, attachment, lines in waiting.get(body, ()):
                root = cables.root_of(self.reading, attachment, lines, bodies)
                if root is not None:
                    roots[str(prim.GetPath())] = root
                    prims.append(prim)
        cables.add_cables(self.reading, prims, roots)

    def _held_by_bodies(self) -> dict[str, list[tuple[Any, Any, tuple[int, bool]]]]:
        """Path of a body -> curves that it alone holds by one attachment, and that."""
        curves: dict[str, tuple[Any, tuple[int, bool]]] = {}
        for prim in self._found.curves:
            lines = lines_of(prim, tell=False)
            if lines is not None and len(lines.counts) == 1:
                curves[str(prim.GetPath())] = (prim, (lines.counts[0], lines.closed))
        uses: dict[str, list[Any]] = {}
        for prim in self._found.attachments:
            enabled = read(prim, "attachmentEnabled")
            if enabled is None or enabled:
                for path in {target_of(prim, f"physics:src{end}") for end in (0, 1)} & {*curves}:
                    uses.setdefault(path, []).append(prim)
        found: dict[str, list[tuple[Any, Any, tuple[int, bool]]]] = {}
        for path, (prim, lines) in curves.items():
            attachments = uses.get(path, [])
            if len(attachments) != 1 or target_of(attachments[0], "physics:src0") != path:
                continue
            if cables.held_point(attachments[0], *lines) is None:
                continue
            target = self._stage.GetPrimAtPath(target_of(attachments[0], "physics:src1") or "/")
            body = rigid_above(target) if target else None
            if body is not None:
                rows = found.setdefault(str(body.GetPath()), [])
                rows.append((prim, attachments[0], lines))
        return found

    def add(self, *, collide: bool) -> None:
        """Add all that is not there yet, and what holds it.

        Args:
            collide: Whether segments of a cable collide with one another where it does not say.
        """
        reading = self.reading
        first = len(self._builder.articulation_start)
        reading.shapes = self._shapes()
        roots: dict[str, Root] = {}
        if self._found.curves and self._found.attachments:
            roots = graphs.add_graphs(reading)
        cables.add_cables(reading, self._found.curves, roots)
        add_cloths(reading)
        add_volumes(reading)
        self._tell_of_drawn()
        add_attachments(reading)
        self._keep_apart(first, collide=collide)
        add_element_filters(reading)

    def _tell_of_drawn(self) -> None:
        for body, prims in self._found.drawn.items():
            names = ", ".join(str(prim.GetPath()) for prim in prims)
            warn(
                f"{body}: {names}: meshes that are only drawn on a deformable body are left out;"
                " what is simulated is drawn"
            )

    def _keep_apart(self, first: int, *, collide: bool) -> None:
        builder = self._builder
        for number in range(first, len(builder.articulation_start)):
            if self.reading.apart.get(number, collide):
                continue
            own = [j for j, found in enumerate(builder.joint_articulation) if found == number]
            bodies = sorted({builder.joint_child[joint] for joint in own})
            for one, other in combinations(bodies, 2):
                for pair in product(colliding(builder, one), colliding(builder, other)):
                    builder.add_shape_collision_filter_pair(*pair)

    def prims(self) -> dict[str, Any]:
        """Path -> prim of what deforms, or belongs to what does."""
        found = self._found
        known = [prim for rows in (found.curves, found.surfaces, found.volumes) for prim in rows]
        paths = [*found.owners, *found.apart]
        others = {path: self._stage.GetPrimAtPath(path) for path in paths}
        return {str(prim.GetPath()): prim for prim in known} | others

    def shapes_of(self, path: str) -> tuple[list[int], str]:
        """Shapes of what deforms, or why it has none."""
        reading = self.reading
        cable = reading.cables.get(path)
        if cable is not None:
            return sorted({s for body in cable[0] for s in self._builder.body_shapes[body]}), ""
        owner = self._found.owners.get(path, path)
        if owner != path:
            return self.shapes_of(owner)
        for rows, kind in ((reading.cloths, "cloth"), (reading.softs, "volume")):
            if path in rows:
                return [], f"it is a {kind} particle deformable, whose particles have no shapes"
        if not self._stage.GetPrimAtPath(path):
            return [], "the target path does not exist"
        return [], "it produced no collision participant"

    def results(self, merged: dict[str, Any] | None) -> dict[str, Any]:
        """What `add_usd` returns of it, by the numbers that bodies and joints have then.

        Args:
            merged: What `collapse_fixed_joints` returned; None: all are still there.
        """
        if merged is not None:
            follow(self.reading, merged)
        return self.reading.results()


def colliding(builder: Any, body: int) -> list[int]:
    """Shapes of a body that collide with others."""
    collide = ShapeFlags.COLLIDE_SHAPES
    return [shape for shape in builder.body_shapes[body] if builder.shape_flags[shape] & collide]


def _turn(up: Axis) -> Any:
    return wp.transform(wp.vec3(), up.quat_between_axes(Axis.Z))
