"""Forces inside of joints and accelerations, as views have them.

They are those of the last step.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from pxr import Gf, Usd, UsdGeom, UsdPhysics

from unibody.core.assets.rotations import rotations
from unibody.core.batch.joint_wrenches import Solved
from unibody.isaac_core.convert import gf_rotation
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
        turn = gf_rotation(prim.GetLocalRot1Attr().Get() or Gf.Quatf(1.0))
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


class Alike(NamedTuple):
    """Articulations of one model whose links are the same bodies of the engine.

    Attributes:
        rows: Their numbers.
        worlds: The world of each.
        links: The engine's numbers of the links.
        solved: Of the worlds of their group.
        body: One of them.
    """

    rows: Ints
    worlds: Ints
    links: Ints
    solved: Solved
    body: Body


def alike(scene: PhysicsScene, bodies: Sequence[Body]) -> list[Alike]:
    """Articulations by what they have in common."""
    batch = scene.batch
    batch.build()
    solved = [group.exchange.solved() for group in batch.groups]
    found: dict[tuple[int, int, bytes], list[tuple[int, int]]] = {}
    common: dict[tuple[int, int, bytes], tuple[Ints, Body]] = {}
    for row, body in enumerate(bodies):
        group, world, _ = batch.index.actor_places[body.actor.index].tolist()
        first = body.actor.sim_body
        places = batch.index.body_places[first : first + len(body.model.bodies), 2]
        links = batch.groups[group].places.bodies[places]
        key = (group, id(body.model), links.tobytes())
        found.setdefault(key, []).append((row, world))
        common[key] = links, body
    made: list[Alike] = []
    for key, members in found.items():
        rows, worlds = np.array(members, np.int64).T
        made.append(Alike(rows, worlds, common[key][0], solved[key[0]], common[key][1]))
    return made


def wrenches_of(some: Alike, frames: JointFrames) -> Array:
    """Forces and torques of the joints above the links of articulations, (count, links, 6)."""
    at = some.worlds[:, None]
    own = np.where(frames.carriers < 0, 0, some.links[frames.carriers])  # body 0 is the world
    turns = some.solved.turns[at, own]
    points = some.solved.positions[at, own] + np.einsum("nbij,bj->nbi", turns, frames.points)
    wrench = some.solved.wrenches[at, some.links]
    force, arm = wrench[..., :3], some.solved.positions[at, some.links] - points
    torque = wrench[..., 3:] + np.cross(arm, force)
    back = turns @ frames.turns
    local = [np.einsum("nbji,nbj->nbi", back, value) for value in (force, torque)]
    return np.concatenate(local, axis=-1) * frames.signs[:, None]


def accelerations_of(some: Alike) -> Array:
    """Linear accelerations of mass centres and angular ones, (count, links, 6)."""
    return some.solved.accelerations[some.worlds[:, None], some.links]
