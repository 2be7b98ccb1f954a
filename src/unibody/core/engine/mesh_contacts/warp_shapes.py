# pyright: basic, reportInvalidTypeForm=false
"""Convex geoms on a Warp device: see ``convex``, whose second execution this is."""

from __future__ import annotations

from typing import Any

import warp as wp

from unibody.core.engine.mesh_contacts import convex

SPHERE: int = wp.constant(convex.SPHERE)
CAPSULE: int = wp.constant(convex.CAPSULE)
ELLIPSOID: int = wp.constant(convex.ELLIPSOID)
CYLINDER: int = wp.constant(convex.CYLINDER)
BOX: int = wp.constant(convex.BOX)
MESH: int = wp.constant(convex.MESH)
RIM: int = wp.constant(convex.RIM)
MOST: int = wp.constant(convex.MOST)
FLAT_SIDE: float = wp.constant(convex.FLAT_SIDE)
WHOLE: int = wp.constant(int(convex.WHOLE))
INSET: wp.vec3 = wp.constant(wp.vec3(*convex.INSET))
SCALE: wp.vec3 = wp.constant(wp.vec3(*convex.SCALE))
UPRIGHT: float = wp.constant(1e-6)
FULL_TURN: float = wp.constant(6.283185307179586)


@wp.struct
class Hulls:
    """The convex meshes of a model, as mujoco-warp has them."""

    first: wp.array(dtype=int)
    count: wp.array(dtype=int)
    vertices: wp.array(dtype=wp.vec3)
    face: wp.array(dtype=int)
    normals: wp.array(dtype=wp.vec3)
    corner_first: wp.array(dtype=int)
    corner_count: wp.array(dtype=int)
    corners: wp.array(dtype=int)
    faces_first: wp.array(dtype=int)
    faces_count: wp.array(dtype=int)
    faces: wp.array(dtype=int)


@wp.struct
class Shape:
    """A geom in its own frame: a core and a radius around it."""

    kind: int
    half: wp.vec3
    radius: float
    mesh: int
    first: int
    count: int


def hulls_of(m: Any) -> Any:
    """The convex meshes of an mjw Model."""
    hulls = Hulls()
    hulls.first, hulls.count = m.mesh_vertadr, m.mesh_vertnum
    hulls.vertices = m.mesh_vert
    hulls.face, hulls.normals = m.mesh_polyadr, m.mesh_polynormal
    hulls.corner_first, hulls.corner_count = m.mesh_polyvertadr, m.mesh_polyvertnum
    hulls.corners = m.mesh_polyvert
    hulls.faces_first, hulls.faces_count = m.mesh_polymapadr, m.mesh_polymapnum
    hulls.faces = m.mesh_polymap
    return hulls


@wp.func
def shape_of(kind: int, size: wp.vec3, mesh: int, hulls: Hulls) -> Shape:
    """The geom with a size."""
    shape = Shape()
    shape.kind = kind
    shape.half = size
    shape.mesh = mesh
    if kind == SPHERE:
        shape.half = wp.vec3()
        shape.radius = size[0]
    elif kind == CAPSULE:
        shape.half = wp.vec3(0.0, 0.0, size[1])
        shape.radius = size[0]
    elif kind == CYLINDER:
        shape.half = wp.vec3(size[0], size[0], size[1])
    elif kind == MESH:
        shape.first = hulls.first[mesh]
        shape.count = hulls.count[mesh]
    return shape


@wp.func
def _towards(length: float, direction: float) -> float:
    return wp.where(direction < 0.0, -length, length)


@wp.func
def _farthest_vertex(shape: Shape, hulls: Hulls, d: wp.vec3) -> int:
    best = float(-1e30)
    found = int(0)
    for i in range(shape.count):
        along = wp.dot(hulls.vertices[shape.first + i], d)
        if along > best:
            best = along
            found = i
    return found


@wp.func
def support(shape: Shape, hulls: Hulls, level: int, d: wp.vec3) -> wp.vec3:
    """The point of the core that is farthest along a direction of any length.

    The core is as it is (``WHOLE``) or drawn in, more with each level from 0 on.
    """
    if shape.kind == SPHERE:
        return wp.vec3()
    inset = float(0.0)
    scale = float(1.0)
    h = shape.half
    if level >= 0:
        if shape.kind == BOX or shape.kind == CYLINDER:
            inset = wp.min(h[0], wp.min(h[1], h[2])) * INSET[level]
        else:
            scale = SCALE[level]
    if shape.kind == BOX:
        return wp.vec3(
            _towards(h[0] - inset, d[0]),
            _towards(h[1] - inset, d[1]),
            _towards(h[2] - inset, d[2]),
        )
    if shape.kind == CAPSULE:
        return wp.vec3(0.0, 0.0, _towards(scale * h[2], d[2]))
    if shape.kind == CYLINDER:
        across = wp.sqrt(d[0] * d[0] + d[1] * d[1])
        out = float(0.0)
        if across > 0.0:
            out = (h[0] - inset) / across
        return wp.vec3(out * d[0], out * d[1], _towards(h[2] - inset, d[2]))
    if shape.kind == ELLIPSOID:
        along = wp.cw_mul(h, d)
        length = wp.length(along)
        if length == 0.0:
            return wp.vec3()
        return (scale / length) * wp.cw_mul(h, along)
    return scale * hulls.vertices[shape.first + _farthest_vertex(shape, hulls, d)]


@wp.func
def _box_side(shape: Shape, d: wp.vec3, out: wp.array(dtype=wp.vec3)) -> int:
    h = shape.half
    x, y, z = wp.abs(d[0]), wp.abs(d[1]), wp.abs(d[2])
    for n in range(4):
        s = wp.where(n == 1 or n == 2, -1.0, 1.0)
        u = wp.where(n >= 2, -1.0, 1.0)
        if x >= y and x >= z:
            out[n] = wp.vec3(_towards(h[0], d[0]), s * h[1], u * h[2])
        elif y >= z:
            out[n] = wp.vec3(s * h[0], _towards(h[1], d[1]), u * h[2])
        else:
            out[n] = wp.vec3(s * h[0], u * h[1], _towards(h[2], d[2]))
    return 4


@wp.func
def _cylinder_side(shape: Shape, d: wp.vec3, out: wp.array(dtype=wp.vec3)) -> int:
    h = shape.half
    across = wp.sqrt(d[0] * d[0] + d[1] * d[1])
    cx = float(1.0)
    cy = float(0.0)
    if across > UPRIGHT:
        cx = d[0] / across
        cy = d[1] / across
    if wp.abs(d[2]) <= FLAT_SIDE:
        out[0] = wp.vec3(h[0] * cx, h[0] * cy, h[2])
        out[1] = wp.vec3(h[0] * cx, h[0] * cy, -h[2])
        return 2
    for n in range(RIM):
        c = wp.cos(FULL_TURN * float(n) / float(RIM))
        s = wp.sin(FULL_TURN * float(n) / float(RIM))
        out[n] = wp.vec3(h[0] * (c * cx - s * cy), h[0] * (s * cx + c * cy), _towards(h[2], d[2]))
    return RIM


@wp.func
def _mesh_side(shape: Shape, hulls: Hulls, d: wp.vec3, out: wp.array(dtype=wp.vec3)) -> int:
    corner = shape.first + _farthest_vertex(shape, hulls, d)
    best = float(-2.0)
    face = int(-1)
    begin = hulls.faces_first[corner]
    for i in range(begin, begin + hulls.faces_count[corner]):
        other = hulls.face[shape.mesh] + hulls.faces[i]
        along = wp.dot(hulls.normals[other], d)
        if along > best:
            best = along
            face = other
    if face < 0:
        out[0] = hulls.vertices[corner]
        return 1
    count = hulls.corner_count[face]
    used = wp.min(count, MOST)
    for i in range(used):
        v = hulls.corners[hulls.corner_first[face] + i * count / used]
        out[i] = hulls.vertices[shape.first + v]
    return used


@wp.func
def feature(shape: Shape, hulls: Hulls, d: wp.vec3, out: wp.array(dtype=wp.vec3)) -> int:
    """The corners, to ``out``, of the side, edge or corner that a core has in a direction."""
    if shape.kind == BOX:
        return _box_side(shape, d, out)
    if shape.kind == CAPSULE:
        out[0] = wp.vec3(0.0, 0.0, shape.half[2])
        out[1] = wp.vec3(0.0, 0.0, -shape.half[2])
        return 2
    if shape.kind == CYLINDER:
        return _cylinder_side(shape, d, out)
    if shape.kind == MESH:
        return _mesh_side(shape, hulls, d, out)
    out[0] = support(shape, hulls, WHOLE, d)
    return 1
