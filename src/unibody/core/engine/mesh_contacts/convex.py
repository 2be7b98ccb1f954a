# ruff: noqa: PLR0913, PLR0917 - kernels take their state as plain arguments
"""A convex geom in its own frame: how far it reaches, and the feature it touches with.

A geom is a core and a radius around it: a sphere is a point with a radius, a capsule a segment
with one. The core can be asked for as it is, or drawn in, which a search for a direction needs
where geoms overlap.
"""

from __future__ import annotations

import math
from typing import Any, Final, NamedTuple

import mujoco

from unibody.core.assets.mesh.types import FloatArray
from unibody.core.engine.mesh_contacts.struct_fields import Fields, int64
from unibody.machine_code.jit import kernel
from unibody.machine_code.pointers import address_at, f64_array, i32_array, pointer_f32

_GEOM = mujoco.mjtGeom
SPHERE, CAPSULE = int(_GEOM.mjGEOM_SPHERE), int(_GEOM.mjGEOM_CAPSULE)
ELLIPSOID, CYLINDER = int(_GEOM.mjGEOM_ELLIPSOID), int(_GEOM.mjGEOM_CYLINDER)
BOX, MESH = int(_GEOM.mjGEOM_BOX), int(_GEOM.mjGEOM_MESH)

RIM = 16  # points that stand for the edge of a cylinder's cap
MOST = 32  # points of a feature
FLAT_SIDE = 0.7  # of the cosine to the axis: from here on a cylinder touches with a cap
WHOLE: Final[Any] = int64(-1)  # the level at which a core is as it is
INSET = (0.02, 0.3, 0.9)  # of the smallest half size: how far boxes and cylinders are drawn in
SCALE = (0.998, 0.9, 0.5)  # what stands for it of other geoms


class Convex(NamedTuple):
    """A geom.

    Attributes:
        kind: mjtGeom.
        x: Half sizes of a box, semi-axes of an ellipsoid; of a cylinder, radius, -, half length;
            of a capsule, -, -, half length [m].
        y: See x.
        z: See x.
        radius: Around the core [m].
        vertices: Address of the vertices of a mesh, float32.
        corners: Their number.
        mesh: Number of the mesh.
        model: Address of the mjModel.
    """

    kind: int
    x: float
    y: float
    z: float
    radius: float
    vertices: int
    corners: int
    mesh: int
    model: int


@kernel
def convex_of(m: int, geom: int, at: Fields) -> Convex:
    """The convex geom with a number."""
    kind = i32_array(m, at.m_geom_type)[geom]
    size = f64_array(m, at.m_geom_size)
    x, y, z = size[3 * geom], size[3 * geom + 1], size[3 * geom + 2]
    if kind == SPHERE:
        return Convex(kind, 0.0, 0.0, 0.0, x, 0, 0, 0, m)
    if kind == CAPSULE:
        return Convex(kind, 0.0, 0.0, y, x, 0, 0, 0, m)
    if kind == CYLINDER:
        return Convex(kind, x, x, y, 0.0, 0, 0, 0, m)
    if kind == MESH:
        mesh = int64(i32_array(m, at.m_geom_dataid)[geom])
        first = i32_array(m, at.m_mesh_vertadr)[mesh]
        count = int64(i32_array(m, at.m_mesh_vertnum)[mesh])
        vertices = address_at(m, at.m_mesh_vert) + 12 * first
        return Convex(kind, x, y, z, 0.0, vertices, count, mesh, m)
    return Convex(kind, x, y, z, 0.0, 0, 0, 0, m)


@kernel
def drawn_in(geom: Convex, level: int) -> float:
    """By how much the core of a box or cylinder is smaller at a level that is not WHOLE [m]."""
    return min(geom.x, geom.y, geom.z) * INSET[level]


@kernel
def support(
    geom: Convex, level: int, dx: float, dy: float, dz: float
) -> tuple[float, float, float]:
    """The point of the core that is farthest along a direction.

    Args:
        geom: The geom.
        level: WHOLE: the core as it is; 0, 1, ...: drawn in, more each time.
        dx: The direction, of any length.
        dy: See dx.
        dz: See dx.
    """
    if geom.kind == SPHERE:
        return 0.0, 0.0, 0.0
    inset, scale = 0.0, 1.0
    if level >= 0:
        if geom.kind in (BOX, CYLINDER):
            inset = drawn_in(geom, level)
        else:
            scale = SCALE[level]
    if geom.kind == BOX:
        return (
            math.copysign(geom.x - inset, dx),
            math.copysign(geom.y - inset, dy),
            math.copysign(geom.z - inset, dz),
        )
    if geom.kind == CAPSULE:
        return 0.0, 0.0, math.copysign(scale * geom.z, dz)
    if geom.kind == CYLINDER:
        across = math.sqrt(dx * dx + dy * dy)
        out = (geom.x - inset) / across if across > 0.0 else 0.0
        return out * dx, out * dy, math.copysign(geom.z - inset, dz)
    if geom.kind == ELLIPSOID:
        x, y, z = geom.x * dx, geom.y * dy, geom.z * dz
        length = math.sqrt(x * x + y * y + z * z)
        out = scale / length if length > 0.0 else 0.0
        return out * geom.x * x, out * geom.y * y, out * geom.z * z
    at = 3 * farthest_vertex(geom, dx, dy, dz)
    vertices = pointer_f32(geom.vertices)
    return scale * vertices[at], scale * vertices[at + 1], scale * vertices[at + 2]


@kernel
def farthest_vertex(geom: Convex, dx: float, dy: float, dz: float) -> int:
    """Number of the vertex of a mesh that is farthest along a direction."""
    vertices = pointer_f32(geom.vertices)
    best, found = -math.inf, 0
    for i in range(geom.corners):
        along = vertices[3 * i] * dx + vertices[3 * i + 1] * dy + vertices[3 * i + 2] * dz
        if along > best:
            best, found = along, i
    return found


@kernel
def feature(geom: Convex, at: Fields, dx: float, dy: float, dz: float, out: FloatArray) -> int:
    """The flat side, edge or corner that a core has in a direction.

    Args:
        geom: The geom.
        at: Offsets.
        dx: Unit vector.
        dy: See dx.
        dz: See dx.
        out: (MOST, 3): gets the corners, around the side [m].

    Returns:
        How many corners.
    """
    if geom.kind == BOX:
        return _box_side(geom, dx, dy, dz, out)
    if geom.kind == CAPSULE:
        out[0, 0], out[0, 1], out[0, 2] = 0.0, 0.0, geom.z
        out[1, 0], out[1, 1], out[1, 2] = 0.0, 0.0, -geom.z
        return 2
    if geom.kind == CYLINDER:
        return _cylinder_side(geom, dx, dy, dz, out)
    if geom.kind == MESH:
        return _mesh_side(geom, at, dx, dy, dz, out)
    out[0, 0], out[0, 1], out[0, 2] = support(geom, WHOLE, dx, dy, dz)
    return 1


@kernel
def _box_side(geom: Convex, dx: float, dy: float, dz: float, out: FloatArray) -> int:
    x, y, z = geom.x, geom.y, geom.z
    if abs(dx) >= abs(dy) and abs(dx) >= abs(dz):
        for k, (s, t) in enumerate(((1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0))):
            out[k, 0], out[k, 1], out[k, 2] = math.copysign(x, dx), s * y, t * z
    elif abs(dy) >= abs(dz):
        for k, (s, t) in enumerate(((1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0))):
            out[k, 0], out[k, 1], out[k, 2] = s * x, math.copysign(y, dy), t * z
    else:
        for k, (s, t) in enumerate(((1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0))):
            out[k, 0], out[k, 1], out[k, 2] = s * x, t * y, math.copysign(z, dz)
    return 4


@kernel
def _cylinder_side(geom: Convex, dx: float, dy: float, dz: float, out: FloatArray) -> int:
    across = math.sqrt(dx * dx + dy * dy)
    # the direction of the lowest point, or any where a cap lies flat
    cx, cy = (dx / across, dy / across) if across > 1e-6 else (1.0, 0.0)
    if abs(dz) <= FLAT_SIDE:
        for k in range(2):
            out[k, 0], out[k, 1] = geom.x * cx, geom.x * cy
            out[k, 2] = geom.z if k == 0 else -geom.z
        return 2
    for k in range(RIM):
        c, s = math.cos(2.0 * math.pi * k / RIM), math.sin(2.0 * math.pi * k / RIM)
        out[k, 0], out[k, 1] = geom.x * (c * cx - s * cy), geom.x * (s * cx + c * cy)
        out[k, 2] = math.copysign(geom.z, dz)
    return RIM


@kernel
def _mesh_side(geom: Convex, at: Fields, dx: float, dy: float, dz: float, out: FloatArray) -> int:
    """The face of a hull at its farthest corner that points along a direction most."""
    m, corner = geom.model, farthest_vertex(geom, dx, dy, dz)
    vertices = pointer_f32(geom.vertices)
    first = i32_array(m, at.m_mesh_vertadr)[geom.mesh]
    normals = f64_array(m, at.m_mesh_polynormal)
    face0 = i32_array(m, at.m_mesh_polyadr)[geom.mesh]
    best, face = -2.0, -1
    begin = i32_array(m, at.m_mesh_polymapadr)[first + corner]
    for i in range(begin, begin + i32_array(m, at.m_mesh_polymapnum)[first + corner]):
        k = face0 + i32_array(m, at.m_mesh_polymap)[i]
        along = normals[3 * k] * dx + normals[3 * k + 1] * dy + normals[3 * k + 2] * dz
        if along > best:
            best, face = along, k
    if face < 0:
        for k in range(3):
            out[0, k] = vertices[3 * corner + k]
        return 1
    count = i32_array(m, at.m_mesh_polyvertnum)[face]
    corners = i32_array(m, at.m_mesh_polyvert)
    begin = i32_array(m, at.m_mesh_polyvertadr)[face]
    used = min(count, MOST)
    for i in range(used):
        v = corners[begin + i * count // used]
        for k in range(3):
            out[i, k] = vertices[3 * v + k]
    return used
