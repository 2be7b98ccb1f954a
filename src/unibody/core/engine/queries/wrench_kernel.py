"""What joints transmit, read from an MjData and compiled by numba."""

from __future__ import annotations

import enum
import functools
import math
import sys
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from unibody.core.engine.library.layout import offsets_of
from unibody.core.engine.records import rule_table as t
from unibody.core.engine.world.world import World
from unibody.machine_code import pointers, types
from unibody.machine_code.compiled import compiled
from unibody.machine_code.jit import rule
from unibody.machine_code.kept import kept_entry
from unibody.machine_code.pointers import (
    Pointer,
    f64_array,
    i32_array,
    int_at,
    pointer_f64,
    pointer_i32,
    pointer_i64,
)

WRENCH = 21  # numbers of a joint: force and torque in the world, and in the link, and orientation
_EQUALITY = int(mujoco.mjtConstraint.mjCNSTR_EQUALITY)
_FRICTION_DOF = int(mujoco.mjtConstraint.mjCNSTR_FRICTION_DOF)
_FRICTION_TENDON = int(mujoco.mjtConstraint.mjCNSTR_FRICTION_TENDON)
_LIMIT_JOINT = int(mujoco.mjtConstraint.mjCNSTR_LIMIT_JOINT)
_BALL = int(mujoco.mjtJoint.mjJNT_BALL)
_HINGE = int(mujoco.mjtJoint.mjJNT_HINGE)
_SLIDE = int(mujoco.mjtJoint.mjJNT_SLIDE)


class _At(enum.IntEnum):
    """What each number of the table is: a count, an offset in mjData, or an array's address."""

    NV = 0
    NBODY = 1
    DRIVES = 2
    NE = 3  # offsets
    NF = 4
    NL = 5
    NEFC = 6
    EFC_TYPE = 7
    EFC_ID = 8
    EFC_FORCE = 9
    SCRATCH = 10  # addresses: (nv,) to work in
    TIMESTEP = 11
    TENDON_ADR = 12
    WRAP_OBJID = 13
    JNT_DOFADR = 14
    JNT_QPOSADR = 15
    JNT_TYPE = 16
    JNT_RANGE = 17
    JNT_USER = 18
    DOF_JNTID = 19
    BODY_JNTADR = 20
    BODY_JNTNUM = 21
    BODY_PARENTID = 22
    BODY_ROOTID = 23
    BODY_MASS = 24
    BODY_INERTIA = 25
    BODY_USER = 26
    QPOS = 27
    CFRC_INT = 28
    SUBTREE_COM = 29
    XIPOS = 30
    XIMAT = 31
    XMAT = 32
    XAXIS = 33
    CVEL = 34
    SIZE = 35


_NV, _NBODY, _DRIVES, _SCRATCH = int(_At.NV), int(_At.NBODY), int(_At.DRIVES), int(_At.SCRATCH)
_NE, _NF, _NL, _NEFC = int(_At.NE), int(_At.NF), int(_At.NL), int(_At.NEFC)
_TYPE, _ID, _FORCE = int(_At.EFC_TYPE), int(_At.EFC_ID), int(_At.EFC_FORCE)
_TIMESTEP, _TENDON, _WRAP = int(_At.TIMESTEP), int(_At.TENDON_ADR), int(_At.WRAP_OBJID)
_DOFADR, _QPOSADR, _KIND = int(_At.JNT_DOFADR), int(_At.JNT_QPOSADR), int(_At.JNT_TYPE)
_RANGE, _USER, _DOF_JOINT = int(_At.JNT_RANGE), int(_At.JNT_USER), int(_At.DOF_JNTID)
_JNTADR, _JNTNUM = int(_At.BODY_JNTADR), int(_At.BODY_JNTNUM)
_PARENT, _ROOT = int(_At.BODY_PARENTID), int(_At.BODY_ROOTID)
_MASS, _INERTIA, _BODY_USER = int(_At.BODY_MASS), int(_At.BODY_INERTIA), int(_At.BODY_USER)
_QPOS, _CFRC, _COM = int(_At.QPOS), int(_At.CFRC_INT), int(_At.SUBTREE_COM)
_XIPOS, _XIMAT, _XMAT = int(_At.XIPOS), int(_At.XIMAT), int(_At.XMAT)
_XAXIS, _CVEL = int(_At.XAXIS), int(_At.CVEL)
_LINEAR, _ANGULAR, _QUADRATIC = t.B_LINEAR_DAMPING, t.B_ANGULAR_DAMPING, t.B_QUADRATIC_DAMPING
_BODY_USERS, _JOINT_USERS, _JOINT_BALL = t.BODY_USER_SIZE, t.JOINT_USER_SIZE, t.J_BALL


def fill_table(world: World) -> tuple[NDArray[np.int64], list[Any]]:
    """The table of a world, valid for one generation of it, and what it points into."""
    model, data, offsets = world.model, world.data, offsets_of("mjData")
    table = np.zeros(_At.SIZE, dtype=np.int64)
    scratch = np.zeros(max(int(model.nv), 1))
    kept: list[Any] = [scratch]
    table[:_NE] = (model.nv, model.nbody, int(model.numeric_data[t.N_DRIVES]))
    for at in _At:
        name = at.name.lower()
        if _NE <= at < _SCRATCH:
            table[at] = offsets[name]
        elif _SCRATCH < at < _At.SIZE and at != _TIMESTEP:
            kept.append(getattr(data if hasattr(data, name) else model, name))
            table[at] = kept[-1].ctypes.data
    table[_SCRATCH] = scratch.ctypes.data
    table[_TIMESTEP] = model._address + offsets_of("mjModel")["opt"] + _timestep_offset()
    return table, kept


def _timestep_offset() -> int:
    return offsets_of("mjOption")["timestep"]


@rule
def _move_counts(table: Pointer, data: int) -> int:
    """Count the equality rows as such, which the rules count as friction rows; how many moved."""
    kinds, found = i32_array(data, table[_TYPE]), 0
    for row in range(int_at(data, table[_NEFC])):
        found += kinds[row] == _EQUALITY
    equalities, frictions = pointer_i32(data + table[_NE]), pointer_i32(data + table[_NF])
    moved = found - equalities[0]
    equalities[0] += moved
    frictions[0] -= moved
    return moved


@rule
def _own_forces(table: Pointer, data: int) -> Pointer:
    """What drives and limits exert on each coordinate, (nv,) [N or Nm]."""
    out = pointer_f64(table[_SCRATCH])
    for dof in range(table[_NV]):
        out[dof] = 0.0
    force = f64_array(data, table[_FORCE])
    kinds, ids = i32_array(data, table[_TYPE]), i32_array(data, table[_ID])
    dofadr, limits = pointer_i32(table[_DOFADR]), pointer_f64(table[_RANGE])
    rows = int_at(data, table[_NE]) + int_at(data, table[_NF]) + int_at(data, table[_NL])
    for row in range(rows):
        kind, number = kinds[row], ids[row]
        if kind == _FRICTION_TENDON and number < table[_DRIVES]:
            joint = pointer_i32(table[_WRAP])[pointer_i32(table[_TENDON])[number]]
            out[dofadr[joint]] += force[row]
        elif kind == _FRICTION_DOF:
            joint = pointer_i32(table[_DOF_JOINT])[number]
            if pointer_f64(table[_USER])[joint * _JOINT_USERS + _JOINT_BALL] > 0.0:
                out[number] += force[row]
        elif kind == _LIMIT_JOINT and pointer_i32(table[_KIND])[number] != _BALL:
            place = pointer_f64(table[_QPOS])[pointer_i32(table[_QPOSADR])[number]]
            below = place - limits[2 * number] < limits[2 * number + 1] - place
            out[dofadr[number]] += force[row] if below else -force[row]
    return out


@rule
def _turned(matrix: Pointer, o: int, x: float, y: float, z: float) -> tuple[float, float, float]:
    return (
        matrix[o] * x + matrix[o + 1] * y + matrix[o + 2] * z,
        matrix[o + 3] * x + matrix[o + 4] * y + matrix[o + 5] * z,
        matrix[o + 6] * x + matrix[o + 7] * y + matrix[o + 8] * z,
    )


@rule
def _turned_back(matrix: Pointer, o: int, vector: Pointer) -> tuple[float, float, float]:
    x, y, z = vector[0], vector[1], vector[2]
    return (
        matrix[o] * x + matrix[o + 3] * y + matrix[o + 6] * z,
        matrix[o + 1] * x + matrix[o + 4] * y + matrix[o + 7] * z,
        matrix[o + 2] * x + matrix[o + 5] * y + matrix[o + 8] * z,
    )


@rule
def _take_drag(table: Pointer, body: int, moment: Pointer, force: Pointer) -> None:
    """Take away Bullet's damping of one body, about its tree's mass centre: see `rules.damping`."""
    user, b = pointer_f64(table[_BODY_USER]), body * _BODY_USERS
    linear, angular, quadratic = user[b + _LINEAR], user[b + _ANGULAR], user[b + _QUADRATIC]
    if linear == 0.0 and angular == 0.0:
        return
    cap = 1.0 / pointer_f64(table[_TIMESTEP])[0]
    place, com = pointer_f64(table[_XIPOS]), pointer_f64(table[_COM])
    root, velocity = 3 * pointer_i32(table[_ROOT])[body], pointer_f64(table[_CVEL])
    p, c = 3 * body, 6 * body
    ax, ay, az = place[p] - com[root], place[p + 1] - com[root + 1], place[p + 2] - com[root + 2]
    wx, wy, wz = velocity[c], velocity[c + 1], velocity[c + 2]
    vx = velocity[c + 3] + wy * az - wz * ay
    vy = velocity[c + 4] + wz * ax - wx * az
    vz = velocity[c + 5] + wx * ay - wy * ax
    speed = math.sqrt(vx * vx + vy * vy + vz * vz)
    rate = min(cap, linear * (1.0 + quadratic * speed)) * pointer_f64(table[_MASS])[body]
    fx, fy, fz = -rate * vx, -rate * vy, -rate * vz
    spin = math.sqrt(wx * wx + wy * wy + wz * wz)
    rate = min(cap, angular * (1.0 + quadratic * spin))
    axes, inertia = pointer_f64(table[_XIMAT]), pointer_f64(table[_INERTIA])
    lx, ly, lz = _turned_back(axes, 9 * body, pointer_f64(table[_CVEL] + 48 * body))
    lx, ly, lz = lx * inertia[p], ly * inertia[p + 1], lz * inertia[p + 2]
    tx, ty, tz = _turned(axes, 9 * body, lx, ly, lz)
    moment[0] -= -rate * tx + ay * fz - az * fy
    moment[1] -= -rate * ty + az * fx - ax * fz
    moment[2] -= -rate * tz + ax * fy - ay * fx
    force[0] -= fx
    force[1] -= fy
    force[2] -= fz


@rule
def _take_own(table: Pointer, body: int, own: Pointer, torque: Pointer, force: Pointer) -> None:
    """Take away what a joint's own motors and limits exert on the child."""
    first, axes = pointer_i32(table[_JNTADR])[body], pointer_f64(table[_XAXIS])
    for joint in range(first, first + pointer_i32(table[_JNTNUM])[body]):
        kind, dof = pointer_i32(table[_KIND])[joint], pointer_i32(table[_DOFADR])[joint]
        if kind == _BALL:
            matrix = pointer_f64(table[_XMAT])
            x, y, z = _turned(matrix, 9 * body, own[dof], own[dof + 1], own[dof + 2])
            torque[0] -= x
            torque[1] -= y
            torque[2] -= z
        elif kind in (_HINGE, _SLIDE):
            for k in range(3):
                if kind == _HINGE:
                    torque[k] -= own[dof] * axes[3 * joint + k]
                else:
                    force[k] -= own[dof] * axes[3 * joint + k]


@rule
def _note(table: Pointer, data: int, moved: int, bodies: Pointer, out: int) -> None:
    """Write `WRENCH` numbers for each of some bodies.

    ``bodies`` begins with their number. The counts that were ``moved`` go back.
    """
    pointer_i32(data + table[_NE])[0] -= moved
    pointer_i32(data + table[_NF])[0] += moved
    own = _own_forces(table, data)
    internal, parents = pointer_f64(table[_CFRC]), pointer_i32(table[_PARENT])
    com, place = pointer_f64(table[_COM]), pointer_f64(table[_XIPOS])
    axes = pointer_f64(table[_XIMAT])
    for i in range(bodies[0]):
        body = bodies[1 + i]
        at = out + 8 * WRENCH * i
        force, torque = pointer_f64(at), pointer_f64(at + 24)
        for k in range(3):
            torque[k], force[k] = internal[6 * body + k], internal[6 * body + 3 + k]
        end = body
        while end < table[_NBODY] and (end == body or body <= parents[end] < end):
            _take_drag(table, end, torque, force)
            end += 1
        root = 3 * pointer_i32(table[_ROOT])[body]
        x, y, z = (
            com[root] - place[3 * body],
            com[root + 1] - place[3 * body + 1],
            com[root + 2] - place[3 * body + 2],
        )
        torque[0] += y * force[2] - z * force[1]
        torque[1] += z * force[0] - x * force[2]
        torque[2] += x * force[1] - y * force[0]
        _take_own(table, body, own, torque, force)
        rest = pointer_f64(at + 48)
        rest[0], rest[1], rest[2] = _turned_back(axes, 9 * body, force)
        rest[3], rest[4], rest[5] = _turned_back(axes, 9 * body, torque)
        for k in range(9):
            rest[6 + k] = axes[9 * body + k]


def _build(digest: str) -> Any:
    @kept_entry(types.int64(types.int64, types.int64))
    def move_counts(table_at: int, data: int) -> int:
        return _move_counts(pointer_i64(table_at), data) if len(digest) > 0 else 0

    @kept_entry(types.void(*[types.int64] * 5))
    def note(table_at: int, data: int, moved: int, bodies_at: int, out: int) -> None:
        if len(digest) > 0:
            _note(pointer_i64(table_at), data, moved, pointer_i64(bodies_at), out)

    return move_counts.ctypes, note.ctypes


@functools.cache
def kernels() -> Any:
    """The compiled functions `_move_counts` and `_note`, all of whose arguments are int64."""
    return compiled("the force sensors", _build, sys.modules[__name__], pointers, t)
