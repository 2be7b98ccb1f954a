# pyright: basic, reportInvalidTypeForm=false
"""Contacts of SolverVBD's rigid bodies."""

# Warp reads annotations as they stand: no `from __future__ import annotations` here.

import warp as wp

from unibody.newton.solvers.contact_force_kernels import Points, point_of, sliding
from unibody.newton.solvers.rigid_vbd_block_kernels import (
    Block,
    Bodies,
    eased,
    mobility_along,
    pose_of,
    pushed,
)
from unibody.newton.solvers.rigid_vbd_options import COMPLIANT, GROWING, HARD

wp.set_module_options({"enable_backward": False})


@wp.struct
class Materials:
    """Shapes as contacts see them; whether `kd` is a share of `ke`.

    Contacts may have stiffness of their own at present; or metrics (along the normal, across) and
    multipliers, the force on the second body. Hard ones leave a share of their first depth.
    """

    scheme: int
    body: wp.array(dtype=int)
    ke: wp.array(dtype=float)
    kd: wp.array(dtype=float)
    mu: wp.array(dtype=float)
    shared: bool
    present: wp.array(dtype=float)
    structure: wp.array(dtype=float)
    metric: wp.array(dtype=wp.vec2)
    hold: wp.array(dtype=wp.vec3)
    first: wp.array(dtype=float)
    left: float


@wp.func
def normal_of(points: Points, c: int):
    """The normal of a contact from the first body to the second."""
    return -points.sign * points.normal[c]


@wp.func
def depth_of(bodies: Bodies, points: Points, shapes: Materials, c: int, n: wp.vec3):
    """How deep a contact is [m]; below zero: how far apart its surfaces are."""
    a = shapes.body[points.shape0[c]]
    b = shapes.body[points.shape1[c]]
    apart = point_of(bodies.q, a, points.point0[c], n * points.margin0[c]) - point_of(
        bodies.q, b, points.point1[c], n * -points.margin1[c]
    )
    return wp.dot(n, apart)


@wp.func
def surface_point(bodies: Bodies, body: int, local: wp.vec3, offset: wp.vec3):
    """A point of a body's skin, which goes with the body: where it is and what way it came."""
    before = pose_of(bodies.before, body)
    own = local + wp.quat_rotate_inv(wp.transform_get_rotation(before), offset)
    now = wp.transform_point(pose_of(bodies.q, body), own)
    return now, now - wp.transform_point(before, own)


@wp.func
def press_of(shapes: Materials, c: int, n: wp.vec3, depth: float, ke: float):
    """A contact's force along its normal before damping, and its stiffness."""
    hold = wp.dot(shapes.hold[c], n)
    if shapes.scheme == COMPLIANT:
        row = eased(ke, shapes.metric[c][0])
        return wp.vec2(wp.max(row[1] * depth + row[0] * hold, 0.0), row[1])
    if depth > 0.0:
        depth = depth - shapes.left * shapes.first[c]
    return wp.vec2(wp.max(ke * depth + hold, 0.0), ke)


@wp.func
def grip_of(shapes: Materials, c: int, n: wp.vec3, slip: wp.vec3, mu: float, press: float):
    """Friction of a contact on the second body, and how long it is before it slides."""
    hold = shapes.hold[c]
    wanted = hold - n * wp.dot(n, hold) - slip * shapes.metric[c][1]
    size = wp.length(wanted)
    if size > mu * press and size > 0.0:
        return wanted * (mu * press / size), size
    return wanted, size


@wp.func
def slip_of(bodies: Bodies, points: Points, shapes: Materials, c: int, n: wp.vec3, dt: float):
    """How far the second surface slid on the first in the step."""
    a = shapes.body[points.shape0[c]]
    b = shapes.body[points.shape1[c]]
    _, way_a = surface_point(bodies, a, points.point0[c], n * points.margin0[c])
    _, way_b = surface_point(bodies, b, points.point1[c], n * -points.margin1[c])
    slip = way_b - way_a
    return slip - n * wp.dot(n, slip) + sliding(points, c, n) * dt


@wp.func
def add_held_contact(
    block: Block, bodies: Bodies, points: Points, shapes: Materials, c: int, body: int,
    slow: float, dt: float,
):  # fmt: skip
    """A block with what a contact with multipliers does to one of its bodies."""
    first = points.shape0[c]
    second = points.shape1[c]
    a = shapes.body[first]
    b = shapes.body[second]
    n = normal_of(points, c)
    ke = 0.5 * (shapes.ke[first] + shapes.ke[second])
    found = press_of(shapes, c, n, depth_of(bodies, points, shapes, c, n), ke)
    press = found[0]
    if press <= 0.0:
        return block
    reach_a = n * points.margin0[c]
    reach_b = n * -points.margin1[c]
    at_a = point_of(bodies.q, a, points.point0[c], reach_a)
    at_b = point_of(bodies.q, b, points.point1[c], reach_b)
    came_a = point_of(bodies.before, a, points.point0[c], reach_a)
    came_b = point_of(bodies.before, b, points.point1[c], reach_b)
    closing = wp.dot(n, (at_a - came_a) - (at_b - came_b)) / dt
    kd = 0.5 * (shapes.kd[first] + shapes.kd[second])
    if shapes.shared:
        kd = kd * ke
    force = n * press
    stiff = wp.outer(n, n) * found[1]
    if closing > 0.0:
        force = force + n * (kd * closing)
        stiff = stiff + wp.outer(n, n) * (kd / dt)
    across = wp.vec3()
    stiff_across = wp.mat33()
    mu = wp.sqrt(shapes.mu[first] * shapes.mu[second])
    if mu > 0.0:
        slip = slip_of(bodies, points, shapes, c, n, dt)
        across, size = grip_of(shapes, c, n, slip, mu, press)
        plane = wp.identity(n=3, dtype=float) - wp.outer(n, n)
        stiff_across = plane * shapes.metric[c][1]
        if size > mu * press:
            # Along the way of sliding the force stays: a secant of it keeps the search calm.
            way = across / (mu * press)
            far = wp.max(wp.length(slip), 0.5 * slow * dt)
            stiff_across = (plane - wp.outer(way, way)) * (
                mu * press / size * shapes.metric[c][1]
            ) + wp.outer(way, way) * (mu * press / far)
    skin_a, _ = surface_point(bodies, a, points.point0[c], reach_a)
    skin_b, _ = surface_point(bodies, b, points.point1[c], reach_b)
    if body == b:
        com = wp.transform_point(bodies.q[b], bodies.com[b])
        block = pushed(block, at_b - com, force, stiff)
        return pushed(block, skin_b - com, across, stiff_across)
    com = wp.transform_point(bodies.q[a], bodies.com[a])
    block = pushed(block, at_a - com, -force, stiff)
    return pushed(block, skin_a - com, -across, stiff_across)


@wp.func
def structure_of(bodies: Bodies, shapes: Materials, body: int):
    """How stiffly joints hold a body that moves [N/m]."""
    if body < 0:
        return 0.0
    if bodies.inv_mass[body] == 0.0:
        return 0.0
    return shapes.structure[body]


@wp.func
def in_series(a: float, b: float):
    """What two moving ends give together; one that is none gives what the other does."""
    if a > 0.0 and b > 0.0:
        return a * b / (a + b)
    return wp.max(a, b)


@wp.func
def weight_along(
    bodies: Bodies, shapes: Materials, body: int, at: wp.vec3, way: wp.vec3, dt: float
):
    """The inertia of a body's point in a step, over its square, and what joints add to it."""
    ease = mobility_along(bodies, body, at, way)
    if ease <= 0.0:
        return 0.0
    return 1.0 / (ease * dt * dt) + structure_of(bodies, shapes, body)


@wp.func
def metric_of(bodies: Bodies, points: Points, shapes: Materials, c: int, n: wp.vec3, dt: float):
    """Metrics of a contact along its normal and across."""
    a = shapes.body[points.shape0[c]]
    b = shapes.body[points.shape1[c]]
    at_a = point_of(bodies.q, a, points.point0[c], n * points.margin0[c])
    at_b = point_of(bodies.q, b, points.point1[c], n * -points.margin1[c])
    normal = in_series(
        weight_along(bodies, shapes, a, at_a, n, dt), weight_along(bodies, shapes, b, at_b, n, dt)
    )
    t = wp.cross(n, wp.vec3(1.0, 0.0, 0.0))
    if wp.abs(n[0]) > 0.7:
        t = wp.cross(n, wp.vec3(0.0, 1.0, 0.0))
    t = wp.normalize(t)
    s = wp.cross(n, t)
    ease = mobility_along(bodies, a, at_a, t) + mobility_along(bodies, b, at_b, t)
    ease = ease + mobility_along(bodies, a, at_a, s) + mobility_along(bodies, b, at_b, s)
    across = float(0.0)
    if ease > 0.0:
        across = 2.0 / (ease * dt * dt)
    held = in_series(structure_of(bodies, shapes, a), structure_of(bodies, shapes, b))
    return wp.vec2(normal, wp.max(across, wp.min(normal, held)))


@wp.struct
class Past:
    """Multipliers and normals of the contacts of an earlier step, and which of them go on."""

    present: bool
    own: bool
    match: wp.array(dtype=int)
    hold: wp.array(dtype=wp.vec3)
    normal: wp.array(dtype=wp.vec3)
    keep: float


@wp.kernel
def begin_held_contacts(bodies: Bodies, points: Points, shapes: Materials, past: Past, dt: float):
    """One thread a contact: its metrics, its first depth, and what is left of its multiplier."""
    c = wp.tid()
    if c >= wp.min(points.count[0], points.shape0.shape[0]):
        return
    first = points.shape0[c]
    second = points.shape1[c]
    n = normal_of(points, c)
    ke = 0.5 * (shapes.ke[first] + shapes.ke[second])
    shapes.first[c] = depth_of(bodies, points, shapes, c, n)
    metric = metric_of(bodies, points, shapes, c, n, dt)
    if shapes.scheme != COMPLIANT:
        metric = wp.vec2(ke, ke)
    shapes.metric[c] = metric
    row = int(-1)
    if past.present:
        row = c
        if not past.own:
            row = past.match[c]
    hold = wp.vec3()
    if row >= 0:
        earlier = past.hold[row]
        normal = past.normal[row]
        press = wp.dot(earlier, normal)
        if press > 0.0 and ke > 0.0:
            across = earlier - normal * press
            across = across - n * wp.dot(n, across)
            size = wp.length(across)
            most = wp.sqrt(shapes.mu[first] * shapes.mu[second]) * press
            if size > most:
                across = across * (most / size)
            hold = (n * press + across) * past.keep
    shapes.hold[c] = hold


@wp.kernel
def hold_contacts(bodies: Bodies, points: Points, shapes: Materials, dt: float):
    """One thread a contact: its force becomes its multiplier."""
    c = wp.tid()
    if c >= wp.min(points.count[0], points.shape0.shape[0]):
        return
    first = points.shape0[c]
    second = points.shape1[c]
    n = normal_of(points, c)
    ke = 0.5 * (shapes.ke[first] + shapes.ke[second])
    found = press_of(shapes, c, n, depth_of(bodies, points, shapes, c, n), ke)
    mu = wp.sqrt(shapes.mu[first] * shapes.mu[second])
    across = wp.vec3()
    if mu > 0.0 and found[0] > 0.0:
        slip = slip_of(bodies, points, shapes, c, n, dt)
        across, _ = grip_of(shapes, c, n, slip, mu, found[0])
    shapes.hold[c] = n * found[0] + across


@wp.kernel
def keep_normals(points: Points, normals: wp.array(dtype=wp.vec3)):
    """One thread a contact: its normal, for the step after."""
    c = wp.tid()
    if c < wp.min(points.count[0], points.shape0.shape[0]):
        normals[c] = normal_of(points, c)


@wp.func
def add_contact(
    block: Block, bodies: Bodies, points: Points, shapes: Materials, c: int, body: int,
    slow: float, dt: float,
):  # fmt: skip
    """A block with what a contact does to one of its bodies."""
    if shapes.scheme == COMPLIANT or shapes.scheme == HARD:
        return add_held_contact(block, bodies, points, shapes, c, body, slow, dt)
    first = points.shape0[c]
    second = points.shape1[c]
    a = shapes.body[first]
    b = shapes.body[second]
    n = normal_of(points, c)
    at_a = point_of(bodies.q, a, points.point0[c], n * points.margin0[c])
    at_b = point_of(bodies.q, b, points.point1[c], n * -points.margin1[c])
    depth = wp.dot(n, at_a - at_b)
    if depth <= 0.0:
        return block
    # Both points move with their bodies: where they were a step ago.
    from_a = at_a - point_of(bodies.before, a, points.point0[c], n * points.margin0[c])
    from_b = at_b - point_of(bodies.before, b, points.point1[c], n * -points.margin1[c])
    moved = from_b - from_a
    closing = -wp.dot(n, moved) / dt
    ke = 0.5 * (shapes.ke[first] + shapes.ke[second])
    if shapes.present:
        ke = shapes.present[c]
    kd = 0.5 * (shapes.kd[first] + shapes.kd[second])
    if shapes.shared:
        kd = kd * ke
    press = ke * depth
    stiff = ke
    if closing > 0.0:
        press = press + kd * closing
        stiff = stiff + kd / dt
    force = n * press  # on the second body
    stiffness = wp.outer(n, n) * stiff
    slip = wp.vec3()
    if shapes.scheme == GROWING:
        slip = moved - n * wp.dot(n, moved) + sliding(points, c, n) * dt
    else:
        slip = slip_of(bodies, points, shapes, c, n, dt)
    far = wp.length(slip)
    hold = wp.sqrt(shapes.mu[first] * shapes.mu[second]) * press
    if hold > 0.0 and far > 0.0:
        share = wp.min(far / (slow * dt), 1.0)
        held = hold * share * (2.0 - share) / far
        force = force - slip * held
        stiffness = stiffness + (wp.identity(n=3, dtype=float) - wp.outer(n, n)) * held
    if body == b:
        arm = at_b - wp.transform_point(bodies.q[b], bodies.com[b])
        return pushed(block, arm, force, stiffness)
    arm = at_a - wp.transform_point(bodies.q[a], bodies.com[a])
    return pushed(block, arm, -force, stiffness)


@wp.kernel
def begin_contacts(points: Points, shapes: Materials, start: float):
    """One thread a contact: it begins soft."""
    c = wp.tid()
    if c >= wp.min(points.count[0], points.shape0.shape[0]):
        return
    ke = 0.5 * (shapes.ke[points.shape0[c]] + shapes.ke[points.shape1[c]])
    shapes.present[c] = wp.min(start, ke)


@wp.kernel
def stiffen_contacts(bodies: Bodies, points: Points, shapes: Materials, growth: float):
    """One thread a contact: its stiffness grows with its depth, up to that of its shapes."""
    c = wp.tid()
    if c >= wp.min(points.count[0], points.shape0.shape[0]):
        return
    first = points.shape0[c]
    second = points.shape1[c]
    depth = wp.max(depth_of(bodies, points, shapes, c, normal_of(points, c)), 0.0)
    ke = 0.5 * (shapes.ke[first] + shapes.ke[second])
    shapes.present[c] = wp.min(shapes.present[c] + growth * depth, ke)


@wp.kernel
def list_contacts(
    points: Points,
    shapes: Materials,
    heads: wp.array(dtype=int),
    following: wp.array(dtype=int),
):
    """One thread a contact: hang it into the lists of its bodies; entries are 2 c and 2 c + 1."""
    c = wp.tid()
    if c >= wp.min(points.count[0], points.shape0.shape[0]):
        return
    a = shapes.body[points.shape0[c]]
    b = shapes.body[points.shape1[c]]
    if a == b:
        return
    if a >= 0:
        following[2 * c] = wp.atomic_exch(heads, a, 2 * c)
    if b >= 0:
        following[2 * c + 1] = wp.atomic_exch(heads, b, 2 * c + 1)
