"""Forces inside of joints and accelerations, as views have them.

They are those of the state that there is, with the efforts and forces of the last step.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from pxr import Gf, Usd, UsdGeom, UsdPhysics

from unibody.core.assets.rotations import rotations
from unibody.core.batch.joint_wrenches import Solved
from unibody.isaac_core.physics.scene import Body, PhysicsScene
from unibody.isaac_core.physics.tensors.base import Array, Ints

_WORLD = -1


class JointFrames(NamedTuple):
    """The frames that forces of the joints above links are told in.

    A joint acts on its second body; forces are told in the frame that it has in that body. Where
    the first body is the one below, they are therefore those on the one above, the other way.

    Attributes:
        signs: 1: the link is the second body of its joint; -1: the first one; 0: no joint.
        carriers: Number of the link whose frame it is; -1: the world.
        points: Origins of the frames in those of the carriers, (links, 3) [m].
        turns: Orientations of the frames in those of the carriers, (links, 3, 3).
    """

    signs: Ints
    carriers: Ints
    points: Array
    turns: Array


def joint_frames(stage: Usd.Stage, body: Body) -> JointFrames:
    """The frames of an articulation."""
    count = len(body.paths)
    found = JointFrames(
        np.zeros(count, np.int64),
        np.full(count, _WORLD),
        np.zeros((count, 3)),
        np.tile(np.eye(3), (count, 1, 1)),
    )
    cache = UsdGeom.XformCache()
    for joint in body.model.joints:
        prim = UsdPhysics.Joint(stage.GetPrimAtPath(body.whole(joint.path)))
        if joint.body == 0 or not prim:
            continue
        targets = [str(path) for path in prim.GetBody1Rel().GetTargets()]
        number = _owner(body.paths, targets[0]) if targets else _WORLD
        found.signs[joint.body] = 1 if number == joint.body else -1
        found.carriers[joint.body] = number
        point = Gf.Vec3d(prim.GetLocalPos1Attr().Get() or Gf.Vec3f(0.0))
        turn = Gf.Rotation(Gf.Quatd(prim.GetLocalRot1Attr().Get() or Gf.Quatf(1.0)))
        if targets:
            own = cache.GetLocalToWorldTransform(stage.GetPrimAtPath(targets[0]))
            point, turn = own.Transform(point), turn * own.ExtractRotation()
        if number != _WORLD:
            carrier = cache.GetLocalToWorldTransform(stage.GetPrimAtPath(body.paths[number]))
            whole = Gf.Transform(carrier)
            back = whole.GetRotation().GetInverse()
            point = back.TransformDir(point - whole.GetTranslation())
            turn = turn * back
        found.points[joint.body] = point
        found.turns[joint.body] = _matrix(turn)
    return found


def _owner(paths: list[str], target: str) -> int:
    """Number of the body that a prim is, or is in."""
    while target:
        if target in paths:
            return paths.index(target)
        target = target.rpartition("/")[0]
    return _WORLD


def _matrix(turn: Gf.Rotation) -> Array:
    quat = turn.GetQuat().GetNormalized()
    return rotations(np.array([quat.GetReal(), *quat.GetImaginary()]))


class SolvedScene:
    """Worlds of a scene, each solved once."""

    def __init__(self, scene: PhysicsScene) -> None:
        self._scene = scene
        self._worlds: dict[tuple[int, int], Solved] = {}

    def of(self, body: Body) -> tuple[Solved, Ints]:
        """The world of a body, and the engine's numbers of its links."""
        batch = self._scene.batch
        batch.build()
        group, world, _ = batch.index.actor_places[body.actor.index].tolist()
        if (group, world) not in self._worlds:
            self._worlds[group, world] = batch.groups[group].exchange.solved(world)
        first = body.actor.sim_body
        places = batch.index.body_places[first : first + len(body.paths), 2]
        return self._worlds[group, world], batch.groups[group].places.bodies[places]


def wrenches_of(solved: Solved, numbers: Ints, frames: JointFrames) -> Array:
    """Forces and torques of the joints above the links of an articulation, (links, 6)."""
    own = np.where(frames.carriers < 0, 0, numbers[frames.carriers])  # body 0 is the world
    turns = solved.turns[own]
    points = solved.positions[own] + np.einsum("bij,bj->bi", turns, frames.points)
    force, torque = solved.wrenches[numbers, :3], solved.wrenches[numbers, 3:]
    torque = torque + np.cross(solved.positions[numbers] - points, force)
    back = turns @ frames.turns
    local = [np.einsum("bji,bj->bi", back, value) for value in (force, torque)]
    return np.concatenate(local, axis=1) * frames.signs[:, None]


def accelerations_of(solved: Solved, numbers: Ints) -> Array:
    """Linear accelerations of mass centres and angular ones, (links, 6)."""
    return solved.accelerations[numbers]
