"""Colliders of the stage that belong to no body, and how they follow their prims."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from pxr import Gf, Usd, UsdGeom, UsdPhysics

from unibody.core.assets.description import Asset, Pose, Vec3
from unibody.core.assets.transforms import pose_inverse, pose_multiply
from unibody.core.batch.batch import Batch
from unibody.core.batch.ground import Ground
from unibody.core.batch.pair_contacts import ground_number

_FRICTION = 0.5


def rigid(matrix: Gf.Matrix4d) -> tuple[Pose, Vec3]:
    """Pose and scale of a transform."""
    whole = Gf.Transform(matrix)
    quat = whole.GetRotation().GetQuat().GetNormalized()
    at, turn, scale = whole.GetTranslation(), quat.GetImaginary(), whole.GetScale()
    pose = Pose((at[0], at[1], at[2]), (quat.GetReal(), turn[0], turn[1], turn[2]))
    x, y, z = (round(float(value), 9) for value in scale)
    return pose, (x, y, z)


class FixedColliders:
    """Fixed colliders of a stage, which are parts of a batch's ground.

    They are one part until one of them moves: then that one becomes a part of its own.

    Args:
        stage: The stage.
        batch: What the ground is added to.
    """

    def __init__(self, stage: Usd.Stage, batch: Batch) -> None:
        self._stage = stage
        self._batch = batch
        self._parts: dict[str, int] = {}  # path -> number of its part of the ground
        self._at: dict[str, tuple[Pose, Vec3]] = {}  # path -> pose and scale of its prim
        self._below: dict[str, list[str]] = {}  # prim -> colliders at it and below it

    def add(self, asset: Asset) -> None:
        """Let those of an asset that are not known yet be a part of the ground."""
        shapes = [s for s in asset.links[0].collisions if _path(s) not in self._parts]
        if not shapes:
            return
        asset = _with_shapes(asset, shapes)
        surface = next((shape.surface for shape in shapes if shape.surface is not None), None)
        friction = _FRICTION if surface is None else surface.dynamic_friction
        bounce = 0.0 if surface is None else surface.restitution
        places = UsdGeom.XformCache()
        for path in dict.fromkeys(_path(shape) for shape in shapes):
            self._parts[path] = len(self._batch.grounds)
            self._at[path] = self._placed(path, places)
            above = path
            while above:
                self._below.setdefault(above, []).append(path)
                above = above.rpartition("/")[0]
        self._batch.add_ground(Ground(asset, asset.pose, friction, bounce))

    def remove(self, path: str) -> None:
        """Take one away: its prim is gone, or belongs to a body now."""
        part = self._part_of(path)
        whole: Any = self._batch.grounds[part]
        self._batch.edited()
        self._batch.grounds[part] = replace(whole, asset=_with_shapes(whole.asset, []))
        del self._parts[path], self._at[path]
        for others in self._below.values():
            if path in others:
                others.remove(path)

    def paths(self) -> list[str]:
        """Of all of them."""
        return list(self._parts)

    def below(self, path: str) -> list[str]:
        """Those at a prim or below it."""
        return self._below.get(path, [])

    def of_part(self, number: int) -> list[str]:
        """Those that are a part of the ground."""
        return [path for path, part in self._parts.items() if part == number]

    def path_of(self, number: int, shape: int) -> str:
        """That of a shape in a part of the ground."""
        return _path(self._batch.grounds[number].asset.links[0].collisions[shape])

    def number(self, path: str) -> int | None:
        """Of its part of the ground, as contacts and rays have it; None: it is no fixed collider.

        It is the only one in that part from now on.
        """
        return ground_number(self._part_of(path)) if path in self._parts else None

    def follow(self, path: str) -> list[str]:
        """Bring colliders to where their prims are.

        Args:
            path: Of the prim that was moved: they are at it or below it.

        Returns:
            Those whose size has changed, which their shapes do not follow.
        """
        places = UsdGeom.XformCache()
        resized: list[str] = []
        for one in self.below(path):
            now, before = self._placed(one, places), self._at[one]
            if not np.allclose(now[1], before[1], rtol=1e-6, atol=0.0):
                resized.append(one)
            if now[0] != before[0]:
                self._at[one] = now
                part = self._part_of(one)
                moved = pose_multiply(now[0], pose_inverse(before[0]))
                pose = pose_multiply(moved, self._batch.grounds[part].pose)
                self._batch.move_ground(part, pose)
        return resized

    def _placed(self, path: str, places: UsdGeom.XformCache) -> tuple[Pose, Vec3]:
        return rigid(places.GetLocalToWorldTransform(self._stage.GetPrimAtPath(path)))

    def _part_of(self, path: str) -> int:
        """Number of the part of the ground that is a collider alone; worlds may be built anew."""
        number = self._parts[path]
        if len(self.of_part(number)) == 1:
            return number
        whole: Any = self._batch.grounds[number]
        shapes = whole.asset.links[0].collisions
        rest = [shape for shape in shapes if _path(shape) != path]
        own = [shape for shape in shapes if _path(shape) == path]
        self._batch.grounds[number] = replace(whole, asset=_with_shapes(whole.asset, rest))
        self._parts[path] = len(self._batch.grounds)
        self._batch.add_ground(replace(whole, asset=_with_shapes(whole.asset, own)))
        return self._parts[path]


def is_fixed_collider(prim: Usd.Prim) -> bool:
    """Whether a prim is a collider that is switched on and belongs to no body."""
    if not prim.HasAPI(UsdPhysics.CollisionAPI):
        return False
    if UsdPhysics.CollisionAPI(prim).GetCollisionEnabledAttr().Get() is False:
        return False
    while prim:
        if prim.HasAPI(UsdPhysics.RigidBodyAPI):
            return False
        prim = prim.GetParent()
    return True


def _path(shape: Any) -> str:
    return dict(shape.notes).get("prim_path", "")


def _with_shapes(asset: Asset, shapes: list[Any]) -> Asset:
    return replace(asset, links=[replace(asset.links[0], collisions=shapes)])
