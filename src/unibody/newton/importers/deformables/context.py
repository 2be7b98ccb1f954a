"""What is read of a stage's deformable bodies, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import warp as wp

from unibody.newton import usd
from unibody.newton.importers.deformables.places import world_matrix

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from unibody.newton.importers.deformables.scout import Candidates

Ranges = dict[str, tuple[int, int]]
Anchors = list[tuple[int, wp.vec3]]


@dataclass(slots=True)
class Reading:
    """A stage whose deformable bodies are added to a builder.

    Attributes:
        builder: The builder.
        stage: A ``Usd.Stage``.
        pose: Of the stage in the world.
        metres: In a unit of the stage.
        ignored: Patterns of paths that are left out.
        found: The prims.
        bodies: Path of a prim -> rigid body.
        shapes: Path of a prim -> its shapes.
        configure: Writes what a prim and its material say of contacts into a `ShapeConfig`.
        cables: Path of curves -> their bodies and joints.
        segments: Path of curves -> number of a segment -> its body and length [m].
        ends: Path of curves -> number of a point -> bodies, and where it is in them.
        cloths: Path of a surface -> its ranges in the builder.
        softs: Path of a volume -> likewise.
        held: Path of an attachment -> its joints.
        attributes: Family -> path -> what prims state that solvers do not decide.
        apart: Articulation -> whether its shapes collide with one another, where prims say so.
        merged: Attachments that are nodes of cables which branch.
        drawn: Path of a mesh that is drawn on a deformable body -> its number; none are, yet.
    """

    builder: Any
    stage: Any
    pose: Any
    metres: float
    ignored: Sequence[str]
    found: Candidates
    bodies: dict[str, int]
    shapes: dict[str, list[int]]
    configure: Callable[[Any, str], Any]
    cables: dict[str, tuple[list[int], list[int]]] = field(default_factory=dict)
    segments: dict[str, dict[int, tuple[int, float]]] = field(default_factory=dict)
    ends: dict[str, dict[int, Anchors]] = field(default_factory=dict)
    cloths: dict[str, Ranges] = field(default_factory=dict)
    softs: dict[str, Ranges] = field(default_factory=dict)
    held: dict[str, list[int]] = field(default_factory=dict)
    attributes: dict[str, dict[str, dict[str, Any]]] = field(
        default_factory=lambda: {family: {} for family in ("cable", "cloth", "soft", "attachment")}
    )
    apart: dict[int, bool] = field(default_factory=dict)
    merged: set[str] = field(default_factory=set)
    drawn: dict[str, int] = field(default_factory=dict)

    def matrix(self, prim: Any) -> np.ndarray:
        """What takes points of a prim to the world, (4, 4)."""
        return world_matrix(prim, self.pose)

    def target(self, path: str, point: wp.vec3) -> tuple[int, wp.vec3] | None:
        """What an attachment holds something at.

        Args:
            path: Of a prim; "" is the world.
            point: In the frame of that prim.

        Returns:
            A body, or -1 for the world, and the point in its frame; None where there is none.
        """
        if path in ("", "/"):
            return -1, wp.transform_point(self.pose, point)
        prim = self.stage.GetPrimAtPath(path)
        if not prim:
            return None
        place = self.matrix(prim) @ np.array([*(float(v) for v in point), 1.0])
        world = wp.vec3(*place[:3].tolist())
        owner = rigid_above(prim)
        if owner is None:
            return -1, world
        body = self.bodies.get(str(owner.GetPath()))
        if body is None:
            return None
        frame = self.pose * usd.get_transform(owner, local=False)
        return body, wp.transform_point(wp.transform_inverse(frame), world)

    def results(self) -> dict[str, Any]:
        """What `add_usd` returns of it."""
        return {
            "path_cable_map": self.cables,
            "path_cloth_map": self.cloths,
            "path_soft_map": self.softs,
            "path_deformable_visual_map": self.drawn,
            "path_attachment_map": self.held,
            **{f"path_{family}_attrs": rows for family, rows in self.attributes.items()},
        }


def rigid_above(prim: Any) -> Any:
    """The nearest rigid body that a prim is or is below of, or None."""
    from pxr import UsdPhysics

    while prim:
        if prim.HasAPI(UsdPhysics.RigidBodyAPI):
            return prim
        prim = prim.GetParent()
    return None


def target_of(prim: Any, name: str) -> str:
    """Path of the first prim that a relationship names, or ""."""
    relation = prim.GetRelationship(name)
    targets = relation.GetTargets() if relation else []
    return str(targets[0]) if targets else ""
