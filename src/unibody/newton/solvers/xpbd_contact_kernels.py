# pyright: basic, reportInvalidTypeForm=false
"""Corrections of bodies by contacts, and their rebounds (Mueller et al. 2020)."""

# Warp reads annotations as they stand: no `from __future__ import annotations` here.

import warp as wp

from unibody.newton.launching import inlined
from unibody.newton.solvers.contact_force_kernels import (
    Points,
    arm_of,
    point_of,
    sliding,
    velocity_of,
)
from unibody.newton.solvers.xpbd_motion_kernels import Bodies, apply_pair, inverse_mass

wp.set_module_options({"enable_backward": False})


@inlined
def contact_impulse(
    bodies: Bodies,
    a: int,
    b: int,
    error: float,
    linear: wp.vec3,
    about_a: wp.vec3,
    about_b: wp.vec3,
    relaxation: float,
    dt: float,
):
    """The impulse of an error of a contact."""
    give = inverse_mass(bodies, a, linear, about_a) + inverse_mass(bodies, b, linear, about_b)
    if give <= 0.0:
        return 0.0
    return -error * relaxation / (dt * give)


@inlined
def turned(q: wp.array(dtype=wp.transform), body: int, local: wp.vec3):
    """A direction of a body's frame, in the world frame."""
    if body < 0:
        return local
    return wp.transform_vector(q[body], local)


@inlined
def spin_of(qd: wp.array(dtype=wp.spatial_vector), body: int):
    """Angular velocity of a body."""
    if body < 0:
        return wp.vec3()
    return wp.spatial_bottom(qd[body])


@inlined
def turning_friction(
    bodies: Bodies,
    a: int,
    b: int,
    n: wp.vec3,
    spin: wp.vec3,
    size: float,
    torsional: float,
    rolling: float,
    relaxation: float,
    dt: float,
):
    """Turns on b that hold back spinning about the normal and rolling."""
    total = wp.vec3()
    about = wp.dot(spin, n)
    if torsional > 0.0 and about != 0.0:
        held = contact_impulse(bodies, a, b, about * dt, wp.vec3(), n, n, relaxation, dt)
        total = n * wp.clamp(held, -size * torsional, size * torsional)
    roll = spin - n * about
    speed = wp.length(roll)
    if rolling > 0.0 and speed > 0.0:
        axis = roll / speed
        held = contact_impulse(bodies, a, b, speed * dt, wp.vec3(), axis, axis, relaxation, dt)
        total = total + axis * wp.max(held, -size * rolling)
    return total


@inlined
def solve_contact(
    i: int,
    bodies: Bodies,
    points: Points,
    offset0: wp.array(dtype=wp.vec3),
    offset1: wp.array(dtype=wp.vec3),
    shape_body: wp.array(dtype=int),
    mu: wp.array(dtype=float),
    mu_torsional: wp.array(dtype=float),
    mu_rolling: wp.array(dtype=float),
    relaxation: float,
    dt: float,
    deltas: wp.array(dtype=wp.spatial_vector),
    weights: wp.array(dtype=float),
    impulses: wp.array(dtype=wp.vec3),
):
    """Correct the bodies of a contact."""
    first = points.shape0[i]
    second = points.shape1[i]
    a = shape_body[first]
    b = shape_body[second]
    if a == b:
        return
    n = -points.sign * points.normal[i]
    at_a = point_of(bodies.q, a, points.point0[i], wp.vec3())
    at_b = point_of(bodies.q, b, points.point1[i], wp.vec3())
    depth = wp.dot(n, at_b - at_a) - points.margin0[i] - points.margin1[i]
    if depth >= 0.0:
        return
    arm_a = arm_of(bodies.q, bodies.com, a, at_a)
    arm_b = arm_of(bodies.q, bodies.com, b, at_b)
    size = contact_impulse(
        bodies, a, b, depth, n, wp.cross(arm_a, n), wp.cross(arm_b, n), relaxation, dt
    )
    if a >= 0:
        wp.atomic_add(weights, a, 1.0)
    if b >= 0:
        wp.atomic_add(weights, b, 1.0)
    linear = n * size
    turn_a = wp.cross(arm_a, n) * size
    turn_b = wp.cross(arm_b, n) * size
    slide = 0.5 * (mu[first] + mu[second])
    if slide > 0.0:
        # With the thickness, so that what turns in place slips, too.
        at_a = at_a + turned(bodies.q, a, offset0[i])
        at_b = at_b + turned(bodies.q, b, offset1[i])
        apart = at_b - at_a
        slip = apart - n * wp.dot(n, apart) + sliding(points, i, n) * dt
        far = wp.length(slip)
        if far > 0.0:
            t = slip / far
            arm_a = arm_of(bodies.q, bodies.com, a, at_a)
            arm_b = arm_of(bodies.q, bodies.com, b, at_b)
            about_a = wp.cross(arm_a, t)
            about_b = wp.cross(arm_b, t)
            held = contact_impulse(bodies, a, b, far, t, about_a, about_b, relaxation, dt)
            held = wp.max(held, -size * slide)
            linear = linear + t * held
            turn_a = turn_a + about_a * held
            turn_b = turn_b + about_b * held
    spin = spin_of(bodies.qd, b) - spin_of(bodies.qd, a)
    about = turning_friction(
        bodies, a, b, n, spin, size,
        0.5 * (mu_torsional[first] + mu_torsional[second]),
        0.5 * (mu_rolling[first] + mu_rolling[second]), relaxation, dt,
    )  # fmt: skip
    if impulses:
        impulses[i] = linear
    apply_pair(deltas, a, b, linear, turn_a + about, turn_b + about)


@wp.kernel
def solve_contacts(
    bodies: Bodies,
    points: Points,
    offset0: wp.array(dtype=wp.vec3),
    offset1: wp.array(dtype=wp.vec3),
    shape_body: wp.array(dtype=int),
    mu: wp.array(dtype=float),
    mu_torsional: wp.array(dtype=float),
    mu_rolling: wp.array(dtype=float),
    relaxation: float,
    dt: float,
    threads: int,
    deltas: wp.array(dtype=wp.spatial_vector),
    weights: wp.array(dtype=float),
    impulses: wp.array(dtype=wp.vec3),
):
    """Each thread does every so many of the contacts.

    `weights` counts the pressing ones of a body, `impulses` keeps them.
    """
    for i in range(wp.tid(), wp.min(points.count[0], points.shape0.shape[0]), threads):
        solve_contact(
            i, bodies, points, offset0, offset1, shape_body, mu, mu_torsional, mu_rolling,
            relaxation, dt, deltas, weights, impulses,
        )  # fmt: skip


@wp.func
def share_given(weights: wp.array(dtype=float), body: int):
    """Share of its contacts' corrections that a body takes."""
    if weights and body >= 0:
        return 1.0 / wp.max(weights[body], 1.0)
    return 1.0


@wp.kernel
def note_impulses(
    points: Points,
    shape_body: wp.array(dtype=int),
    inv_mass: wp.array(dtype=float),
    weights: wp.array(dtype=float),
    impulses: wp.array(dtype=wp.vec3),
    pressed: wp.array(dtype=wp.vec3),
):
    """One thread a contact: add the share of its impulse that has moved the lighter body."""
    i = wp.tid()
    if i >= wp.min(points.count[0], points.shape0.shape[0]):
        return
    a = shape_body[points.shape0[i]]
    b = shape_body[points.shape1[i]]
    body = a
    if a < 0:
        body = b
    elif b >= 0:
        if inv_mass[b] > inv_mass[a]:
            body = b
    pressed[i] = pressed[i] + impulses[i] * share_given(weights, body)


@wp.kernel
def note_pushes(
    points: Points,
    shape_body: wp.array(dtype=int),
    weights: wp.array(dtype=float),
    impulses: wp.array(dtype=wp.vec3),
    given: wp.array(dtype=wp.vec2),
):
    """One thread a contact: add the impulses along its normal that have moved its two bodies."""
    i = wp.tid()
    if i >= wp.min(points.count[0], points.shape0.shape[0]):
        return
    push = -points.sign * wp.dot(impulses[i], points.normal[i])
    share_a = share_given(weights, shape_body[points.shape0[i]])
    share_b = share_given(weights, shape_body[points.shape1[i]])
    given[i] = given[i] + wp.vec2(push * share_a, push * share_b)


@wp.func
def change(
    bodies: Bodies,
    body: int,
    linear: wp.vec3,
    angular: wp.vec3,
    deltas: wp.array(dtype=wp.spatial_vector),
):
    """Add the change of velocity of an impulse."""
    if body < 0:
        return
    rot = wp.transform_get_rotation(bodies.q[body])
    turn = wp.quat_rotate(rot, bodies.inv_inertia[body] * wp.quat_rotate_inv(rot, angular))
    wp.atomic_add(deltas, body, wp.spatial_vector(linear * bodies.inv_mass[body], turn))


BEYOND: float = wp.constant(1.5)  # of a share, below 2: rounds of many contacts end sooner


@wp.struct
class Rebounds:
    """What does not change while bodies rebound from each other.

    `bodies` has the poses before the step, `free` the velocities without contacts. `shares` counts
    the contacts of each body that rebound, `given` the impulses with which corrections pushed
    both bodies of a contact, which share them differently.
    """

    bodies: Bodies
    points: Points
    free: wp.array(dtype=wp.spatial_vector)
    shape_body: wp.array(dtype=int)
    restitution: wp.array(dtype=float)
    shares: wp.array(dtype=float)
    given: wp.array(dtype=wp.vec2)
    dt: float


@wp.struct
class Touch:
    """A contact of two bodies: its normal, arms and the speed at which it parts without it."""

    a: int
    b: int
    normal: wp.vec3
    arm_a: wp.vec3
    arm_b: wp.vec3
    speed: float
    closes: bool


@wp.func
def touch_of(rebounds: Rebounds, i: int):
    """A contact, which closes if its bodies touch within the step."""
    bodies, points = rebounds.bodies, rebounds.points
    touch = Touch()
    if i >= wp.min(points.count[0], points.shape0.shape[0]):
        return touch
    touch.a = rebounds.shape_body[points.shape0[i]]
    touch.b = rebounds.shape_body[points.shape1[i]]
    if touch.a == touch.b:
        return touch
    n = points.sign * points.normal[i]
    at_a = point_of(bodies.q, touch.a, points.point0[i], -points.margin0[i] * n)
    at_b = point_of(bodies.q, touch.b, points.point1[i], points.margin1[i] * n)
    touch.normal = n
    touch.arm_a = arm_of(bodies.q, bodies.com, touch.a, at_a)
    touch.arm_b = arm_of(bodies.q, bodies.com, touch.b, at_b)
    touch.speed = parting(touch, rebounds.free)
    touch.closes = wp.dot(n, at_a - at_b) + wp.min(touch.speed, 0.0) * rebounds.dt <= 0.0
    return touch


@wp.func
def parting(touch: Touch, qd: wp.array(dtype=wp.spatial_vector)):
    """The speed at which the points of a contact part [m/s]."""
    apart = velocity_of(qd, touch.a, touch.arm_a) - velocity_of(qd, touch.b, touch.arm_b)
    return wp.dot(touch.normal, apart)


@wp.func
def share_of(shares: wp.array(dtype=float), body: int):
    """How many contacts share a body."""
    if body < 0:
        return 0.0
    return shares[body]


@wp.kernel
def count_rebounds(rebounds: Rebounds, shares: wp.array(dtype=float)):
    """One thread a contact: count those of each body that `rebound` changes."""
    touch = touch_of(rebounds, wp.tid())
    if not touch.closes:
        return
    if touch.a >= 0:
        wp.atomic_add(shares, touch.a, 1.0)
    if touch.b >= 0:
        wp.atomic_add(shares, touch.b, 1.0)


@wp.kernel
def level_pushes(
    rebounds: Rebounds, deltas: wp.array(dtype=wp.spatial_vector), pushes: wp.array(dtype=float)
):
    """One thread a contact: give both bodies the lesser of the impulses that they had."""
    i = wp.tid()
    touch = touch_of(rebounds, i)
    if not touch.closes:
        return
    given = rebounds.given[i]
    push = given[0]
    if touch.a < 0 or (touch.b >= 0 and given[1] < push):
        push = given[1]
    pushes[i] = push
    for side in range(2):
        body = touch.a
        arm = touch.arm_a
        less = push - given[side]
        if side == 1:
            body = touch.b
            arm = touch.arm_b
            less = -less
        change(
            rebounds.bodies, body, touch.normal * less, wp.cross(arm, touch.normal) * less, deltas
        )


@wp.kernel
def rebound(
    rebounds: Rebounds,
    qd: wp.array(dtype=wp.spatial_vector),
    deltas: wp.array(dtype=wp.spatial_vector),
    pushes: wp.array(dtype=float),
):
    """One thread a contact: changes of velocity, so that bodies part as fast as they should.

    Moreau's law of impacts: the speed after a step is no less than the restitution times that
    without contacts, turned round, and a contact that pushes has just that; none pulls, what
    corrections pushed included. It adds no energy, whichever contacts part. Each contact has a
    share of the masses of its bodies: with fewer shares than contacts, the rounds would drive
    speeds up.
    """
    i = wp.tid()
    touch = touch_of(rebounds, i)
    if not touch.closes:
        return
    bodies = rebounds.bodies
    first = rebounds.restitution[rebounds.points.shape0[i]]
    second = rebounds.restitution[rebounds.points.shape1[i]]
    wanted = -0.5 * (first + second) * touch.speed
    about_a = wp.cross(touch.arm_a, touch.normal)
    about_b = wp.cross(touch.arm_b, touch.normal)
    give = share_of(rebounds.shares, touch.a) * inverse_mass(bodies, touch.a, touch.normal, about_a)
    give = give + share_of(rebounds.shares, touch.b) * inverse_mass(
        bodies, touch.b, touch.normal, about_b
    )
    if give <= 0.0:
        return
    push = wp.max(pushes[i] + BEYOND * (wanted - parting(touch, qd)) / give, 0.0)
    size = push - pushes[i]
    pushes[i] = push
    change(bodies, touch.a, touch.normal * size, about_a * size, deltas)
    change(bodies, touch.b, -touch.normal * size, -about_b * size, deltas)
