"""Carrying the state of a world over a recompile."""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

from unibody.core.engine.contacts.arrays import keep_contacts
from unibody.core.engine.records import rule_table as t
from unibody.core.engine.records.body import BodyRecord
from unibody.core.engine.world.world import Poses, World

_NUMBER = 8  # bytes


class Address(NamedTuple):
    """Where the state of one body lies."""

    qpos: int
    nq: int
    dof: int
    nv: int
    mocap: int
    drive: int
    ndrive: int
    ball: int
    nball: int
    body: int
    nbody: int


def addresses(bodies: dict[int, BodyRecord]) -> dict[int, Address]:
    """The addresses of all bodies that were compiled."""
    return {record.id: address(record) for record in bodies.values() if record.body >= 0}


def address(record: BodyRecord) -> Address:
    """The address of one body."""
    return Address(
        record.qpos,
        record.nq,
        record.dof,
        record.nv,
        record.mocap,
        record.drive,
        len(record.drive_joints),
        record.ball,
        len(record.ball_joints),
        record.body,
        len(record.links),
    )


def copy_state(
    old: Any, new: Any, before: dict[int, Address], bodies: dict[int, BodyRecord]
) -> None:
    """Copy time, coordinates, velocities, forces, warm start, drives and base poses."""
    new.time = old.time
    for body_id, record in bodies.items():
        if body_id in before:
            copy_body(old, new, before[body_id], address(record))


def move_poses(
    poses: Poses,
    before: dict[int, Address],
    bodies: dict[int, BodyRecord],
    count: int,
    onto: Poses | None = None,
) -> Poses:
    """``World.earlier_poses`` in the order of a new model with ``count`` MuJoCo bodies.

    Bodies that had none keep those of ``onto``.
    """
    moved = tuple(bytearray(width * _NUMBER * count) for width in (3, 4, 3))
    if onto is not None:
        moved = tuple(bytearray(part) for part in onto)
    for body_id, record in bodies.items():
        if body_id not in before:
            continue
        a, b = before[body_id], address(record)
        for source, target in zip(poses, moved, strict=True):
            row = len(target) // count
            part = source[row * a.body : row * (a.body + a.nbody)]
            target[row * b.body : row * b.body + len(part)] = part
    return bytes(moved[0]), bytes(moved[1]), bytes(moved[2])


def copy_prefix(old: Any, new: Any, model: Any) -> None:
    """Copy the state of a world to one that has the same bodies first, and others after them."""
    new.time = old.time
    for name in ("qpos", "qvel", "qfrc_applied", "qacc_warmstart", "xfrc_applied"):
        source = getattr(old, name)
        getattr(new, name)[: len(source)] = source
    new.mocap_pos[: len(old.mocap_pos)] = old.mocap_pos
    new.mocap_quat[: len(old.mocap_quat)] = old.mocap_quat
    drives = int(model.numeric_data[t.N_DRIVES]) * t.DRIVE_SIZE
    new.userdata[:drives] = old.userdata[:drives]
    balls = int(model.numeric_data[t.N_BALLS]) * t.BALL_SIZE
    if balls:
        new.userdata[-balls:] = old.userdata[-balls:]


def copy_body(old: Any, new: Any, a: Address, b: Address) -> None:
    """Copy the state of one body from address ``a`` of ``old`` to address ``b`` of ``new``."""
    if a.nq:
        new.qpos[b.qpos : b.qpos + b.nq] = old.qpos[a.qpos : a.qpos + a.nq]
    if a.nv:
        ours, theirs = slice(b.dof, b.dof + b.nv), slice(a.dof, a.dof + a.nv)
        new.qvel[ours] = old.qvel[theirs]
        new.qfrc_applied[ours] = old.qfrc_applied[theirs]
        new.qacc_warmstart[ours] = old.qacc_warmstart[theirs]
    new.xfrc_applied[b.body : b.body + b.nbody] = old.xfrc_applied[a.body : a.body + a.nbody]
    if a.mocap >= 0:
        new.mocap_pos[b.mocap] = old.mocap_pos[a.mocap]
        new.mocap_quat[b.mocap] = old.mocap_quat[a.mocap]
    if a.ndrive:
        size = t.DRIVE_SIZE
        new.userdata[b.drive * size : (b.drive + b.ndrive) * size] = old.userdata[
            a.drive * size : (a.drive + a.ndrive) * size
        ]
    if a.nball:
        new.userdata[ball_slice(new.userdata, b.ball, b.nball)] = old.userdata[
            ball_slice(old.userdata, a.ball, a.nball)
        ]


def ball_slice(userdata: Any, ball: int, count: int = 1) -> slice:
    """Where ``count`` ball drives from number ``ball`` on lie in ``userdata``."""
    end = len(userdata) - ball * t.BALL_SIZE
    return slice(end - count * t.BALL_SIZE, end)


def joint_state(data: Any, a: Address, record: BodyRecord) -> tuple[Any, Any]:
    """Joint positions and velocities of a body, without those of its base."""
    base_q, base_v = (0, 0) if record.fixed else (7, 6)
    return (
        data.qpos[a.qpos + base_q : a.qpos + a.nq].copy(),
        data.qvel[a.dof + base_v : a.dof + a.nv].copy(),
    )


def put_joint_state(data: Any, record: BodyRecord, joints: tuple[Any, Any]) -> None:
    """Put back what ``joint_state`` gave."""
    positions, velocities = joints
    if len(positions):
        data.qpos[record.qpos + record.nq - len(positions) : record.qpos + record.nq] = positions
        data.qvel[record.dof + record.nv - len(velocities) : record.dof + record.nv] = velocities


def go_on(
    world: World, made: tuple[Any, Any], bodies: dict[int, BodyRecord], known: int,
    before: dict[int, Address],
) -> None:  # fmt: skip
    """Let a world go on with a new model and its data, with the state of what stays.

    The first ``known`` bodies are where they were, or, if it is 0, were at ``before``.
    """
    model, data = made
    poses = world.earlier_poses()
    if known:
        copy_prefix(world.data, data, world.model)
        poses = bytes(poses[0]), bytes(poses[1]), bytes(poses[2])
    else:
        copy_state(world.data, data, before, bodies)
        poses = move_poses(poses, before, bodies, int(model.nbody))
    keep_contacts(world, list(itertools.islice(bodies, known)) or before)
    world.replace(model, data, poses)
