"""Poses and velocities of links, as link states show them."""

from __future__ import annotations

import struct
from typing import Any

from unibody.bullet.convert import IDENTITY, rotate_back, signed_xyzw
from unibody.core.assets.description import Vec3
from unibody.core.assets.transforms import quat_multiply, quat_rotate
from unibody.core.engine.records.body import BodyRecord
from unibody.core.engine.world.world import World

_VECTOR = struct.Struct("=3d")
_QUAT = struct.Struct("=4d")
_TWIST = struct.Struct("=6d")
_NUMBER = 8  # bytes


def link_state(
    world: World, body: BodyRecord, link: int, velocity: bool, earlier: bool
) -> tuple[Any, ...]:
    """GetLinkState's tuple, with ``earlier`` poses those that the last step started from."""
    state = body.links[link + 1]
    at = _NUMBER * state.body
    if earlier:
        xpos, xquat, xipos = world.earlier_poses()
    else:
        world.kinematics()
        xpos, xquat, xipos = world.xpos, world.xquat, world.xipos
    pos, frame = _VECTOR.unpack_from(xipos, 3 * at), _VECTOR.unpack_from(xpos, 3 * at)
    quat = _QUAT.unpack_from(xquat, 4 * at)
    turn = state.com.quat
    com_quat = quat if turn == IDENTITY.quat else quat_multiply(quat, turn)
    pose = (
        pos, signed_xyzw(com_quat), state.com.pos, signed_xyzw(turn), frame, signed_xyzw(quat)
    )  # fmt: skip
    if not velocity:
        return pose
    linear, angular = link_velocity(world, body, link)
    if earlier:  # PyBullet takes the velocities in the link's frame to the world with this pose
        now = _QUAT.unpack_from(world.xquat, 4 * at)
        linear = quat_rotate(quat, rotate_back(now, linear))
        angular = quat_rotate(quat, rotate_back(now, angular))
    return (*pose, linear, angular)


def link_velocity(world: World, body: BodyRecord, link: int) -> tuple[Vec3, Vec3]:
    """Linear velocity of a link's centre of mass and angular velocity, world frame."""
    world.velocities()
    at = _NUMBER * body.links[link + 1].body
    w0, w1, w2, v0, v1, v2 = _TWIST.unpack_from(world.cvel, 6 * at)
    x, y, z = _VECTOR.unpack_from(world.xipos, 3 * at)
    cx, cy, cz = _VECTOR.unpack_from(world.subtree_com, 3 * _NUMBER * body.body)
    x, y, z = x - cx, y - cy, z - cz
    linear = (v0 + w1 * z - w2 * y, v1 + w2 * x - w0 * z, v2 + w0 * y - w1 * x)
    return linear, (w0, w1, w2)
