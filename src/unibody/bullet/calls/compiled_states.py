"""Compiled parts of calls that read and write states, in PyBullet's order and frames.

Each works on addresses of MjData that a ``Body`` knows. For arguments of unusual types, and where
nothing can be compiled, they return None, have done nothing, and the caller does it in Python.
"""

from __future__ import annotations

import functools
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

from unibody.bullet import constants, convert
from unibody.core.assets import transforms
from unibody.core.engine.records import rule_table as t
from unibody.machine_code import numba, pointers
from unibody.machine_code.calls import functions, objects
from unibody.machine_code.calls.functions import ENTRY, known_of, python_call
from unibody.machine_code.calls.objects import (
    K_INT,
    K_NONE,
    SCRATCH,
    TYPE_AT,
    all_finite,
    boxed,
    boxed_numbers,
    integer_at,
    read_number,
    read_numbers,
    word_at,
)
from unibody.machine_code.compiled import compiled
from unibody.machine_code.jit import inlined_kernel, kernel
from unibody.machine_code.kept import kept_entry
from unibody.machine_code.pointers import Pointer, pointer_f64, pointer_i64

_quat_rotate = numba.njit(transforms.quat_rotate)
_quat_multiply = numba.njit(transforms.quat_multiply)
_quat_conjugate = numba.njit(transforms.quat_conjugate)
_rotate_back = numba.njit(convert.rotate_back)
_signed_xyzw = numba.njit(convert.signed_xyzw)
_unit = numba.njit(convert.unit)
_NOT_DONE = 0
_LINK_FRAME, _WORLD_FRAME = float(constants.LINK_FRAME), float(constants.WORLD_FRAME)
_POSITION, _VELOCITY = float(constants.POSITION_CONTROL), float(constants.VELOCITY_CONTROL)
_TORQUE, _MOTOR = float(constants.TORQUE_CONTROL), float(t.DriveMode.MOTOR)
# The row of a base: addresses of its position, quaternion (w, x, y, z) and twist (0: none), and of
# the pose (seven numbers) of its mass centre in the link and of the link there (0: the same place).
_POS, _QUAT, _TWIST, _COM, _ORIGIN = range(5)
PUSH_ROW = 64  # bytes of a row of a `PushPlan`
MOTOR_ROW = 32  # bytes of a row of `motor_plans.motor_rows`


@dataclass(slots=True)
class States:
    """The compiled functions. They return None where they have done nothing."""

    place_base: Callable[..., Any]
    read_pose: Callable[..., Any]
    read_velocity: Callable[..., Any]
    write_velocity: Callable[..., Any]
    add_force: Callable[..., Any]
    write_targets: Callable[..., Any]
    add_torques: Callable[..., Any]
    add_torque: Callable[..., Any]
    set_drive: Callable[..., Any]
    tell_motor: Callable[..., Any]
    vector: Callable[..., Any]
    place_joint: Callable[..., Any]


@inlined_kernel
def _within(pos: Any, quat: Any, inner_at: int) -> Any:
    """A pose, (w, x, y, z), in a frame, in the frame that this one is in; 0: as it is.

    The inner pose is seven numbers.
    """
    if inner_at == 0:
        return pos, quat
    inner = pointer_f64(inner_at)
    x, y, z = _quat_rotate(quat, (inner[0], inner[1], inner[2]))
    turn = _quat_multiply(quat, (inner[3], inner[4], inner[5], inner[6]))
    return (pos[0] + x, pos[1] + y, pos[2] + z), _unit(turn)


@kernel
def _place_base(known: Pointer, numbers: Pointer, args: Pointer) -> int:
    """Write a pose, its quaternion (x, y, z, w) of any length, and no velocity.

    Arguments: address of the base's row, position, orientation.
    """
    if not read_numbers(known, args[1], 3, numbers, 0):
        return _NOT_DONE
    if not read_numbers(known, args[2], 4, numbers, 3) or not all_finite(numbers, 0, 7):
        return _NOT_DONE
    x, y, z, w = numbers[3], numbers[4], numbers[5], numbers[6]
    squared = x * x + y * y + z * z + w * w
    norm = 1.0 / math.sqrt(squared) if squared != 0.0 else 1.0
    if squared == 0.0:
        x, y, z, w = 0.0, 0.0, 0.0, 1.0
    place, turn = (numbers[0], numbers[1], numbers[2]), (w * norm, x * norm, y * norm, z * norm)
    base = pointer_i64(integer_at(args, 0))
    place, turn = _within(place, turn, base[_ORIGIN])
    pos, quat = pointer_f64(base[_POS]), pointer_f64(base[_QUAT])
    pos[0], pos[1], pos[2] = place
    quat[0], quat[1], quat[2], quat[3] = turn
    if base[_TWIST] != 0:
        for i in range(6):
            pointer_f64(base[_TWIST])[i] = 0.0
    return boxed(True)


@kernel
def _read_pose(args: Pointer) -> int:
    """Position and (x, y, z, w) as Bullet signs it.

    Argument: address of the base's row.
    """
    base = pointer_i64(integer_at(args, 0))
    pos, quat = pointer_f64(base[_POS]), pointer_f64(base[_QUAT])
    place, turn = (pos[0], pos[1], pos[2]), (quat[0], quat[1], quat[2], quat[3])
    place, turn = _within(place, turn, base[_COM])
    return boxed((place, _signed_xyzw(turn)))


@kernel
def _read_velocity(args: Pointer) -> int:
    """Linear and angular velocity, world frame. Argument: address of the base's row."""
    base = pointer_i64(integer_at(args, 0))
    q, v = pointer_f64(base[_QUAT]), pointer_f64(base[_TWIST])
    angular = _quat_rotate((q[0], q[1], q[2], q[3]), (v[3], v[4], v[5]))
    return boxed(((v[0], v[1], v[2]), angular))


@kernel
def _write_velocity(known: Pointer, numbers: Pointer, args: Pointer) -> int:
    """Set velocities, but one that is None.

    Arguments: address of the base's row, linear, angular (world).
    """
    base, none = pointer_i64(integer_at(args, 0)), known[K_NONE]
    if args[1] == none and args[2] == none:
        return _NOT_DONE
    q, v = pointer_f64(base[_QUAT]), pointer_f64(base[_TWIST])
    quat = (q[0], q[1], q[2], q[3])
    if args[1] == none:
        numbers[0], numbers[1], numbers[2] = v[0], v[1], v[2]
    elif not read_numbers(known, args[1], 3, numbers, 0):
        return _NOT_DONE
    if args[2] == none:
        numbers[3], numbers[4], numbers[5] = _quat_rotate(quat, (v[3], v[4], v[5]))
    elif not read_numbers(known, args[2], 3, numbers, 3):
        return _NOT_DONE
    if not all_finite(numbers, 0, 6):
        return _NOT_DONE
    x, y, z = _rotate_back(quat, (numbers[3], numbers[4], numbers[5]))
    v[0], v[1], v[2], v[3], v[4], v[5] = numbers[0], numbers[1], numbers[2], x, y, z
    return boxed(True)


@inlined_kernel
def _pushed_link(known: Pointer, numbers: Pointer, args: Pointer, frame: int) -> int:
    """Address of a link's row in a `PushPlan`; 0 for a link or frame that is none.

    Arguments: address of the plan, link, and as number ``frame`` the frame.
    """
    plan_at = integer_at(args, 0)
    for place in (1, frame):
        if word_at(args[place] + TYPE_AT) != known[K_INT]:
            return 0
    if not read_number(known, args[1], numbers, 0):
        return 0
    if not read_number(known, args[frame], numbers, 1):
        return 0
    link, count = numbers[0], pointer_i64(plan_at)[0]
    if not -1.0 <= link < count or not _LINK_FRAME <= numbers[1] <= _WORLD_FRAME:
        return 0
    return plan_at + PUSH_ROW * (2 + int(link))


@inlined_kernel
def _quat_of_push(row: int) -> Any:
    """Orientation (w, x, y, z) of the inertial frame of a link, in the world."""
    q, turn = pointer_f64(pointer_i64(row)[2]), pointer_f64(row + 32)
    return _quat_multiply((q[0], q[1], q[2], q[3]), (turn[0], turn[1], turn[2], turn[3]))


@kernel
def _add_force(known: Pointer, numbers: Pointer, args: Pointer) -> int:
    """Add a force at a point to a link. Arguments: plan, link, force, point, frame."""
    row = _pushed_link(known, numbers, args, 4)
    if row == 0:
        return _NOT_DONE
    local = numbers[1] == _LINK_FRAME
    if not read_numbers(known, args[2], 3, numbers, 0):
        return _NOT_DONE
    if not read_numbers(known, args[3], 3, numbers, 3) or not all_finite(numbers, 0, 6):
        return _NOT_DONE
    force, arm = (numbers[0], numbers[1], numbers[2]), (numbers[3], numbers[4], numbers[5])
    if local:
        quat = _quat_of_push(row)
        force, arm = _quat_rotate(quat, force), _quat_rotate(quat, arm)
    else:
        com = pointer_f64(pointer_i64(row)[1])
        arm = (arm[0] - com[0], arm[1] - com[1], arm[2] - com[2])
    wrench = pointer_f64(pointer_i64(row)[0])
    wrench[0] += force[0]
    wrench[1] += force[1]
    wrench[2] += force[2]
    wrench[3] += arm[1] * force[2] - arm[2] * force[1]
    wrench[4] += arm[2] * force[0] - arm[0] * force[2]
    wrench[5] += arm[0] * force[1] - arm[1] * force[0]
    return boxed(True)


@kernel
def _add_torque(known: Pointer, numbers: Pointer, args: Pointer) -> int:
    """Add a torque to a link. Arguments: plan, link, torque, frame."""
    row = _pushed_link(known, numbers, args, 3)
    if row == 0:
        return _NOT_DONE
    local = numbers[1] == _LINK_FRAME
    if not read_numbers(known, args[2], 3, numbers, 0) or not all_finite(numbers, 0, 3):
        return _NOT_DONE
    torque = (numbers[0], numbers[1], numbers[2])
    if local:
        torque = _quat_rotate(_quat_of_push(row), torque)
    wrench = pointer_f64(pointer_i64(row)[0])
    wrench[3] += torque[0]
    wrench[4] += torque[1]
    wrench[5] += torque[2]
    return boxed(True)


@kernel
def _set_drive(known: Pointer, numbers: Pointer, args: Pointer) -> int:
    """Write what a motor is told.

    Arguments: address of the drive, mode, kp, kd, targets of position and velocity, force limit,
    and what that is to be multiplied by.
    """
    for i in range(7):
        if not read_number(known, args[1 + i], numbers, i):
            return _NOT_DONE
    if not all_finite(numbers, 1, 4) or math.isnan(numbers[5]):
        return _NOT_DONE
    numbers[5] *= numbers[6]
    drive = pointer_f64(integer_at(args, 0))
    for i in range(6):
        drive[i] = numbers[i]
    return boxed(True)


@kernel
def _tell_motor(known: Pointer, numbers: Pointer, args: Pointer) -> int:
    """Do what setJointMotorControl2 is told of a joint with one axis that has a motor.

    Arguments: address of the plan, joint, mode, targets of position and velocity, force, kp, kd,
    speed limit. See ``motor_plans.motor_rows`` for the plan. Returns True for a motor, 2 for a
    torque. Nothing is done for a motor that loses its force.
    """
    plan_at = integer_at(args, 0)
    for i in range(8):
        if not read_number(known, args[1 + i], numbers, i):
            return _NOT_DONE
    if not 0.0 <= numbers[0] < pointer_f64(plan_at)[0]:
        return _NOT_DONE
    row = plan_at + MOTOR_ROW * (1 + int(numbers[0]))
    limits, mode, limit = pointer_f64(row), numbers[1], numbers[4]
    if pointer_i64(row)[2] == 0:
        return _NOT_DONE
    if math.isnan(limit) or (mode == _TORQUE and math.isinf(limit)):
        return _NOT_DONE
    if mode == _TORQUE:
        pointer_f64(pointer_i64(row)[3])[0] += limit
        return boxed(2)
    drive, position = pointer_f64(pointer_i64(row)[2]), numbers[2]
    if mode not in (_POSITION, _VELOCITY) or (limit == 0.0 and drive[t.D_LIMIT] != 0.0):
        return _NOT_DONE
    if mode == _VELOCITY:
        position = numbers[5] = 0.0
        numbers[7] = math.inf
    elif position < limits[0]:
        position = limits[0]
    elif position > limits[1]:
        position = limits[1]
    numbers[2] = position
    if not all_finite(numbers, 2, 2) or not all_finite(numbers, 5, 2):
        return _NOT_DONE
    drive[t.D_MODE], drive[t.D_KP], drive[t.D_KD] = _MOTOR, numbers[5], numbers[6]
    drive[t.D_POSITION], drive[t.D_VELOCITY] = position, numbers[3]
    drive[t.D_LIMIT] = limit * pointer_f64(plan_at)[1]
    if numbers[7] > 0.0:
        drive[t.D_SPEED_LIMIT] = numbers[7]
    return boxed(True)


@kernel
def _vector(known: Pointer, numbers: Pointer, args: Pointer) -> int:
    """A sequence of numbers as a tuple of floats. Arguments: the sequence, its length."""
    count = integer_at(args, 1)
    if count > SCRATCH or not read_numbers(known, args[0], count, numbers, 0):
        return _NOT_DONE
    return boxed_numbers(numbers, count)


@kernel
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
    if not all_finite(speeds, 0, count):
        return _NOT_DONE
    for i in range(count):
        target = positions[i]
        lower, upper = plan[count + i], plan[2 * count + i]
        if target < lower:
            target = lower
        elif target > upper:
            target = upper
        positions[i] = target
    if not all_finite(positions, 0, count):
        return _NOT_DONE
    for i in range(count):
        drive = pointer_f64(drives_at + offsets[i])
        drive[0], drive[1] = positions[i], speeds[i]
    return boxed(True)


@kernel
def _add_torques(known: Pointer, args: Pointer) -> int:
    """Add forces to those of joints.

    Arguments: address of the body's forces, address of the plan, number of joints, forces. The
    plan has two numbers for each joint: where its force is (int64, bytes from the address of the
    forces), and room.
    """
    forces_at, plan_at, count = integer_at(args, 0), integer_at(args, 1), integer_at(args, 2)
    offsets, more = pointer_i64(plan_at), pointer_f64(plan_at + 8 * count)
    if not read_numbers(known, args[3], count, more, 0) or not all_finite(more, 0, count):
        return _NOT_DONE
    for i in range(count):
        pointer_f64(forces_at + offsets[i])[0] += more[i]
    return boxed(True)


@kernel
def _place_joint(known: Pointer, numbers: Pointer, args: Pointer) -> int:
    """Write position and velocity of a joint with one axis, or of a spherical one.

    Arguments: addresses of both, how many numbers the position has, orientation of the inertial
    frame in the link, position and velocity.
    """
    size = integer_at(args, 2)
    if size not in (1, 4) or not read_numbers(known, args[3], 4, numbers, 0):
        return _NOT_DONE
    if not read_numbers(known, args[4], size, numbers, 4):
        return _NOT_DONE
    speeds = 1 if size == 1 else 3
    if not read_numbers(known, args[5], speeds, numbers, 8):
        return _NOT_DONE
    if not all_finite(numbers, 4, size) or not all_finite(numbers, 8, speeds):
        return _NOT_DONE
    position, velocity = pointer_f64(integer_at(args, 0)), pointer_f64(integer_at(args, 1))
    if size == 1:
        position[0], velocity[0] = numbers[4], numbers[8]
        return boxed(True)
    x, y, z, w = numbers[4], numbers[5], numbers[6], numbers[7]
    length = math.sqrt(x * x + y * y + z * z + w * w)
    if not length > 0.0:
        return _NOT_DONE
    axes = (numbers[0], numbers[1], numbers[2], numbers[3])
    unit = (w / length, x / length, y / length, z / length)
    turned = _quat_multiply(axes, _quat_multiply(unit, _quat_conjugate(axes)))
    position[0], position[1], position[2], position[3] = turned
    spin = _quat_rotate(axes, (numbers[8], numbers[9], numbers[10]))
    velocity[0], velocity[1], velocity[2] = spin
    return boxed(True)


@kernel
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
    if which == 6:
        return _add_torques(known, args)
    if which == 7:
        return _add_torque(known, numbers, args)
    if which == 8:
        return _set_drive(known, numbers, args)
    if which == 9:
        return _tell_motor(known, numbers, args)
    if which == 10:
        return _vector(known, numbers, args)
    return _place_joint(known, numbers, args)


def _build(digest: str) -> Any:
    @kept_entry(ENTRY)
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
    sources = (sys.modules[__name__], convert, transforms, functions, objects, pointers, t)
    entry = None
    if functions.builtins_work():
        entry = compiled("the reading and writing of states", _build, *sources)
    return States(*functions.make_functions(entry, len(fields(States))))
