"""Which pairs of geoms are worth a closer look: ``mjcb_contactfilter``.

MuJoCo itself compares bounding spheres before it computes contacts of two bodies with one geom
each. That of a ground made of one large box contains everything near it, and each pair then costs
half a microsecond. Oriented bounding boxes tell most of them apart.
"""

from __future__ import annotations

import math

import mujoco

from unibody.core.engine.library.layout import Layout
from unibody.core.engine.records import rule_table as t
from unibody.machine_code.jit import inlined, rule
from unibody.machine_code.pointers import Pointer, f64_array, i32_array

SPHERE, BOX = int(mujoco.mjtGeom.mjGEOM_SPHERE), int(mujoco.mjtGeom.mjGEOM_BOX)
MESH = int(mujoco.mjtGeom.mjGEOM_MESH)
SKIN = 0.001  # m: by which Bullet's bounding boxes of hulls are larger
SIZE, JOINED = t.GEOM_USER_SIZE, t.G_JOINED
# Margin of a mesh of triangles [m], by which it is known; its narrow phase finds contacts no
# farther ahead than this, of what is fast enough to come here in a step.
MESH_MARGIN = 1.0
SECOND_BITS = 16  # of the second body in MuJoCo's number of a pair
FIRST_CONVEX = 4  # mjGEOM_ELLIPSOID: pairs of what comes before are cheap themselves
COINCIDENT = 4e-6  # m: nearer centres are moved apart, to 4 times MuJoCo's ccd_tolerance


@inlined
def _reach(size: Pointer, at: int, x: float, y: float, z: float) -> float:
    """How far a box with the half sizes at ``size[at:]`` reaches along a direction in its frame."""
    return size[at] * abs(x) + size[at + 1] * abs(y) + size[at + 2] * abs(z)


@rule
def boxes_apart(a: int, b: int, aabb: Pointer, pos: Pointer, mat: Pointer, margin: float) -> bool:
    """Whether a face of the bounding box of geom ``a`` has all of that of ``b`` outside."""
    at_a, at_b = 6 * a, 6 * b
    p, q, o, s = 3 * a, 3 * b, 9 * a, 9 * b
    cx, cy, cz = aabb[at_b], aabb[at_b + 1], aabb[at_b + 2]
    # from the origin of a to the centre of b's box, in the world's axes
    x = pos[q] - pos[p] + mat[s] * cx + mat[s + 1] * cy + mat[s + 2] * cz
    y = pos[q + 1] - pos[p + 1] + mat[s + 3] * cx + mat[s + 4] * cy + mat[s + 5] * cz
    z = pos[q + 2] - pos[p + 2] + mat[s + 6] * cx + mat[s + 7] * cy + mat[s + 8] * cz
    for k in range(3):
        ux, uy, uz = mat[o + k], mat[o + 3 + k], mat[o + 6 + k]
        distance = abs(ux * x + uy * y + uz * z - aabb[at_a + k])
        own = aabb[at_a + 3 + k] + margin
        if distance > own:
            i = ux * mat[s] + uy * mat[s + 3] + uz * mat[s + 6]
            j = ux * mat[s + 1] + uy * mat[s + 4] + uz * mat[s + 7]
            n = ux * mat[s + 2] + uy * mat[s + 5] + uz * mat[s + 8]
            if distance > own + _reach(aabb, at_b + 3, i, j, n):
                return True
    return False


@rule
def _ball_outside(
    a: int, ball: int, aabb: Pointer, pos: Pointer, mat: Pointer, margin: float
) -> bool:
    """Whether a face of the bounding box of geom ``a`` has all of a sphere outside."""
    p, q, o = 3 * a, 3 * ball, 9 * a
    x, y, z = pos[q] - pos[p], pos[q + 1] - pos[p + 1], pos[q + 2] - pos[p + 2]
    reach = aabb[6 * ball + 3] + margin
    for k in range(3):
        along = mat[o + k] * x + mat[o + 3 + k] * y + mat[o + 6 + k] * z
        if abs(along - aabb[6 * a + k]) > aabb[6 * a + 3 + k] + reach:
            return True
    return False


@rule
def filtered(m: int, lay: Layout, a: int, b: int) -> bool:
    """MuJoCo's own rule, which a contact filter stands in for: the contact bits."""
    contype = i32_array(m, lay.m_geom_contype)
    conaffinity = i32_array(m, lay.m_geom_conaffinity)
    return not (contype[a] & conaffinity[b]) and not (contype[b] & conaffinity[a])


@rule
def excluded(m: int, lay: Layout, a: int, b: int) -> bool:
    """Whether the bodies of two geoms are a pair that does not collide.

    MuJoCo goes through all such pairs for each pair of bodies that are near each other. A world
    with many of them hides them from MuJoCo while it looks for contacts, and they are asked for
    here, by bisection.
    """
    count = int(f64_array(m, lay.m_numeric_data)[t.N_EXCLUDES])
    if count == 0:
        return False
    body = i32_array(m, lay.m_geom_bodyid)
    known = i32_array(m, lay.m_exclude_signature)
    first, second = min(body[a], body[b]), max(body[a], body[b])
    wanted = (first << SECOND_BITS) + second
    low, high = 0, count
    while low < high:
        middle = (low + high) // 2
        if known[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low < count and known[low] == wanted


@inlined
def smaller_reach(m: int, lay: Layout, a: int, b: int) -> float:
    """How far ahead the one of two bodies that sees less far does, where both can move.

    That is what Bullet has for a pair, where MuJoCo adds both margins up.
    """
    margins = f64_array(m, lay.m_geom_margin)
    least = min(margins[a], margins[b])
    if least <= t.TOUCH or f64_array(m, lay.m_numeric_data)[t.N_PAIRS] == 0.0:
        return math.inf
    return least


@inlined
def _seen_ahead(m: int, lay: Layout, a: int, b: int, kind: Pointer) -> float:
    """How far ahead a pair finds contacts, beyond rounding; margins are for the largest of pairs.

    Bullet's detectors for two boxes and for two spheres find only what overlaps, and shapes that
    are joined to one are first compared by their bounding boxes, which are larger for hulls. Of
    two bodies that can move, Bullet takes the distance of the smaller one. In worlds whose pairs
    are not Bullet's all find contacts by their margins.
    """
    if f64_array(m, lay.m_numeric_data)[t.N_PAIRS] == 0.0:
        return math.inf
    margins = f64_array(m, lay.m_geom_margin)
    if margins[a] == MESH_MARGIN or margins[b] == MESH_MARGIN:  # its narrow phase chooses by itself
        return math.inf
    user = f64_array(m, lay.m_geom_user)
    joined = user[a * SIZE + JOINED] > 0.0 or user[b * SIZE + JOINED] > 0.0
    same = kind[a] == kind[b] and (kind[a] == SPHERE or kind[a] == BOX)
    least = smaller_reach(m, lay, a, b)
    if not (same or joined):
        return least
    skin = (SKIN if kind[a] == MESH else 0.0) + (SKIN if kind[b] == MESH else 0.0)
    return min(least, 2.0 * t.TOUCH + skin)


@rule
def apart(m: int, d: int, lay: Layout, a: int, b: int) -> bool:
    """Whether two geoms are certain not to have a contact."""
    bound = f64_array(m, lay.m_geom_rbound)
    kind = i32_array(m, lay.m_geom_type)
    if bound[a] <= 0.0 or bound[b] <= 0.0:  # a plane: MuJoCo's own test is as good
        return False
    pos = f64_array(d, lay.d_geom_xpos)
    margins = f64_array(m, lay.m_geom_margin)
    full = margins[a] + margins[b]
    margin = min(full, _seen_ahead(m, lay, a, b, kind))
    x = pos[3 * a] - pos[3 * b]
    y = pos[3 * a + 1] - pos[3 * b + 1]
    z = pos[3 * a + 2] - pos[3 * b + 2]
    if kind[a] == SPHERE and kind[b] == SPHERE and margin < full:
        # to the last bit: which of the balls in a row touch decides what an impact does to them
        return math.sqrt(x * x + y * y + z * z) > bound[a] + bound[b]
    reach = bound[a] + bound[b] + margin
    if x * x + y * y + z * z > reach * reach:
        return True
    if kind[a] < FIRST_CONVEX and kind[b] < FIRST_CONVEX and margin == full:
        return False
    aabb = f64_array(m, lay.m_geom_aabb)
    mat = f64_array(d, lay.d_geom_xmat)
    if margin < full:
        if kind[a] == SPHERE:
            return _ball_outside(b, a, aabb, pos, mat, margin)
        if kind[b] == SPHERE:
            return _ball_outside(a, b, aabb, pos, mat, margin)
    first, second = (a, b) if bound[a] > bound[b] else (b, a)
    return boxes_apart(first, second, aabb, pos, mat, margin) or boxes_apart(
        second, first, aabb, pos, mat, margin
    )


@rule
def part_centres(m: int, d: int, lay: Layout, a: int, b: int) -> None:
    """Move the second of two convex geoms whose centres coincide a little to the side.

    MuJoCo's search for their depth starts along the line between the centres, and finds no contact
    where that is shorter than its tolerance. The next kinematics moves the geom back.
    """
    kind = i32_array(m, lay.m_geom_type)
    if min(kind[a], kind[b]) < SPHERE or max(kind[a], kind[b]) < FIRST_CONVEX:
        return
    pos = f64_array(d, lay.d_geom_xpos)
    p, q = 3 * a, 3 * b
    x, y, z = pos[q] - pos[p], pos[q + 1] - pos[p + 1], pos[q + 2] - pos[p + 2]
    if x * x + y * y + z * z < 0.25 * COINCIDENT * COINCIDENT:
        pos[q] = pos[p] + COINCIDENT
