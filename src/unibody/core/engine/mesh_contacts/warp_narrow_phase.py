# pyright: basic, reportInvalidTypeForm=false
"""The contacts of terrain on a Warp device: see ``narrow_phase`` and ``height_field``.

mujoco-warp has no contacts of its own with the height fields that these kernels are for. They add
to its list, between its narrow phase and its constraints.
"""

from __future__ import annotations

import warp as wp
from mujoco_warp._src.collision_core import write_contact
from mujoco_warp._src.types import vec5

from unibody.core.engine.mesh_contacts import narrow_phase, surface
from unibody.core.engine.mesh_contacts import warp_surface as on
from unibody.core.engine.mesh_contacts.clip import ROOM
from unibody.core.engine.mesh_contacts.warp_contact_reduction import reduce_contacts
from unibody.core.engine.mesh_contacts.warp_shapes import (
    SPHERE,
    WHOLE,
    Hulls,
    Shape,
    shape_of,
    support,
)
from unibody.core.engine.mesh_contacts.warp_touch import DOWN, FOUND, Reach, Room, touch
from unibody.core.engine.records.rule_table import SOLIMP
from unibody.core.engine.rules import pair_filter

MARGIN: float = wp.constant(pair_filter.MESH_MARGIN)
EARLY: float = wp.constant(narrow_phase.EARLY)
LEAF: int = wp.constant(surface.LEAF)
GAINED: int = wp.constant(ROOM)  # contacts of a triangle, at most
IMPEDANCE = wp.constant(vec5(*SOLIMP))
DEPTH = 64  # more than the levels of any tree


class stack(wp.types.vector(length=DEPTH, dtype=wp.int32)):  # noqa: N801, D101 - a Warp type
    pass


@wp.struct
class Geoms:
    """The geoms of all worlds."""

    kind: wp.array(dtype=int)
    mesh: wp.array2d(dtype=int)
    body: wp.array(dtype=int)
    root: wp.array(dtype=int)  # of each body
    dim: wp.array(dtype=int)
    size: wp.array2d(dtype=wp.vec3)
    box: wp.array3d(dtype=wp.vec3)
    margin: wp.array2d(dtype=float)
    timestep: wp.array(dtype=float)
    pos: wp.array2d(dtype=wp.vec3)
    mat: wp.array2d(dtype=wp.mat33)
    cvel: wp.array2d(dtype=wp.spatial_vector)
    centre: wp.array2d(dtype=wp.vec3)


@wp.struct
class Pairs:
    """Geoms that may touch a surface, and of those the ones that are near it now."""

    geoms: wp.array(dtype=int)
    near: wp.array(dtype=wp.vec2i)  # world and geom
    count: wp.array(dtype=int)


@wp.struct
class Out:
    """mujoco-warp's list of contacts."""

    most: int
    count: wp.array(dtype=int)
    dist: wp.array(dtype=float)
    pos: wp.array(dtype=wp.vec3)
    frame: wp.array(dtype=wp.mat33)
    margin: wp.array(dtype=float)
    friction: wp.array(dtype=vec5)
    solref: wp.array(dtype=wp.vec2)
    solreffriction: wp.array(dtype=wp.vec2)
    solimp: wp.array(dtype=vec5)
    dim: wp.array(dtype=int)
    geom: wp.array(dtype=wp.vec2i)
    row: wp.array2d(dtype=int)
    world: wp.array(dtype=int)
    kind: wp.array(dtype=int)
    number: wp.array(dtype=int)
    adhesion: wp.array(dtype=float)


@wp.func
def _margin(g: Geoms, w: int, geom: int) -> float:
    return g.margin[w % g.margin.shape[0], geom]


@wp.func
def _velocity(g: Geoms, w: int, body: int, point: wp.vec3) -> wp.spatial_vector:
    """Angular and linear velocity of a body at a point, in the world's axes."""
    v = g.cvel[w, body]
    spin = wp.spatial_top(v)
    arm = point - g.centre[w, g.root[body]]
    return wp.spatial_vector(spin, wp.spatial_bottom(v) + wp.cross(spin, arm))


@wp.func
def _reach(g: Geoms, s: on.Surface, w: int, geom: int) -> Reach:
    """Near contacts, and all that the next step could cross."""
    reach = Reach()
    point = g.pos[w, geom]
    v = _velocity(g, w, g.body[geom], point) - _velocity(g, w, g.body[s.geom], point)
    dt = EARLY * g.timestep[w % g.timestep.shape[0]]
    boxes = w % g.box.shape[0]
    side = wp.vec3()
    for k in range(3):
        side[k] = wp.abs(g.box[boxes, geom, 0][k]) + g.box[boxes, geom, 1][k]
    spin = dt * wp.length(wp.spatial_top(v)) * wp.length(side)
    velocity = wp.spatial_bottom(v)
    skin = s.skin
    if g.kind[geom] == SPHERE:
        skin = 0.0
    reach.ahead = wp.max(_margin(g, w, geom) + _margin(g, w, s.geom) - MARGIN, 0.0) + skin
    reach.way = dt * (wp.transpose(g.mat[w, geom]) @ velocity)
    reach.spin = wp.min(spin, MARGIN) + skin
    reach.box = wp.min(spin + dt * wp.length(velocity), MARGIN) + skin
    return reach


@wp.func
def _placed(g: Geoms, s: on.Surface, w: int, geom: int, margin: float) -> on.Placed:
    here = on.Placed()
    boxes = w % g.box.shape[0]
    middle = g.box[boxes, geom, 0]
    half = g.box[boxes, geom, 1]
    frame = wp.transpose(g.mat[w, s.geom])
    here.turn = frame @ g.mat[w, geom]
    here.place = frame @ (g.pos[w, geom] - g.pos[w, s.geom])
    here.size = wp.length(half)
    if s.grid == 1:
        here.i = int(wp.floor((here.place[0] - s.first[0]) / s.step[0]))
        here.j = int(wp.floor((here.place[1] - s.first[1]) / s.step[1]))
        here.place = here.place - wp.vec3(
            s.first[0] + float(here.i) * s.step[0], s.first[1] + float(here.j) * s.step[1], 0.0
        )
    centre = here.place + here.turn @ middle
    for k in range(3):
        out = margin
        for n in range(3):
            out += wp.abs(here.turn[k, n]) * half[n]
        here.low[k] = centre[k] - out
        here.high[k] = centre[k] + out
    return here


@wp.func
def _cells(s: on.Surface, here: on.Placed) -> wp.vec4i:
    """First and one past the last cell under a geom, along x and along y."""
    i0 = wp.max(here.i + int(wp.floor(here.low[0] / s.step[0])), 0)
    i1 = wp.min(here.i + int(wp.floor(here.high[0] / s.step[0])) + 1, s.columns - 1)
    j0 = wp.max(here.j + int(wp.floor(here.low[1] / s.step[1])), 0)
    j1 = wp.min(here.j + int(wp.floor(here.high[1] / s.step[1])) + 1, s.rows - 1)
    return wp.vec4i(i0, i1, j0, j1)


@wp.func
def _is_near_grid(s: on.Surface, here: on.Placed) -> bool:
    cells = _cells(s, here)
    if cells[0] >= cells[1] or cells[2] >= cells[3]:
        return False
    for j in range(cells[2], cells[3] + 1):
        for i in range(cells[0], cells[1] + 1):
            if s.unit * s.heights[j * s.columns + i] >= here.low[2]:
                return True
    return False


@wp.func
def _is_apart(s: on.Surface, here: on.Placed, node: int) -> bool:
    for k in range(3):
        if s.tree[node, k] > here.high[k] or s.tree[node, 3 + k] < here.low[k]:
            return True
    return False


@wp.kernel(enable_backward=False)
def find_near(g: Geoms, s: on.Surface, p: Pairs):
    """List the geoms whose boxes are near a surface."""
    w, n = wp.tid()
    geom = p.geoms[n]
    here = _placed(g, s, w, geom, _reach(g, s, w, geom).box)
    near = bool(False)
    if s.grid == 1:
        near = _is_near_grid(s, here)
    else:
        near = not _is_apart(s, here, 0)
    if near:
        p.near[wp.atomic_add(p.count, 0, 1)] = wp.vec2i(w, geom)


@wp.func
def _triangle(s: on.Surface, here: on.Placed, face: int) -> wp.mat33:
    """Corners of a triangle as rows, in the frame of the surface."""
    v = on.corners(s, face)
    a = on.vertex(s, here, v[0])
    b = on.vertex(s, here, v[1])
    c = on.vertex(s, here, v[2])
    return wp.mat33(a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2])


@wp.func
def _beside(t: wp.mat33, here: on.Placed) -> bool:
    """Whether the box of a triangle is apart from that of a geom."""
    for k in range(3):
        low = wp.min(t[0, k], wp.min(t[1, k], t[2, k]))
        high = wp.max(t[0, k], wp.max(t[1, k], t[2, k]))
        if low > here.high[k] or high < here.low[k]:
            return True
    return False


@wp.func
def _drop_below(found: wp.array2d(dtype=float), own: wp.vec3, count: int, made: int) -> int:
    """Leave out new contacts on the lower side of a face of a height field."""
    kept = int(count)
    for row in range(count, made):
        along = own[0] * found[row, 3] + own[1] * found[row, 4] + own[2] * found[row, 5]
        if along >= DOWN:
            for k in range(8):
                found[kept, k] = found[row, k]
            kept += 1
    return kept


@wp.func
def _touch_face(
    s: on.Surface,
    here: on.Placed,
    shape: Shape,
    hulls: Hulls,
    reach: Reach,
    room: Room,
    slot: int,
    face: int,
    count: int,
) -> int:
    """Add the contacts with a triangle; returns the new number."""
    t = _triangle(s, here, face)
    if _beside(t, here):
        return count
    found = room.found[slot]
    have = int(count)
    if have + GAINED >= FOUND:
        have = reduce_contacts(found, have, here.size)
    back = wp.transpose(here.turn)
    own = back @ on.normal(s, face, t)
    a = back @ (t[0] - here.place)
    b = back @ (t[1] - here.place)
    c = back @ (t[2] - here.place)
    local = wp.mat33(a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2])
    made = touch(s, here, shape, hulls, reach, room, slot, face, local, own, have)
    if s.grid == 1:
        return _drop_below(found, own, have, made)
    return made


@wp.func
def _sunk(
    s: on.Surface, here: on.Placed, shape: Shape, hulls: Hulls, found: wp.array2d(dtype=float)
) -> bool:
    """Push out a geom whose middle is below a height field, along the normal there."""
    i = int(wp.min(here.i, s.columns - 2))
    j = int(wp.min(here.j, s.rows - 2))
    x = here.place[0] / s.step[0] + float(here.i - i)
    y = here.place[1] / s.step[1] + float(here.j - j)
    if here.i < 0 or here.j < 0 or x > 1.0 or y > 1.0:
        return False
    first = j * s.columns + i
    start = s.heights[first]
    end = s.heights[first + s.columns + 1]
    along = s.heights[first + 1] - start
    side = end - s.heights[first + 1]
    if x < y:
        along = end - s.heights[first + s.columns]
        side = s.heights[first + s.columns] - start
    level = s.unit * (start + along * x + side * y)
    if here.place[2] >= level:
        return False
    n = wp.normalize(wp.vec3(-s.unit * along / s.step[0], -s.unit * side / s.step[1], 1.0))
    g = wp.transpose(here.turn) @ n
    point = support(shape, hulls, WHOLE, -g)
    distance = wp.dot(g, point) - shape.radius + n[2] * (here.place[2] - level)
    point = point - (shape.radius + 0.5 * distance) * g
    for k in range(3):
        found[0, k] = point[k]
        found[0, 3 + k] = g[k]
    found[0, 6] = distance
    return True


@wp.func
def _over_grid(
    s: on.Surface,
    here: on.Placed,
    shape: Shape,
    hulls: Hulls,
    reach: Reach,
    room: Room,
    slot: int,
) -> int:
    if _sunk(s, here, shape, hulls, room.found[slot]):
        return 1
    cells = _cells(s, here)
    count = int(0)
    for j in range(cells[2], cells[3]):
        row = 2 * j * (s.columns - 1)
        for face in range(row + 2 * cells[0], row + 2 * cells[1]):
            count = _touch_face(s, here, shape, hulls, reach, room, slot, face, count)
    return count


@wp.func
def _over_mesh(
    s: on.Surface,
    here: on.Placed,
    shape: Shape,
    hulls: Hulls,
    reach: Reach,
    room: Room,
    slot: int,
) -> int:
    count = int(0)
    waiting = int(1)
    nodes = stack()
    while waiting > 0:
        waiting -= 1
        node = nodes[waiting]
        if not _is_apart(s, here, node):
            if node < s.leaves - 1:
                nodes[waiting] = 2 * node + 2
                nodes[waiting + 1] = 2 * node + 1
                waiting += 2
            else:
                first = LEAF * (node - s.leaves + 1)
                for face in range(first, wp.min(first + LEAF, s.faces.shape[0])):
                    count = _touch_face(s, here, shape, hulls, reach, room, slot, face, count)
    return count


@wp.func
def _send(
    g: Geoms, s: on.Surface, w: int, geom: int, found: wp.array2d(dtype=float), i: int, out: Out
):
    """Add a contact to mujoco-warp's."""
    skin = s.skin
    if g.kind[geom] == SPHERE:
        skin = 0.0
    mat = g.mat[w, geom]
    n = wp.vec3(found[i, 3], found[i, 4], found[i, 5])
    point = wp.vec3(found[i, 0], found[i, 1], found[i, 2]) + 0.5 * skin * n
    n = wp.normalize(mat @ n)
    u = wp.vec3(0.0, n[2], -n[1])
    if wp.abs(n[0]) >= 0.6:
        u = wp.vec3(-n[2], 0.0, n[0])
    u = wp.normalize(u)
    v = wp.cross(n, u)
    write_contact(
        out.most,
        i,
        found[i, 6] - skin,
        g.pos[w, geom] + mat @ point,
        wp.mat33(n[0], n[1], n[2], u[0], u[1], u[2], v[0], v[1], v[2]),
        _margin(g, w, geom) + _margin(g, w, s.geom),
        0.0,
        wp.max(g.dim[geom], g.dim[s.geom]),
        vec5(1.0, 1.0, 1.0, 1.0, 1.0),
        wp.vec2(0.02, 1.0),
        wp.vec2(),
        IMPEDANCE,
        0.0,
        wp.vec2i(s.geom, geom),
        wp.vec2i(-1, -1),
        w,
        out.dist,
        out.pos,
        out.frame,
        out.margin,
        out.friction,
        out.solref,
        out.solreffriction,
        out.solimp,
        out.dim,
        out.geom,
        out.row,
        out.world,
        out.kind,
        out.number,
        out.adhesion,
        out.count,
    )


@wp.kernel(enable_backward=False)
def collide(g: Geoms, hulls: Hulls, s: on.Surface, p: Pairs, room: Room, out: Out):
    """Add the contacts of the geoms that are near a surface."""
    slot = wp.tid()
    number = int(slot)
    while number < p.count[0]:
        w = p.near[number][0]
        geom = p.near[number][1]
        reach = _reach(g, s, w, geom)
        here = _placed(g, s, w, geom, reach.box)
        mesh = g.mesh[w % g.mesh.shape[0], geom]
        shape = shape_of(g.kind[geom], g.size[w % g.size.shape[0], geom], mesh, hulls)
        count = int(0)
        if s.grid == 1:
            count = _over_grid(s, here, shape, hulls, reach, room, slot)
        else:
            count = _over_mesh(s, here, shape, hulls, reach, room, slot)
        count = reduce_contacts(room.found[slot], count, here.size)
        for i in range(count):
            _send(g, s, w, geom, room.found[slot], i, out)
        number += room.found.shape[0]
