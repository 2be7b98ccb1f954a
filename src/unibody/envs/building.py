"""The scene of a world, as a task puts it together."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

from unibody.core.assets.description import (
    Asset,
    HeightfieldData,
    Inertial,
    Link,
    MeshSource,
    Pose,
    Shape,
    ShapeKind,
    Vec3,
)
from unibody.core.assets.load import load_assets
from unibody.core.assets.paths import SearchPath
from unibody.core.engine.records.body import BodyRecord
from unibody.core.engine.records.options import BodyOptions, WorldOptions
from unibody.core.engine.scene.scene import Scene
from unibody.envs.soft import Cloth

MODELS = Path(__file__).parent / "models"
Rgba = tuple[float, float, float, float]
_GROUND: Rgba = (0.68, 0.73, 0.70, 1.0)
_WIDE, _BELOW = 200.0, -0.002  # m: half the width of the ground that is seen, and its height


class TaskScene:
    """Bodies by name.

    Attributes:
        scene: The engine's scene.
        records: What was added, by name.
        cloth: A cloth in each world; None: there is none.
    """

    def __init__(self, options: WorldOptions) -> None:
        self.scene: Scene = Scene(options)
        self.records: dict[str, BodyRecord] = {}
        self.cloth: Cloth | None = None

    def add(self, name: str, asset: Asset, **options: Any) -> BodyRecord:
        """Add a body; ``options`` are fields of ``BodyOptions``."""
        stated = {"friction": (1.0, 0.0, 0.0), **options}
        record = self.scene.add(len(self.records), asset, BodyOptions(**stated))
        self.records[name] = record
        return record

    def add_model(self, name: str, file: str | os.PathLike[str], **options: Any) -> BodyRecord:
        """Add the last body of a file: one of ``models``, or of a path."""
        path = MODELS / file
        asset = load_assets(path if path.is_file() else file, SearchPath())[-1]
        stated = {"pose": asset.pose, "fixed": bool(asset.fixed_base), **options}
        return self.add(name, asset, **stated)

    def add_text(self, name: str, mjcf: str, **options: Any) -> BodyRecord:
        """Add the last body of an MJCF document."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / f"{name}.xml"
            file.write_text(mjcf, encoding="utf-8")
            return self.add_model(name, file, **options)

    def add_ground(
        self, *, friction: float = 1.0, color: Rgba = _GROUND, tile: float = 0.5
    ) -> None:
        """Add a plane through the origin, and tiles of so many metres to be looked at."""
        ends = ((-_WIDE, -_WIDE), (_WIDE, -_WIDE), (_WIDE, _WIDE), (-_WIDE, _WIDE))
        sheet = MeshSource(
            name="ground",
            vertices=tuple((x, y, _BELOW) for x, y in ends),
            faces=((0, 1, 2), (0, 2, 3)),
            uvs=tuple((x / (2.0 * tile), y / (2.0 * tile)) for x, y in ends),
        )
        texture = str(MODELS / "ground.png")
        seen = Shape(ShapeKind.MESH, mesh=sheet, rgba=color, texture=texture)
        link = Link("ground", inertial=Inertial(), visuals=[seen])
        link.collisions = [Shape(ShapeKind.PLANE)]
        self.add("ground", Asset("ground", [link]), fixed=True, friction=(friction, 0.0, 0.0))

    def add_terrain(self, field: HeightfieldData, *, color: Rgba = _GROUND) -> None:
        """Add a field of heights about the origin."""
        shape = Shape(ShapeKind.HEIGHTFIELD, heightfield=field, rgba=color)
        link = Link("ground", inertial=Inertial(), visuals=[shape], collisions=[shape])
        self.add("ground", Asset("ground", [link]), fixed=True)

    def add_box(
        self,
        name: str,
        size: Vec3,
        pos: Vec3,
        *,
        mass: float = 0.0,
        color: Rgba = (0.8, 0.45, 0.25, 1.0),
        **options: Any,
    ) -> BodyRecord:
        """Add a box; without a mass it stays where it is."""
        x, y, z = size
        third = mass / 12.0
        inertia = (third * (y * y + z * z), third * (x * x + z * z), third * (x * x + y * y))
        link = Link(name, inertial=Inertial(mass, inertia=(*inertia, 0.0, 0.0, 0.0)))
        link.collisions = [Shape(ShapeKind.BOX, size, rgba=color)]
        stated = {"pose": Pose(pos), "fixed": mass == 0.0, **options}
        return self.add(name, Asset(name, [link]), **stated)

    def add_marker(self, name: str, radius: float, color: Rgba) -> BodyRecord:
        """Add a ball that is seen and touches nothing, to be moved by its ``mocap`` row."""
        link = Link(name, inertial=Inertial())
        link.visuals = [Shape(ShapeKind.SPHERE, (radius,), rgba=color)]
        return self.add(name, Asset(name, [link]), fixed=True)
