# ruff: noqa: PLR0913, PLR0917 - kernels take their state as plain arguments
"""The contacts of one convex geom with the triangles near it, compiled by numba.

A triangle is a thin shell that is hit from both sides. The direction of a contact is that between
the closest points of the triangle and the core of the geom; where that points across an edge to a
neighbour which is nearer still, the contact is the neighbour's, or lies on the face. All in the
frame of the geom.
"""

from __future__ import annotations

import math

import numpy as np

from unibody.core.assets.mesh.types import FloatArray
from unibody.core.engine.mesh_contacts import surface
from unibody.core.engine.mesh_contacts.clip import (
    ROOM,
    axes_across,
    is_steep,
    over_triangle,
    under_side,
)
from unibody.core.engine.mesh_contacts.contact_reduction import MOST_FOUND, reduce_contacts
from unibody.core.engine.mesh_contacts.convex import (
    BOX,
    SPHERE,
    WHOLE,
    Convex,
    drawn_in,
    feature,
    support,
)
from unibody.core.engine.mesh_contacts.directions import (
    ALONG_FACE,
    direction,
    direction_met,
    separation,
)
from unibody.core.engine.mesh_contacts.geom_pose import SEEN, Placed, Reach, Room
from unibody.core.engine.mesh_contacts.struct_fields import Fields, int64
from unibody.machine_code.jit import inlined, kernel
from unibody.machine_code.pointers import (
    Pointer,
    pointer_f64,
    pointer_i32,
)

_LEAF = surface.LEAF
_FACES, _COUNT = int(surface.Slot.FACES), int(surface.Slot.COUNT)
_VERTICES, _NORMALS = int(surface.Slot.VERTICES), int(surface.Slot.NORMALS)
_ACROSS, _LEAVES = int(surface.Slot.ACROSS), int(surface.Slot.LEAVES)
_RING_START, _RING = int(surface.Slot.RING_START), int(surface.Slot.RING)
_TREE = int(surface.Slot.TREE)
_DEPTH = 64  # more than the levels of any tree
_SHARE = 1e-9  # of a corner in a point that does not lie on the opposite edge
_ACROSS_EDGE = 1e-5  # cosine: a neighbour that rises less than this is not nearer
_LEVEL = 1e-12  # of the size: corners as low as another but for this are at one height
_SLACK = 1e-7  # of the size, of distances along two directions that should agree
_LARGER = 1.0 + 1e-9  # square of how much larger than a mesh a box has to be to count as larger
WORSE = 0.01  # of the size: a direction that separates less than the face's by this is not right


@kernel
def _is_node_apart(tree: Pointer, b: int, here: Placed) -> bool:
    """Whether a side of a geom's own box has all of a node of the tree outside.

    A large ground below a mesh that is turned holds all of the mesh in the box of the mesh's axes.
    """
    turn = here.turn
    x = 0.5 * (tree[b] + tree[b + 3]) - here.place[0]
    y = 0.5 * (tree[b + 1] + tree[b + 4]) - here.place[1]
    z = 0.5 * (tree[b + 2] + tree[b + 5]) - here.place[2]
    hx, hy, hz = tree[b + 3] - tree[b], tree[b + 4] - tree[b + 1], tree[b + 5] - tree[b + 2]
    for k in range(3):
        i, j, n = turn[k], turn[3 + k], turn[6 + k]
        centre = i * x + j * y + n * z
        half = 0.5 * (abs(i) * hx + abs(j) * hy + abs(n) * hz)
        if centre - half > here.own_high[k] or centre + half < here.own_low[k]:
            return True
    return False


@kernel
def _is_apart(t: FloatArray, here: Placed) -> bool:
    """The same of a triangle in the frame of the geom."""
    for k in range(3):
        x, y, z = t[k], t[3 + k], t[6 + k]
        if min(x, y, z) > here.own_high[k] or max(x, y, z) < here.own_low[k]:
            return True
    return False


@kernel
def contacts_with(
    record: Pointer, geom: Convex, at: Fields, here: Placed, reach: Reach, room: Room
) -> int:
    """Find the contacts of a geom with a surface.

    Args:
        record: Of the surface, see ``surface.Slot``.
        geom: The convex geom.
        at: Offsets.
        here: Where the geom is.
        reach: What to look for.
        room: Its ``found`` gets the contacts, in the frame of the geom; normals point to the geom.

    Returns:
        How many.
    """
    tree, leaves, faces = pointer_f64(record[_TREE]), record[_LEAVES], record[_COUNT]
    stack = np.empty(_DEPTH, dtype=np.int64)
    stack[0], waiting, count = 0, 1, int64(0)  # not literals: numba would compile for each
    lx, ly, lz = here.low[0], here.low[1], here.low[2]
    hx, hy, hz = here.high[0], here.high[1], here.high[2]
    while waiting:
        waiting -= 1
        node = stack[waiting]
        b = 6 * node
        if tree[b] > hx or tree[b + 3] < lx or tree[b + 1] > hy or tree[b + 4] < ly:
            continue
        if tree[b + 2] > hz or tree[b + 5] < lz or _is_node_apart(tree, b, here):
            continue
        if node < leaves - 1:
            stack[waiting], stack[waiting + 1] = 2 * node + 2, 2 * node + 1
            waiting += 2
            continue
        first = _LEAF * (node - leaves + 1)
        for face in range(first, min(first + _LEAF, faces)):
            if load(record, face, here, room.triangle) and not _is_apart(room.triangle, here):
                if count + ROOM >= MOST_FOUND:
                    count = reduce_contacts(room.found, count, here.size)
                made = _over_side(record, face, geom, here, reach, room, count)
                if made < 0:
                    made = touch(record, face, geom, at, here, reach, room, count)
                count = made
    return reduce_contacts(room.found, count, here.size)


@kernel
def load(record: Pointer, face: int, here: Placed, t: FloatArray) -> bool:
    """Read a triangle into the frame of the geom, unless its box is apart from the geom's."""
    faces, vertices = pointer_i32(record[_FACES]), pointer_f64(record[_VERTICES])
    a, b, c = 3 * faces[3 * face], 3 * faces[3 * face + 1], 3 * faces[3 * face + 2]
    for k in range(3):
        x, y, z = vertices[a + k], vertices[b + k], vertices[c + k]
        if min(x, y, z) > here.high[k] or max(x, y, z) < here.low[k]:
            return False
    for n in range(3):
        v = 3 * faces[3 * face + n]
        x = vertices[v] - here.place[0]
        y = vertices[v + 1] - here.place[1]
        z = vertices[v + 2] - here.place[2]
        for k in range(3):
            t[3 * n + k] = here.turn[k] * x + here.turn[3 + k] * y + here.turn[6 + k] * z
    return True


@inlined
def _limit(reach: Reach, x: float, y: float, z: float) -> float:
    """Distance up to which a contact with a normal is kept."""
    return max(reach.ahead, reach.spin - reach.x * x - reach.y * y - reach.z * z)


@kernel
def _side_under(geom: Convex, t: FloatArray) -> int:
    """The side of a box that all of a triangle is over: 2 * axis, one more for the lower side.

    Returns:
        -1: there is none, or the triangle is deeper in than the core.
    """
    inset = drawn_in(geom, WHOLE + 1)
    for k in range(3):
        half = (geom.x, geom.y, geom.z)[k] - inset
        low, high = min(t[k], t[3 + k], t[6 + k]), max(t[k], t[3 + k], t[6 + k])
        if -half < low and high < half:
            continue
        i, j = (k + 1) % 3, (k + 2) % 3
        across, along = (geom.x, geom.y, geom.z)[i] - inset, (geom.x, geom.y, geom.z)[j] - inset
        if max(abs(t[i]), abs(t[3 + i]), abs(t[6 + i])) > across:
            return -1
        if max(abs(t[j]), abs(t[3 + j]), abs(t[6 + j])) > along:
            return -1
        if low >= half:
            return 2 * k
        return 2 * k + 1 if high <= -half else -1
    return -1


@kernel
def _over_side(
    record: Pointer, face: int, geom: Convex, here: Placed, reach: Reach, room: Room, count: int
) -> int:
    """What `touch` finds for a triangle over one side of a box that is larger than the mesh.

    The direction is that of the side then, and what touches are corners. Each has one contact,
    however many triangles meet there: a mesh that lies on a large box has thousands of them.

    Returns:
        The new number; -1: it is not so, or the triangle is almost at a right angle to the side.
    """
    size = geom.x * geom.x + geom.y * geom.y + geom.z * geom.z
    if geom.kind != BOX or size <= _LARGER * here.size * here.size:
        return -1
    t = room.triangle
    side = _side_under(geom, t)
    if side < 0:
        return -1
    k, sign = side // 2, 1.0 - 2.0 * (side % 2)
    nx = -sign if k == 0 else 0.0
    ny = -sign if k == 1 else 0.0
    nz = -sign if k == 2 else 0.0
    half = (geom.x, geom.y, geom.z)[k]
    a, b, c = sign * t[k] - half, sign * t[3 + k] - half, sign * t[6 + k] - half
    lowest, limit = min(a, b, c), _limit(reach, nx, ny, nz)
    if lowest > limit:
        return count
    normals, o = pointer_f64(record[_NORMALS]), 3 * face
    cosine = -sign * (
        here.turn[k] * normals[o] + here.turn[3 + k] * normals[o + 1]
        + here.turn[6 + k] * normals[o + 2]
    )  # fmt: skip
    if is_steep(cosine):
        return -1
    if abs(cosine) <= 1.0 - ALONG_FACE:
        near = room.near
        level = lowest + _LEVEL * here.size
        ends = (1.0 if a <= level else 0.0) + (1.0 if b <= level else 0.0)
        share = 1.0 / (ends + (1.0 if c <= level else 0.0))
        near[6] = share if a <= level else 0.0
        near[7] = share if b <= level else 0.0
        near[8] = share if c <= level else 0.0
        if share > 0.4 and not _is_lowest(record, face, here, near, nx, ny, nz):
            return count
    faces, seen, made = pointer_i32(record[_FACES]), room.seen, count
    for n in range(3):
        distance = sign * t[3 * n + k] - half
        key = 8 * int64(faces[3 * face + n]) + side
        slot = (key >> 3) & (SEEN - 1)
        if distance <= limit and seen[slot] != key:
            seen[slot] = key
            base = (t[3 * n], t[3 * n + 1], t[3 * n + 2])
            _write(room.found, made, base, (nx, ny, nz), distance)
            made += 1
    return made


@kernel
def touch(
    record: Pointer, face: int, geom: Convex, at: Fields, here: Placed, reach: Reach, room: Room,
    count: int,
) -> int:  # fmt: skip
    """Add the contacts with the triangle that is loaded; returns the new number."""
    t = room.triangle
    normals = pointer_f64(record[_NORMALS])
    u, v, w = normals[3 * face], normals[3 * face + 1], normals[3 * face + 2]
    turn = here.turn
    fx = turn[0] * u + turn[3] * v + turn[6] * w
    fy = turn[1] * u + turn[4] * v + turn[7] * w
    fz = turn[2] * u + turn[5] * v + turn[8] * w
    height = fx * t[0] + fy * t[1] + fz * t[2]
    px, py, pz = support(geom, WHOLE, fx, fy, fz)
    below = height - (fx * px + fy * py + fz * pz + geom.radius)
    px, py, pz = support(geom, WHOLE, -fx, -fy, -fz)
    above = fx * px + fy * py + fz * pz - geom.radius - height
    if above > _limit(reach, fx, fy, fz) or below > _limit(reach, -fx, -fy, -fz):
        return count
    length = direction(geom, room)
    near = room.near
    if length > 0.0 and length > max(reach.ahead, reach.spin):
        length = direction_met(geom, room, reach, length, (fx, fy, fz))
        if length < 0.0:
            return count
    if length > 0.0:
        nx, ny, nz = near[0] / length, near[1] / length, near[2] / length
    else:
        nx, ny, nz = fx, fy, fz
    cosine = nx * fx + ny * fy + nz * fz
    sign = 1.0 if cosine > 0.0 or (cosine == 0.0 and height < 0.0) else -1.0
    face_distance = above if sign > 0.0 else below
    on_face = abs(cosine) > 1.0 - ALONG_FACE or min(near[6], near[7], near[8]) > _SHARE
    lowest = on_face or _is_lowest(record, face, here, near, nx, ny, nz)
    if on_face:
        nx, ny, nz = sign * fx, sign * fy, sign * fz
    elif not lowest and geom.kind == SPHERE:
        return count
    distance = separation(geom, t, nx, ny, nz)
    if distance > _limit(reach, nx, ny, nz):
        return count
    floor = -math.inf
    if not lowest or face_distance > distance + WORSE * here.size:
        # The contact lies on the face; what is deeper there overlaps sideways less, and is the
        # neighbour's.
        lowest, floor = False, distance - _SLACK * here.size
        nx, ny, nz = sign * fx, sign * fy, sign * fz
        if face_distance > _limit(reach, nx, ny, nz):
            return count
    if geom.kind != SPHERE:
        across = (nx, ny, nz, floor)
        made = _spread(geom, at, reach, room, across, (fx, fy, fz), height, count)
        if made != count or not lowest:
            return max(made, count)
    x = near[6] * t[0] + near[7] * t[3] + near[8] * t[6]
    y = near[6] * t[1] + near[7] * t[4] + near[8] * t[7]
    z = near[6] * t[2] + near[7] * t[5] + near[8] * t[8]
    _write(room.found, count, (x, y, z), (nx, ny, nz), distance)
    return count + 1


@kernel
def _write(
    found: FloatArray, row: int, base: tuple[float, float, float],
    normal: tuple[float, float, float], distance: float,
) -> None:  # fmt: skip
    """Write a contact over a point of the triangle."""
    for k in range(3):
        found[row, k] = base[k] + 0.5 * distance * normal[k]
        found[row, 3 + k] = normal[k]
    found[row, 6], found[row, 7] = distance, 0.0


@kernel
def _is_lowest(
    record: Pointer, face: int, here: Placed, near: FloatArray, nx: float, ny: float, nz: float
) -> bool:
    """Whether no neighbour rises towards the geom from a point on an edge or corner of a face."""
    faces, vertices = pointer_i32(record[_FACES]), pointer_f64(record[_VERTICES])
    turn = here.turn
    x = turn[0] * nx + turn[1] * ny + turn[2] * nz
    y = turn[3] * nx + turn[4] * ny + turn[5] * nz
    z = turn[6] * nx + turn[7] * ny + turn[8] * nz
    bx = by = bz = 0.0
    involved, missing, corner = 0, 0, 0
    for n in range(3):
        v = faces[3 * face + n]
        share = near[6 + n]
        if share > _SHARE:
            involved, corner = involved + 1, v
        else:
            missing = n
        bx += share * vertices[3 * v]
        by += share * vertices[3 * v + 1]
        bz += share * vertices[3 * v + 2]
    if involved == 2:  # the edge opposite to the corner that is missing
        other = pointer_i32(record[_ACROSS])[3 * face + (missing + 1) % 3]
        return other < 0 or not _rises(vertices, other, (bx, by, bz), (x, y, z))
    start, ring = pointer_i32(record[_RING_START]), pointer_i32(record[_RING])
    for i in range(start[corner], start[corner + 1]):
        if _rises(vertices, ring[i], (bx, by, bz), (x, y, z)):
            return False
    return True


@kernel
def _rises(
    vertices: Pointer, v: int, base: tuple[float, float, float],
    normal: tuple[float, float, float],
) -> bool:  # fmt: skip
    x, y, z = (
        vertices[3 * v] - base[0],
        vertices[3 * v + 1] - base[1],
        vertices[3 * v + 2] - base[2],
    )
    up = x * normal[0] + y * normal[1] + z * normal[2]
    return up > _ACROSS_EDGE * math.sqrt(x * x + y * y + z * z)


@kernel
def _spread(
    geom: Convex, at: Fields, reach: Reach, room: Room, across: tuple[float, float, float, float],
    own: tuple[float, float, float], height: float, count: int,
) -> int:  # fmt: skip
    """Add the contacts of the geom's side over the triangle.

    Args:
        geom: The geom.
        at: Offsets.
        reach: What to look for.
        room: Memory.
        across: Normal of the contacts, and their least distance.
        own: The triangle's normal.
        height: Of the triangle along its normal.
        count: Contacts so far.

    Returns:
        The new number; -1: side and triangle overlap, but nothing is within reach.
    """
    nx, ny, nz, floor = across
    limit = _limit(reach, nx, ny, nz)
    ux, uy, uz, vx, vy, vz = axes_across(nx, ny, nz)
    side, flat, t = room.side, room.flat, room.triangle
    corners = feature(geom, at, -nx, -ny, -nz, side)
    for i in range(corners):
        x, y, z = side[i, 0], side[i, 1], side[i, 2]
        side[i, 0] = ux * x + uy * y + uz * z
        side[i, 1] = vx * x + vy * y + vz * z
        side[i, 2] = nx * x + ny * y + nz * z
    for i in range(3):
        x, y, z = t[3 * i], t[3 * i + 1], t[3 * i + 2]
        flat[i, 0] = ux * x + uy * y + uz * z
        flat[i, 1] = vx * x + vy * y + vz * z
        flat[i, 2] = nx * x + ny * y + nz * z
    cosine = nx * own[0] + ny * own[1] + nz * own[2]
    if not is_steep(cosine):
        slope = (
            height / cosine,
            -(own[0] * ux + own[1] * uy + own[2] * uz) / cosine,
            -(own[0] * vx + own[1] * vy + own[2] * vz) / cosine,
        )
        rows = over_triangle(side, corners, flat, slope, room.other, room.over)
    elif corners > 2:
        low = 0
        for i in range(1, 3):
            low = i if flat[i, 2] < flat[low, 2] else low
        edge = room.other  # the triangle's two upper corners
        for k in range(3):
            edge[0, k], edge[1, k] = flat[(low + 1) % 3, k], flat[(low + 2) % 3, k]
        rows = _edge_rows(room, corners)
    else:
        rows = 0
    over, made = room.over, count
    for i in range(rows):
        distance = over[i, 2] - geom.radius - over[i, 3]
        if floor <= distance <= limit and made < MOST_FOUND:
            x, y, h = over[i, 0], over[i, 1], over[i, 3]
            base = (
                ux * x + vx * y + nx * h, uy * x + vy * y + ny * h, uz * x + vz * y + nz * h
            )  # fmt: skip
            _write(room.found, made, base, (nx, ny, nz), distance)
            made += 1
    return -1 if rows and made == count else made


@kernel
def _edge_rows(room: Room, corners: int) -> int:
    """The triangle's edge, in ``room.other``, under the side."""
    spare = np.empty((4, 3))
    return under_side(room.side, corners, room.other, spare, room.over)
