"""createCollisionShapeArray and createVisualShapeArray: several shapes under one id."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from unibody.bullet import constants as c
from unibody.bullet.arguments.kinds import listed
from unibody.bullet.arguments.vectors import vector
from unibody.bullet.clients.client import Client
from unibody.bullet.clients.registry import get_client
from unibody.bullet.convert import wxyz
from unibody.bullet.errors import error
from unibody.bullet.shapes.creation import check_mesh, make_shape
from unibody.bullet.state.shapes import ShapeGroup
from unibody.core.assets.description import Pose, Shape, ShapeKind
from unibody.core.assets.transforms import pose_multiply
from unibody.errors import AssetError, InvalidArgumentError

_UNIT = (1.0, 1.0, 1.0)
_UP = (0.0, 0.0, 1.0)
_ROUND = frozenset({c.GEOM_SPHERE, c.GEOM_CAPSULE, c.GEOM_CYLINDER})
_LONG = frozenset({c.GEOM_CAPSULE, c.GEOM_CYLINDER})


def createCollisionShapeArray(
    shapeTypes: Sequence[int],
    radii: Sequence[float] | None = None,
    halfExtents: Sequence[Sequence[float]] | None = None,
    lengths: Sequence[float] | None = None,
    fileNames: Sequence[str] | None = None,
    meshScales: Sequence[Sequence[float]] | None = None,
    planeNormals: Sequence[Sequence[float]] | None = None,
    flags: Sequence[int] | None = None,
    collisionFramePositions: Sequence[Sequence[float]] | None = None,
    collisionFrameOrientations: Sequence[Sequence[float]] | None = None,
    physicsClientId: int = 0,
) -> int:
    """Make one collision shape of several and return its id; see createCollisionShape.

    Every list holds one entry for each shape; entries that a shape's type does not need are not
    looked at.

    Raises:
        error: Not connected, a list that is missing or too short, or a value that is not allowed.
    """
    client = get_client(physicsClientId)
    message = "createCollisionShapeArray failed."
    lists = _Lists(
        message, radii, halfExtents, lengths, fileNames, meshScales, planeNormals, flags,
        collisionFramePositions, collisionFrameOrientations,
    )  # fmt: skip
    shapes = lists.shapes(client, shapeTypes)
    try:
        for index, shape in enumerate(shapes):
            concave = int(lists.entry("flags", index, 0)) & c.GEOM_FORCE_CONCAVE_TRIMESH
            shape.concave = shape.kind is ShapeKind.MESH and bool(concave)
            check_mesh(shape)
    except (AssetError, InvalidArgumentError) as problem:
        raise error(f"{message} {problem}") from problem
    shape_id = client.shape_ids.take()
    client.collision_shapes[shape_id] = ShapeGroup(shapes)
    return shape_id


def createVisualShapeArray(
    shapeTypes: Sequence[int],
    radii: Sequence[float] | None = None,
    halfExtents: Sequence[Sequence[float]] | None = None,
    lengths: Sequence[float] | None = None,
    fileNames: Sequence[str] | None = None,
    meshScales: Sequence[Sequence[float]] | None = None,
    planeNormals: Sequence[Sequence[float]] | None = None,
    flags: Sequence[int] | None = None,
    rgbaColors: Sequence[Sequence[float]] | None = None,
    visualFramePositions: Sequence[Sequence[float]] | None = None,
    visualFrameOrientations: Sequence[Sequence[float]] | None = None,
    physicsClientId: int = 0,
) -> int:
    """Make one visual shape of several and return its id; see createCollisionShapeArray.

    ``flags`` concern collision alone: a visual shape has none that count.

    Raises:
        error: Not connected, a list that is missing or too short, or a value that is not allowed.
    """
    client = get_client(physicsClientId)
    message = "createVisualShapeArray failed."
    lists = _Lists(
        message, radii, halfExtents, lengths, fileNames, meshScales, planeNormals, flags,
        visualFramePositions, visualFrameOrientations,
    )  # fmt: skip
    shapes = lists.shapes(client, shapeTypes)
    if rgbaColors is not None:
        rgbaColors = listed("rgbaColors", rgbaColors)
        if len(rgbaColors) < len(shapes):
            raise error(f"{message} rgbaColors has {len(rgbaColors)} entries")
        for shape, color in zip(shapes, rgbaColors, strict=False):
            shape.rgba = vector(color, 4, f"{message} rgbaColors need 4 numbers")
    shape_id = client.visual_ids.take()
    client.visual_shapes[shape_id] = ShapeGroup(shapes)
    return shape_id


class _Lists:
    """The lists of arguments that both functions have, by the name of one entry."""

    def __init__(
        self, message: str, radii: Any, half_extents: Any, lengths: Any, files: Any, scales: Any,
        normals: Any, flags: Any, positions: Any, orientations: Any,
    ) -> None:  # fmt: skip
        self.message = message
        self.lists = {
            "radii": radii,
            "halfExtents": half_extents,
            "lengths": lengths,
            "fileNames": files,
            "meshScales": scales,
            "planeNormals": normals,
            "flags": flags,
            "positions": positions,
            "orientations": orientations,
        }

    def entry(self, name: str, index: int, default: Any = None) -> Any:
        """An entry; the default where the list was left out and there is one."""
        values = self.lists[name]
        if values is None and default is not None:
            return default
        if values is None or index >= len(values):
            have = "is missing" if values is None else f"has {len(values)} entries"
            raise error(f"{self.message} {name} {have}, shape {index} needs one")
        return values[index]

    def shapes(self, client: Client, kinds: Sequence[int]) -> list[Shape]:
        """All shapes, posed."""
        single = not hasattr(kinds, "__len__") or not getattr(kinds, "ndim", 1)
        if single or not hasattr(kinds, "__getitem__"):
            raise error("expected a sequence of shape types")
        if not len(kinds):
            raise error(f"{self.message} shapeTypes is empty")
        try:
            return [self._shape(client, int(kind), index) for index, kind in enumerate(kinds)]
        except (AssetError, InvalidArgumentError, OverflowError, TypeError, ValueError) as problem:
            raise error(f"{self.message} {problem}") from problem

    def _shape(self, client: Client, kind: int, index: int) -> Shape:
        radius = float(self.entry("radii", index)) if kind in _ROUND else 1.0
        length = float(self.entry("lengths", index)) if kind in _LONG else 0.0
        if radius <= 0.0 or length < 0.0:
            raise error(f"{self.message} shape {index}: radius {radius}, length {length}")
        half = self.entry("halfExtents", index, _UNIT) if kind == c.GEOM_BOX else _UNIT
        mesh = kind == c.GEOM_MESH
        file = self.entry("fileNames", index) if mesh else ""
        scale = self.entry("meshScales", index, _UNIT) if mesh else _UNIT
        normal = self.entry("planeNormals", index, _UP) if kind == c.GEOM_PLANE else _UP
        shape = make_shape(
            client, kind, radius, half, length, file, scale, normal, None, None, self.message
        )
        position = self.entry("positions", index, (0.0, 0.0, 0.0))
        turn = self.entry("orientations", index, (0.0, 0.0, 0.0, 1.0))
        frame = Pose(
            vector(position, 3, f"{self.message} frame positions need 3 numbers"),
            wxyz(vector(turn, 4, f"{self.message} frame orientations need 4 numbers")),
        )
        shape.pose = pose_multiply(frame, shape.pose)
        return shape
