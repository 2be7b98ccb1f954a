"""Triangles to pixels: the visible surface of every pixel, compiled by numba.

Triangles are drawn in homogeneous coordinates (M. Olano, T. Greer, "Triangle scan conversion using
2D homogeneous coordinates", 1997), so that none has to be clipped where it passes behind the
camera.

Pixel (x, y) is sampled at the integer point (x, y) of an image plane with y up. A depth is the
third normalised device coordinate, from -1 on the near plane to 1 on the far plane, which is linear
in the image. Kernels take arrays out of their tuples before a loop: numba counts references to
arrays, and that costs more than the arithmetic.
"""

from __future__ import annotations

import math

import numpy as np

from unibody.core.render import arrays
from unibody.core.render.arrays import F64, I32, Box, Edges, Geometry, Instances, Raster, Vec3
from unibody.machine_code import numba
from unibody.machine_code.array_calls import array_function

# columns of ``Geometry.meshes``
M_POINT, M_POINTS, M_FACE, M_FACES = 0, 1, 2, 3
# columns of a point that was brought into the image: homogeneous x, y, w, z, and x, y divided
_X, _Y, _W, _Z, _PX, _PY = 0, 1, 2, 3, 4, 5
POINT_SIZE = 6
NOTHING = -1  # number of the triangle of a pixel without one
_TOUCH = 1e-7  # pixels: triangles that share an edge both cover a pixel on it
_NO_BOX = (0, -1, 0, -1)
_LINE = 0.7  # pixels: half the width of the lines of a wireframe

_compiled = numba.njit(error_model="numpy")


@array_function(arrays)
def place(frames: I32, local: F64, positions: F64, quats: F64, models: F64) -> None:
    """Bring instances (T_frame_instance, 3 x 4 by rows) into the world; frame -1 is the world."""
    for i in range(len(frames)):
        f = frames[i]
        if f < 0:
            models[i, :] = local[i, :]
            continue
        w, x, y, z = quats[f, 0], quats[f, 1], quats[f, 2], quats[f, 3]
        r = (
            (1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)),
            (2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)),
            (2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)),
        )
        for row in range(3):
            a, b, c = r[row]
            for column in range(4):
                models[i, 4 * row + column] = (
                    a * local[i, column] + b * local[i, 4 + column] + c * local[i, 8 + column]
                )
            models[i, 4 * row + 3] += positions[f, row]


@_compiled
def _outside(sphere: F64, m: F64, matrix: F64, width: int, height: int) -> bool:
    """Whether a sphere, moved by m (3 x 4), lies beyond one side of the image."""
    x = m[0] * sphere[0] + m[1] * sphere[1] + m[2] * sphere[2] + m[3]
    y = m[4] * sphere[0] + m[5] * sphere[1] + m[6] * sphere[2] + m[7]
    z = m[8] * sphere[0] + m[9] * sphere[1] + m[10] * sphere[2] + m[11]
    radius = sphere[3]
    for side in range(6):
        k = side // 2
        if k == 2:  # near and far: -w <= z <= w
            sign = 1.0 if side == 4 else -1.0
            a = matrix[3, 0] + sign * matrix[2, 0]
            b = matrix[3, 1] + sign * matrix[2, 1]
            c = matrix[3, 2] + sign * matrix[2, 2]
            d = matrix[3, 3] + sign * matrix[2, 3]
        elif side % 2 == 0:  # 0 <= pixel
            a, b, c, d = matrix[k, 0], matrix[k, 1], matrix[k, 2], matrix[k, 3]
        else:  # pixel <= size
            size = float(width if k == 0 else height)
            a = size * matrix[3, 0] - matrix[k, 0]
            b = size * matrix[3, 1] - matrix[k, 1]
            c = size * matrix[3, 2] - matrix[k, 2]
            d = size * matrix[3, 3] - matrix[k, 3]
        if a * x + b * y + c * z + d < -radius * math.sqrt(a * a + b * b + c * c):
            return True
    return False


@_compiled
def _project(geometry: Geometry, mesh: int, m: F64, matrix: F64, out: F64) -> bool:
    """Bring the points of a mesh into the image; False if the matrices are not finite."""
    t = np.empty((4, 4))
    total = 0.0
    for row in range(4):
        for column in range(4):
            value = (
                matrix[row, 0] * m[column]
                + matrix[row, 1] * m[4 + column]
                + matrix[row, 2] * m[8 + column]
            )
            t[row, column] = value + (matrix[row, 3] if column == 3 else 0.0)
            total += abs(t[row, column])
    if not total < 1e30:
        return False
    first, count = geometry.meshes[mesh, M_POINT], geometry.meshes[mesh, M_POINTS]
    for i in range(count):
        x = float(geometry.points[first + i, 0])
        y = float(geometry.points[first + i, 1])
        z = float(geometry.points[first + i, 2])
        px = t[0, 0] * x + t[0, 1] * y + t[0, 2] * z + t[0, 3]
        py = t[1, 0] * x + t[1, 1] * y + t[1, 2] * z + t[1, 3]
        w = t[3, 0] * x + t[3, 1] * y + t[3, 2] * z + t[3, 3]
        out[i, _X], out[i, _Y], out[i, _W] = px, py, w
        out[i, _Z] = t[2, 0] * x + t[2, 1] * y + t[2, 2] * z + t[2, 3]
        inverse = 1.0 / w
        out[i, _PX], out[i, _PY] = px * inverse, py * inverse
    return True


@array_function(arrays, returns=True)
def draw(
    geometry: Geometry,
    instances: Instances,
    chosen: I32,
    matrix: F64,
    eye: F64,
    width: int,
    height: int,
    raster: Raster,
    drawn: int,
    cull: bool,
    lines: bool,
    least_area: float,
) -> int:
    """Draw some instances: depths and numbers of pixels that are nearer than what is there.

    Of triangles at the same depth the one drawn last stays.

    Args:
        geometry: The meshes.
        instances: What is where.
        chosen: Rows of ``instances`` to draw, in this order.
        matrix: From world to homogeneous pixel coordinates x, y, depth z, and w, (4, 4).
        eye: The camera's place and 1, or the direction to it and 0, (4,).
        width: Of the image.
        height: Of the image.
        raster: What is drawn on.
        drawn: Triangles that ``raster`` holds already.
        cull: Leave out faces that show their back, but for those that are double-sided.
        lines: Draw the edges of faces only.
        least_area: Triangles of no more than this are left out [pixels^2], twice their area.

    Returns:
        How many triangles ``raster`` holds now.
    """
    planes, corners = geometry.planes, geometry.corners
    edges, source = raster.edges, raster.source
    depth, number, points = raster.depth, raster.number, raster.points
    for position in range(len(chosen)):
        i = int(chosen[position])
        mesh, m = int(instances.mesh[i]), instances.models[i]
        if _outside(geometry.spheres[mesh], m, matrix, width, height):
            continue
        if not _project(geometry, mesh, m, matrix, raster.points):
            continue
        dx = eye[0] - eye[3] * m[3]
        dy = eye[1] - eye[3] * m[7]
        dz = eye[2] - eye[3] * m[11]
        ex = m[0] * dx + m[4] * dy + m[8] * dz  # the eye in the frame of the mesh
        ey = m[1] * dx + m[5] * dy + m[9] * dz
        ez = m[2] * dx + m[6] * dy + m[10] * dz
        one_sided = cull and not instances.double_sided[i]
        base = geometry.meshes[mesh, M_POINT]
        first, count = geometry.meshes[mesh, M_FACE], geometry.meshes[mesh, M_FACES]
        for f in range(first, first + count):
            if one_sided:
                ahead = planes[f, 0] * ex + planes[f, 1] * ey + planes[f, 2] * ez
                if ahead - planes[f, 3] * eye[3] <= 0.0:
                    continue
            a, b, c = corners[f, 0] - base, corners[f, 1] - base, corners[f, 2] - base
            in_front, box = _box(points, a, b, c, width, height)
            if not box[0] <= box[1]:
                continue
            area, e, z = _setup(points, a, b, c)
            if not area > (least_area if in_front else 0.0):
                continue
            if _fill(depth, number, e, z, box, width, lines, drawn):
                for k in range(3):
                    edges[drawn, 3 * k], edges[drawn, 3 * k + 1], edges[drawn, 3 * k + 2] = e[k]
                source[drawn, 0], source[drawn, 1] = i, f
                drawn += 1
    return drawn


@_compiled
def _box(points: F64, a: int, b: int, c: int, width: int, height: int) -> tuple[bool, Box]:
    """Whether a triangle is in front of the camera, and the pixels it may cover.

    Nothing (its begin is behind its end) if those are none: it is behind the camera, beside the
    image, between two rows or columns of pixels, or its corners are not numbers.
    """
    w0, w1, w2 = points[a, _W], points[b, _W], points[c, _W]
    if not (w0 > 0.0 and w1 > 0.0 and w2 > 0.0):
        if w0 > 0.0 or w1 > 0.0 or w2 > 0.0:
            return False, (0, width - 1, 0, height - 1)
        return False, _NO_BOX
    left = max(0.0, min(points[a, _PX], points[b, _PX], points[c, _PX]))
    right = min(width - 1.0, max(points[a, _PX], points[b, _PX], points[c, _PX]))
    if not left <= right:
        return True, _NO_BOX
    low = max(0.0, min(points[a, _PY], points[b, _PY], points[c, _PY]))
    high = min(height - 1.0, max(points[a, _PY], points[b, _PY], points[c, _PY]))
    if not low <= high:
        return True, _NO_BOX
    x0, x1, y0, y1 = math.ceil(left), int(right), math.ceil(low), int(high)
    return True, (x0, x1 if y0 <= y1 else x0 - 1, y0, y1)


@_compiled
def _setup(points: F64, a: int, b: int, c: int) -> tuple[float, Edges, Vec3]:
    """Twice the area of a triangle [pixels^2], its edge functions and that of its depth."""
    p = (points[a, _X], points[a, _Y], points[a, _W])
    q = (points[b, _X], points[b, _Y], points[b, _W])
    r = (points[c, _X], points[c, _Y], points[c, _W])
    e0, e1, e2 = _edge(q, r), _edge(r, p), _edge(p, q)
    det = p[0] * e0[0] + p[1] * e0[1] + p[2] * e0[2]
    scale = 1.0 / det
    e0 = (e0[0] * scale, e0[1] * scale, e0[2] * scale)
    e1 = (e1[0] * scale, e1[1] * scale, e1[2] * scale)
    e2 = (e2[0] * scale, e2[1] * scale, e2[2] * scale)
    z0, z1, z2 = points[a, _Z], points[b, _Z], points[c, _Z]
    depth = (
        e0[0] * z0 + e1[0] * z1 + e2[0] * z2,
        e0[1] * z0 + e1[1] * z1 + e2[1] * z2,
        e0[2] * z0 + e1[2] * z1 + e2[2] * z2,
    )
    return abs(det / (p[2] * q[2] * r[2])), (e0, e1, e2), depth


@_compiled
def _edge(p: Vec3, q: Vec3) -> Vec3:
    """The line through two points: their cross product."""
    return p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]


@_compiled
def _fill(
    depth: F64, number: I32, edges: Edges, z: Vec3, box: Box, width: int, lines: bool, own: int
) -> bool:
    """Draw the pixels of a box that are inside three edges and between the planes, if any."""
    sides = (*edges, (z[0], z[1], z[2] + 1.0), (-z[0], -z[1], 1.0 - z[2]))
    wrote = False
    for y in range(box[2], box[3] + 1):
        begin, end = float(box[0]), float(box[1])
        for k in range(5):
            a, b, c = sides[k]
            rest = b * y + c
            if a > 0.0:
                begin = max(begin, -rest / a - _TOUCH)
            elif a < 0.0:
                end = min(end, -rest / a + _TOUCH)
            elif rest < 0.0:
                end = -1.0
        if not begin <= end:  # far beyond the image neither may fit into an integer
            continue
        start = z[1] * y + z[2]
        row = y * width
        for x in range(math.ceil(begin), math.floor(end) + 1):
            nearer = z[0] * x + start
            if nearer <= depth[row + x] and not (lines and _inside(edges, x, y)):
                depth[row + x] = nearer
                number[row + x] = own
                wrote = True
    return wrote


@_compiled
def _inside(edges: Edges, x: int, y: int) -> bool:
    """Whether a pixel is away from all edges."""
    for k in range(3):
        a, b, c = edges[k]
        if a * x + b * y + c <= _LINE * math.sqrt(a * a + b * b):
            return False
    return True
