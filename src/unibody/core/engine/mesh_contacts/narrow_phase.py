# ruff: noqa: PLR0913, PLR0917 - kernels take their state as plain arguments
"""What MuJoCo calls for a height field and a convex geom: ``mjCOLLISIONFUNC``.

Pairs in which the height field stands for a triangle mesh, or has the margin of one, are ours; all
others are handed to the function that was there before.
"""

from __future__ import annotations

import math

from unibody.core.engine.mesh_contacts import registry, surface
from unibody.core.engine.mesh_contacts.convex import SPHERE, convex_of
from unibody.core.engine.mesh_contacts.geom_pose import Placed, Reach, Room, make_room, placed
from unibody.core.engine.mesh_contacts.height_field import contacts_over, grid_of, is_solid
from unibody.core.engine.mesh_contacts.struct_fields import CONTACT_SIZE, Fields
from unibody.core.engine.mesh_contacts.touch import contacts_with
from unibody.core.engine.records import rule_table as t
from unibody.core.engine.rules.pair_filter import MESH_MARGIN
from unibody.machine_code.jit import kernel
from unibody.machine_code.pointers import (
    Pointer,
    address_at,
    f64_array,
    i32_array,
    pointer_f64,
    pointer_i64,
    pointer_u8,
)

NOT_OURS = -1
_PREFIX = tuple(registry.PREFIX.encode())
_DIGITS, _SIZE = registry.DIGITS, int(surface.Slot.SIZE)
EARLY = 1.25  # of a step's way: how much farther is looked for what a fast body will hit


@kernel
def record_of(m: int, geom: int, header: int, at: Fields) -> int:
    """Address of the record of the surface that a geom stands for; 0: it is a height field.

    Args:
        m: Address of the mjModel.
        geom: A height field.
        header: See ``registry.header_address``.
        at: Offsets.
    """
    field = i32_array(m, at.m_geom_dataid)[geom]
    if field < 0:
        return 0
    name = pointer_u8(address_at(m, at.m_names) + i32_array(m, at.m_name_hfieldadr)[field])
    count = 0
    for letter in _PREFIX:
        if name[count] != letter:
            return 0
        count += 1
    key = 0
    for k in range(count, count + _DIGITS):
        digit = int(name[k])
        if 48 <= digit <= 57:
            key = 16 * key + digit - 48
        elif 97 <= digit <= 102:
            key = 16 * key + digit - 87
        else:
            return 0
    table, rows = pointer_i64(header)[0], pointer_i64(header)[1]
    for row in range(rows):
        record = table + 8 * _SIZE * row
        if pointer_i64(record)[0] == key:
            return record
    return 0


@kernel
def _cross(
    ax: float, ay: float, az: float, bx: float, by: float, bz: float
) -> tuple[float, float, float]:
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx


@kernel
def _velocity(
    m: int, d: int, body: int, point: Pointer, at: Fields
) -> tuple[float, float, float, float, float, float]:
    """Angular and linear velocity of a body at a point, world frame.

    MuJoCo's own are those of the last step, and in a batch of another world's.
    """
    parent, count = i32_array(m, at.m_body_parentid), i32_array(m, at.m_body_dofnum)
    root = i32_array(m, at.m_body_rootid)[body]
    while body > 0 and count[body] == 0:
        body = parent[body]
    wx = wy = wz = ux = uy = uz = 0.0
    if body == 0:
        return wx, wy, wz, ux, uy, uz
    cdof, qvel = f64_array(d, at.d_cdof), f64_array(d, at.d_qvel)
    before = i32_array(m, at.m_dof_parentid)
    dof = i32_array(m, at.m_body_dofadr)[body] + count[body] - 1
    while dof >= 0:
        speed = qvel[dof]
        wx, wy, wz = (
            wx + cdof[6 * dof] * speed,
            wy + cdof[6 * dof + 1] * speed,
            wz + cdof[6 * dof + 2] * speed,
        )
        ux, uy, uz = (
            ux + cdof[6 * dof + 3] * speed,
            uy + cdof[6 * dof + 4] * speed,
            uz + cdof[6 * dof + 5] * speed,
        )
        dof = before[dof]
    com = f64_array(d, at.d_subtree_com)
    x, y, z = point[0] - com[3 * root], point[1] - com[3 * root + 1], point[2] - com[3 * root + 2]
    vx, vy, vz = _cross(wx, wy, wz, x, y, z)
    return wx, wy, wz, ux + vx, uy + vy, uz + vz


@kernel
def _half_diagonal(m: int, geom: int, at: Fields) -> float:
    """Of the box around a geom [m]."""
    box = f64_array(m, at.m_geom_aabb)
    x, y, z = box[6 * geom + 3], box[6 * geom + 4], box[6 * geom + 5]
    return math.sqrt(x * x + y * y + z * z)


@kernel
def _reach(m: int, d: int, mesh: int, geom: int, margin: float, at: Fields) -> Reach:
    """Which contacts to look for: near ones, and all that the next step could cross."""
    bodies, mat = i32_array(m, at.m_geom_bodyid), f64_array(d, at.d_geom_xmat)
    # seen from the smaller one: of the other much is where nothing can meet
    smaller = mesh if _half_diagonal(m, mesh, at) < _half_diagonal(m, geom, at) else geom
    point = pointer_f64(address_at(d, at.d_geom_xpos) + 24 * smaller)
    wx, wy, wz, vx, vy, vz = _velocity(m, d, bodies[geom], point, at)
    ax, ay, az, bx, by, bz = _velocity(m, d, bodies[mesh], point, at)
    wx, wy, wz, vx, vy, vz = wx - ax, wy - ay, wz - az, vx - bx, vy - by, vz - bz
    dt = EARLY * pointer_f64(m + at.m_opt + at.o_timestep)[0]
    box = f64_array(m, at.m_geom_aabb)
    far = 0.0
    for k in range(3):
        side = abs(box[6 * smaller + k]) + box[6 * smaller + 3 + k]
        far += side * side
    spin = dt * math.sqrt((wx * wx + wy * wy + wz * wz) * far)
    way = dt * math.sqrt(vx * vx + vy * vy + vz * vz)
    o = 9 * geom
    return Reach(
        max(margin - MESH_MARGIN, 0.0),
        dt * (mat[o] * vx + mat[o + 3] * vy + mat[o + 6] * vz),
        dt * (mat[o + 1] * vx + mat[o + 4] * vy + mat[o + 7] * vz),
        dt * (mat[o + 2] * vx + mat[o + 5] * vy + mat[o + 8] * vz),
        min(spin, MESH_MARGIN),
        min(spin + way, MESH_MARGIN) + 2.0 * t.TOUCH,
    )


@kernel
def _place_in(
    m: int, d: int, mesh: int, geom: int, reach: Reach, most: float, at: Fields
) -> Placed:
    """A geom in the frame of another one; its box is widened by how far it reaches."""
    pos, mat = address_at(d, at.d_geom_xpos), address_at(d, at.d_geom_xmat)
    return placed(
        pointer_f64(pos + 24 * mesh), pointer_f64(mat + 72 * mesh),
        pointer_f64(pos + 24 * geom), pointer_f64(mat + 72 * geom),
        pointer_f64(address_at(m, at.m_geom_aabb) + 48 * geom),
        reach.box, max(reach.box, reach.ahead), most,
    )  # fmt: skip


@kernel
def collide(
    m: int, d: int, contacts: int, mesh: int, geom: int, margin: float, limit: float, header: int,
    at: Fields,
) -> int:  # fmt: skip
    """Write the contacts of a triangle mesh and a convex geom.

    Args:
        m: Address of the mjModel.
        d: Address of the mjData, with the poses of geoms.
        contacts: Address of room for 50 of MuJoCo's pre-contacts.
        mesh: The first geom, a height field.
        geom: The second geom.
        margin: Sum of both margins [m].
        limit: Negative: those that matter in the next step; else those up to a distance [m].
        header: See ``registry.header_address``.
        at: Offsets.

    Returns:
        How many; NOT_OURS: the first geom is a height field of another model.
    """
    record = record_of(m, mesh, header, at)
    if record == 0 and f64_array(m, at.m_geom_margin)[mesh] != MESH_MARGIN:
        return NOT_OURS
    if limit < 0.0:
        reach = _reach(m, d, mesh, geom, margin, at)
    else:
        reach = Reach(limit, 0.0, 0.0, 0.0, 0.0, limit)
    convex, room = convex_of(m, geom, at), make_room()
    if record == 0:
        here = _place_in(m, d, mesh, geom, reach, math.inf, at)
        count = contacts_over(grid_of(m, mesh, at), convex, at, here, reach, room, is_solid(m, at))
    else:
        skin = 0.0 if convex.kind == SPHERE else _skin(m, mesh, at)
        reach = Reach(
            reach.ahead + skin, reach.x, reach.y, reach.z, reach.spin + skin, reach.box + skin
        )
        here = _place_in(m, d, mesh, geom, reach, _half_diagonal(m, mesh, at), at)
        count = contacts_with(pointer_i64(record), convex, at, here, reach, room)
        _grow_skin(room, count, skin)
    _to_world(m, d, geom, room, count, at)
    out, found = pointer_f64(contacts), room.found
    for i in range(count):
        row = CONTACT_SIZE * i
        out[row] = found[i, 6]
        for k in range(3):
            out[row + 1 + k] = found[i, k]
            out[row + 4 + k] = found[i, 3 + k]
            out[row + 7 + k] = 0.0
    return count


@kernel
def _skin(m: int, mesh: int, at: Fields) -> float:
    """How much thicker than its triangles a mesh is, on both sides [m]; not for balls (Bullet).

    It is kept as the base of the height field.
    """
    base = f64_array(m, at.m_hfield_size)[4 * i32_array(m, at.m_geom_dataid)[mesh] + 3]
    return base if base > registry.BASE else 0.0


@kernel
def _grow_skin(room: Room, count: int, skin: float) -> None:
    """Let contacts be at the outside of a skin."""
    found = room.found
    for i in range(count):
        found[i, 6] -= skin
        for k in range(3):
            found[i, k] += 0.5 * skin * found[i, 3 + k]


@kernel
def _to_world(m: int, d: int, geom: int, room: Room, count: int, at: Fields) -> None:
    """Turn contacts from the frame of a geom to that of the world."""
    pos, mat = f64_array(d, at.d_geom_xpos), f64_array(d, at.d_geom_xmat)
    found, o = room.found, 9 * geom
    for i in range(count):
        x, y, z = found[i, 0], found[i, 1], found[i, 2]
        u, v, w = found[i, 3], found[i, 4], found[i, 5]
        for k in range(3):
            a, b, c = mat[o + 3 * k], mat[o + 3 * k + 1], mat[o + 3 * k + 2]
            found[i, k] = pos[3 * geom + k] + a * x + b * y + c * z
            found[i, 3 + k] = a * u + b * v + c * w
