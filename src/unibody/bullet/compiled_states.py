"""Compiled parts of calls that read and write states, in PyBullet's order and frames.

Each works on addresses of MjData that a ``Body`` knows. For arguments of unusual types, and where
nothing can be compiled, they return None, have done nothing, and the caller does it in Python.
"""

from __future__ import annotations

import functools
import math
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

from unibody.bullet import convert
from unibody.core.assets import transforms
from unibody.core.engine.builtins import functions, objects
from unibody.core.engine.builtins.functions import ENTRY, known_of, python_call
from unibody.core.engine.builtins.objects import boxed, integer_at, read_numbers
from unibody.core.engine.queries.compiled import compiled
from unibody.core.engine.rows import pointers
from unibody.core.engine.rows.pointers import Pointer, pointer_f64, pointer_i64
from unibody.machine_code import numba

_quat_rotate = numba.njit(transforms.quat_rotate)
_quat_multiply = numba.njit(transforms.quat_multiply)
_rotate_back = numba.njit(convert.rotate_back)
_signed_xyzw = numba.njit(convert.signed_xyzw)
_NOT_DONE = 0


class States(NamedTuple):
    """The compiled functions. They return None where they have done nothing."""

    place_base: Callable[..., Any]
    read_pose: Callable[..., Any]
    read_velocity: Callable[..., Any]
    write_velocity: Callable[..., Any]
    add_force: Callable[..., Any]
    write_targets: Callable[..., Any]
    add_torques: Callable[..., Any]


@numba.njit(error_model="numpy")
def _place_base(known: Pointer, numbers: Pointer, args: Pointer) -> int:
    """Write a pose, its quaternion (x, y, z, w) of any length, and no velocity.

    Arguments: addresses of position, quaternion and velocity (0: none), position, orientation.
    """
    if not read_numbers(known, args[3], 3, numbers, 0):
        return _NOT_DONE
    if not read_numbers(known, args[4], 4, numbers, 3):
        return _NOT_DONE
    x, y, z, w = numbers[3], numbers[4], numbers[5], numbers[6]
    squared = x * x + y * y + z * z + w * w
    norm = 1.0 / math.sqrt(squared) if squared != 0.0 else 1.0
    if squared == 0.0:
        x, y, z, w = 0.0, 0.0, 0.0, 1.0
    pos, quat = pointer_f64(integer_at(args, 0)), pointer_f64(integer_at(args, 1))
    for i in range(3):
        pos[i] = numbers[i]
    quat[0], quat[1], quat[2], quat[3] = w * norm, x * norm, y * norm, z * norm
    twist_at = integer_at(args, 2)
    if twist_at != 0:
        for i in range(6):
            pointer_f64(twist_at)[i] = 0.0
    return boxed(True)


@numba.njit(error_model="numpy")
def _read_pose(args: Pointer) -> int:
    """Position and (x, y, z, w) as Bullet signs it. Arguments: addresses of both."""
    pos, quat = pointer_f64(integer_at(args, 0)), pointer_f64(integer_at(args, 1))
    return boxed(((pos[0], pos[1], pos[2]), _signed_xyzw((quat[0], quat[1], quat[2], quat[3]))))


@numba.njit(error_model="numpy")
def _read_velocity(args: Pointer) -> int:
    """Linear and angular velocity, world frame. Arguments: addresses of quaternion and twist."""
    q, v = pointer_f64(integer_at(args, 0)), pointer_f64(integer_at(args, 1))
    angular = _quat_rotate((q[0], q[1], q[2], q[3]), (v[3], v[4], v[5]))
    return boxed(((v[0], v[1], v[2]), angular))


@numba.njit(error_model="numpy")
def _write_velocity(known: Pointer, numbers: Pointer, args: Pointer) -> int:
    """Set velocities. Arguments: addresses of quaternion and twist, linear, angular (world)."""
    if not read_numbers(known, args[2], 3, numbers, 0):
        return _NOT_DONE
    if not read_numbers(known, args[3], 3, numbers, 3):
        return _NOT_DONE
    q, v = pointer_f64(integer_at(args, 0)), pointer_f64(integer_at(args, 1))
    x, y, z = _rotate_back((q[0], q[1], q[2], q[3]), (numbers[3], numbers[4], numbers[5]))
    v[0], v[1], v[2], v[3], v[4], v[5] = numbers[0], numbers[1], numbers[2], x, y, z
    return boxed(True)


@numba.njit(error_model="numpy")
def _add_force(known: Pointer, numbers: Pointer, args: Pointer) -> int:
    """Add a force at a point, or a torque, to the wrench of a body.

    Arguments: addresses of the wrench, the mass centre and the link's quaternion, orientation of
    the inertial frame in the link, 1 if both are in the inertial frame and 0 if in the world (2
    more: a torque), force or torque, point.
    """
    if not read_numbers(known, args[3], 4, numbers, 0):
        return _NOT_DONE
    if not read_numbers(known, args[5], 3, numbers, 4):
        return _NOT_DONE
    if not read_numbers(known, args[6], 3, numbers, 7):
        return _NOT_DONE
    com, q = pointer_f64(integer_at(args, 1)), pointer_f64(integer_at(args, 2))
    force, arm = (numbers[4], numbers[5], numbers[6]), (numbers[7], numbers[8], numbers[9])
    kind = integer_at(args, 4)
    if kind & 1:
        turn = (numbers[0], numbers[1], numbers[2], numbers[3])
        quat = _quat_multiply((q[0], q[1], q[2], q[3]), turn)
        force, arm = _quat_rotate(quat, force), _quat_rotate(quat, arm)
    else:
        arm = (arm[0] - com[0], arm[1] - com[1], arm[2] - com[2])
    wrench = pointer_f64(integer_at(args, 0))
    if kind & 2:
        wrench[3] += force[0]
        wrench[4] += force[1]
        wrench[5] += force[2]
        return boxed(True)
    wrench[0] += force[0]
    wrench[1] += force[1]
    wrench[2] += force[2]
    wrench[3] += arm[1] * force[2] - arm[2] * force[1]
    wrench[4] += arm[2] * force[0] - arm[0] * force[2]
    wrench[5] += arm[0] * force[1] - arm[1] * force[0]
    return boxed(True)


@numba.njit(error_model="numpy")
def _write_targets(known: Pointer, numbers: Pointer, args: Pointer) -> int:
    """Write position and velocity targets of motors.

    Arguments: address of the drives, address of the plan, number of motors, positions, velocities.
    The plan has four numbers for each motor: where its targets are (int64, bytes from the address
    of the drives), lower limit, upper limit, and room for the position.
    """
    drives_at, plan_at, count = integer_at(args, 0), integer_at(args, 1), integer_at(args, 2)
    plan, offsets = pointer_f64(plan_at), pointer_i64(plan_at)
    positions, speeds = pointer_f64(plan_at + 24 * count), pointer_f64(plan_at + 32 * count)
    if not read_numbers(known, args[3], count, positions, 0):
        return _NOT_DONE
    if not read_numbers(known, args[4], count, speeds, 0):
        return _NOT_DONE
    for i in range(count):
        target = positions[i]
        lower, upper = plan[count + i], plan[2 * count + i]
        if target < lower:
            target = lower
        elif target > upper:
            target = upper
        drive = pointer_f64(drives_at + offsets[i])
        drive[0], drive[1] = target, speeds[i]
    return boxed(True)


@numba.njit(error_model="numpy")
def _add_torques(known: Pointer, args: Pointer) -> int:
    """Add forces to those of joints.

    Arguments: address of the body's forces, address of the plan, number of joints, forces. The
    plan has two numbers for each joint: where its force is (int64, bytes from the address of the
    forces), and room.
    """
    forces_at, plan_at, count = integer_at(args, 0), integer_at(args, 1), integer_at(args, 2)
    offsets, more = pointer_i64(plan_at), pointer_f64(plan_at + 8 * count)
    if not read_numbers(known, args[3], count, more, 0):
        return _NOT_DONE
    for i in range(count):
        pointer_f64(forces_at + offsets[i])[0] += more[i]
    return boxed(True)


@numba.njit(error_model="numpy")
def _choose(which: int, known: Pointer, numbers: Pointer, args: Pointer) -> int:
    if which == 0:
        return _place_base(known, numbers, args)
    if which == 1:
        return _read_pose(args)
    if which == 2:
        return _read_velocity(args)
    if which == 3:
        return _write_velocity(known, numbers, args)
    if which == 4:
        return _add_force(known, numbers, args)
    if which == 5:
        return _write_targets(known, numbers, args)
    return _add_torques(known, args)


def _build(digest: str) -> Any:
    @numba.cfunc(ENTRY, cache=True)
    def entry(self: int, args: int, count: int, names: int) -> int:
        if len(digest) > 0:
            which, known = functions.short_cut(self), known_of(self)
            done = _choose(which, known, functions.numbers_of(self), pointer_i64(args))
            if done != _NOT_DONE:
                return done
        return python_call(self, args, count, names)

    return entry


@functools.cache
def states() -> States:
    """The compiled functions, or ones that never do anything."""
    sources = (sys.modules[__name__], convert, transforms, functions, objects, pointers)
    entry = None
    if functions.layout_is_known():
        entry = compiled("the reading and writing of states", _build, *sources)
    return States(*functions.make_functions(entry, len(States._fields)))
