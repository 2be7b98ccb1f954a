# pyright: basic, reportInvalidTypeForm=false
"""Forces of springs, triangles, their edges and tetrahedra, from closed forms."""

# Warp reads annotations as they stand: no `from __future__ import annotations` here.

import warp as wp


@wp.kernel
def spring_forces(
    x: wp.array(dtype=wp.vec3),
    v: wp.array(dtype=wp.vec3),
    indices: wp.array(dtype=int),
    rest_length: wp.array(dtype=float),
    stiffness: wp.array(dtype=float),
    damping: wp.array(dtype=float),
    f: wp.array(dtype=wp.vec3),
):
    """One thread a spring."""
    s = wp.tid()
    i = indices[2 * s]
    j = indices[2 * s + 1]
    if i < 0 or j < 0:
        return
    apart = x[i] - x[j]
    length = wp.length(apart)
    if length < 1.0e-9:
        return
    axis = apart / length
    rate = wp.dot(axis, v[i] - v[j])
    force = axis * (stiffness[s] * (length - rest_length[s]) + damping[s] * rate)
    wp.atomic_sub(f, i, force)
    wp.atomic_add(f, j, force)


@wp.kernel
def triangle_forces(
    x: wp.array(dtype=wp.vec3),
    v: wp.array(dtype=wp.vec3),
    indices: wp.array2d(dtype=int),
    pose: wp.array(dtype=wp.mat22),
    activation: wp.array(dtype=float),
    materials: wp.array2d(dtype=float),
    f: wp.array(dtype=wp.vec3),
):
    """One thread a triangle: neo-Hookean membrane, damping, drag and lift.

    The energy is A (mu/2 |F|^2 + lambda/2 (J - 1 - mu/lambda + activation)^2), where F = X D, X are
    two edges, D is the inverse of theirs at rest, and J is the ratio of areas.
    """
    t = wp.tid()
    i = indices[t, 0]
    j = indices[t, 1]
    k = indices[t, 2]
    D = pose[t]
    area_rest = 0.5 / wp.determinant(D)
    mu = materials[t, 0]
    bulk = materials[t, 1]
    damp = materials[t, 2]
    e1 = x[j] - x[i]
    e2 = x[k] - x[i]
    u1 = v[j] - v[i]
    u2 = v[k] - v[i]
    stretch1 = (e1 * mu + u1 * damp) * area_rest
    stretch2 = (e2 * mu + u2 * damp) * area_rest
    # P = mu F + damp F', force on the edges' ends P D'
    g11 = D[0, 0] * D[0, 0] + D[0, 1] * D[0, 1]
    g12 = D[0, 0] * D[1, 0] + D[0, 1] * D[1, 1]
    g22 = D[1, 0] * D[1, 0] + D[1, 1] * D[1, 1]
    f1 = stretch1 * g11 + stretch2 * g12
    f2 = stretch1 * g12 + stretch2 * g22
    normal = wp.cross(e1, e2)
    twice = wp.length(normal)
    n = wp.normalize(normal)
    if bulk > 0.0:
        slope1 = wp.cross(e2, n) * (0.5 / area_rest)
        slope2 = wp.cross(n, e1) * (0.5 / area_rest)
        excess = 0.5 * twice / area_rest - 1.0 - mu / bulk + activation[t]
        rate = wp.dot(slope1, u1) + wp.dot(slope2, u2)
        push = (bulk * excess + damp * rate) * area_rest
        f1 = f1 + slope1 * push
        f2 = f2 + slope2 * push
    f0 = -(f1 + f2)
    mean = (v[i] + v[j] + v[k]) / 3.0
    area = 0.5 * twice
    air = mean * (materials[t, 3] * area * wp.abs(wp.dot(n, mean)))
    if materials[t, 4] != 0.0:
        incidence = wp.HALF_PI - wp.acos(wp.clamp(wp.dot(n, wp.normalize(mean)), -1.0, 1.0))
        air = air + n * (materials[t, 4] * area * incidence * wp.dot(mean, mean))
    wp.atomic_sub(f, i, f0 + air)
    wp.atomic_sub(f, j, f1 + air)
    wp.atomic_sub(f, k, f2 + air)


@wp.kernel
def bending_forces(
    x: wp.array(dtype=wp.vec3),
    v: wp.array(dtype=wp.vec3),
    indices: wp.array2d(dtype=int),
    rest_angle: wp.array(dtype=float),
    properties: wp.array2d(dtype=float),
    f: wp.array(dtype=wp.vec3),
):
    """One thread an edge between two triangles: a spring of their angle, scaled by the edge."""
    e = wp.tid()
    i = indices[e, 0]
    j = indices[e, 1]
    k = indices[e, 2]
    m = indices[e, 3]
    if i < 0 or j < 0 or k < 0 or m < 0:
        return
    edge = x[m] - x[k]
    n1 = wp.cross(x[k] - x[i], x[m] - x[i])
    n2 = wp.cross(x[m] - x[j], x[k] - x[j])
    length = wp.length(edge)
    a1 = wp.length(n1)
    a2 = wp.length(n2)
    if length < 1.0e-6 or a1 < 1.0e-6 or a2 < 1.0e-6:
        return
    n1 = n1 / a1
    n2 = n2 / a2
    along = edge / length
    angle = wp.atan2(wp.dot(wp.cross(n1, n2), along), wp.dot(n1, n2))
    # Directions of the angle's gradient, with lengths as those of the edge and the overhangs.
    d1 = -n1 * length
    d2 = -n2 * length
    d3 = -n1 * wp.dot(x[i] - x[m], along) - n2 * wp.dot(x[j] - x[m], along)
    d4 = -n1 * wp.dot(x[k] - x[i], along) - n2 * wp.dot(x[k] - x[j], along)
    rate = wp.dot(d1, v[i]) + wp.dot(d2, v[j]) + wp.dot(d3, v[k]) + wp.dot(d4, v[m])
    torque = -length * (properties[e, 0] * (angle - rest_angle[e]) + properties[e, 1] * rate)
    wp.atomic_add(f, i, d1 * torque)
    wp.atomic_add(f, j, d2 * torque)
    wp.atomic_add(f, k, d3 * torque)
    wp.atomic_add(f, m, d4 * torque)


@wp.kernel
def tetrahedron_forces(
    x: wp.array(dtype=wp.vec3),
    v: wp.array(dtype=wp.vec3),
    indices: wp.array2d(dtype=int),
    pose: wp.array(dtype=wp.mat33),
    activation: wp.array(dtype=float),
    materials: wp.array2d(dtype=float),
    f: wp.array(dtype=wp.vec3),
):
    """One thread a tetrahedron: the stable neo-Hookean solid of Smith et al. (2018), and damping.

    P = mu (1 - 1 / (I + 1)) F + lambda (J - alpha) dJ/dF, with alpha = 1 + 3/4 mu / lambda.
    """
    t = wp.tid()
    i = indices[t, 0]
    j = indices[t, 1]
    k = indices[t, 2]
    m = indices[t, 3]
    D = pose[t]
    volume = 1.0 / (wp.determinant(D) * 6.0)
    mu = materials[t, 0]
    bulk = materials[t, 1]
    damp = materials[t, 2]
    e1 = x[j] - x[i]
    e2 = x[k] - x[i]
    e3 = x[m] - x[i]
    F = wp.matrix_from_cols(e1, e2, e3) * D
    rate = wp.matrix_from_cols(v[j] - v[i], v[k] - v[i], v[m] - v[i]) * D
    square = wp.ddot(F, F)
    P = F * (mu * (1.0 - 1.0 / (square + 1.0))) + rate * damp
    H = P * wp.transpose(D) * volume
    shrink = wp.determinant(D)
    s1 = wp.cross(e2, e3) * shrink
    s2 = wp.cross(e3, e1) * shrink
    s3 = wp.cross(e1, e2) * shrink
    alpha = 1.0 + 0.75 * mu / bulk
    growth = wp.dot(s1, v[j] - v[i]) + wp.dot(s2, v[k] - v[i]) + wp.dot(s3, v[m] - v[i])
    push = (bulk * (wp.determinant(F) - alpha + activation[t]) + damp * growth) * volume
    f1 = wp.vec3(H[0, 0], H[1, 0], H[2, 0]) + s1 * push
    f2 = wp.vec3(H[0, 1], H[1, 1], H[2, 1]) + s2 * push
    f3 = wp.vec3(H[0, 2], H[1, 2], H[2, 2]) + s3 * push
    wp.atomic_add(f, i, f1 + f2 + f3)
    wp.atomic_sub(f, j, f1)
    wp.atomic_sub(f, k, f2)
    wp.atomic_sub(f, m, f3)
