"""Visible surfaces to images: depths, labels and colours, compiled by numba.

Colours are computed once a pixel, after the nearest triangle of every pixel is known. What varies
over a triangle is, but for one division, linear in the image.
"""

from __future__ import annotations

import math

import numpy as np

from unibody.core.render import arrays
from unibody.core.render.arrays import (
    F32,
    F64,
    I32,
    U8,
    Geometry,
    Instances,
    Lighting,
    Raster,
    Textures,
    Vec3,
)
from unibody.machine_code import numba
from unibody.machine_code.array_calls import array_function

# columns of a light
L_DIRECTION, L_COLOR, L_AMBIENT, L_DIFFUSE, L_SPECULAR, L_SHADOW = 0, 3, 6, 9, 10, 11
LIGHT_SIZE = 12
# columns of a shadow map: clip coordinates from depth (z = scale * w + offset), weights of z and w
# in the depth of a point, bias, share of the light that stays
S_SCALE, S_OFFSET, S_Z, S_W, S_BIAS, S_REST = 0, 1, 2, 3, 4, 5
SHADOW_SIZE = 6
# rows of what varies over a face, see ``_load``
T_ONE, T_NORMAL, T_U, T_V, T_BELOW, T_SEEN = 0, 1, 4, 5, 6, 7

_compiled = numba.njit(error_model="numpy")


@_compiled
def _byte(value: float) -> int:
    return int(min(max(value, 0.0), 255.0))


@array_function(arrays)
def fill(
    labels: I32, bits: int, raster: Raster, background: F64, colors: U8, depths: F32,
    segments: I32,
) -> None:  # fmt: skip
    """Write depths and labels, and the background of the colours; rows from the top.

    An image without rows is not wanted.

    Args:
        labels: What ``segments`` gets, one an instance.
        bits: Those of the labels that count.
        raster: What was drawn.
        background: Red, green and blue where nothing is, 0 to 255.
        colors: Red, green, blue and 255, (height, width, 4).
        depths: As OpenGL's depth buffer, 0 on the near plane and 1 on the far plane.
        segments: Labels, -1 where nothing is, (height, width).
    """
    height = max(colors.shape[0], depths.shape[0], segments.shape[0])
    width = max(colors.shape[1], depths.shape[1], segments.shape[1])
    red, green, blue = _byte(background[0]), _byte(background[1]), _byte(background[2])
    numbers, source = raster.number, raster.source
    for y in range(height):
        out = height - 1 - y
        row = y * width
        if len(depths) > 0:
            for x in range(width):
                depth = 0.5 * raster.depth[row + x] + 0.5
                depths[out, x] = 1.0 if numbers[row + x] < 0 else depth
        if len(segments) > 0:
            for x in range(width):
                number = numbers[row + x]
                segments[out, x] = -1 if number < 0 else labels[source[number, 0]] & bits
        if len(colors) > 0:
            for x in range(width):
                colors[out, x, 3] = 255
                if numbers[row + x] < 0:
                    colors[out, x, 0], colors[out, x, 1], colors[out, x, 2] = red, green, blue


@_compiled
def _load(
    geometry: Geometry, model: F64, face: int, edges: F64, lighting: Lighting, projector: F64,
    t: F64,
) -> bool:  # fmt: skip
    """Set up what varies over a face as functions a x + b y + c of the pixel; True if it is flat.

    Rows of ``t``, each to be divided by the first: one; normal x, y, z; texture coordinates u, v
    and what they are divided by; then four for each shadow map, clip coordinates x, y, z, w.
    """
    maps = len(lighting.maps)
    t[:, :] = 0.0
    flat = True
    for k in range(3):
        vertex, corner = geometry.faces[face, k], geometry.corners[face, k]
        a, b, c = edges[3 * k], edges[3 * k + 1], edges[3 * k + 2]
        _add(t, T_ONE, 1.0, a, b, c)
        n0, n1, n2 = (
            geometry.normals[vertex, 0], geometry.normals[vertex, 1], geometry.normals[vertex, 2]
        )  # fmt: skip
        first = geometry.faces[face, 0]
        flat = (
            flat
            and n0 == geometry.normals[first, 0]
            and n1 == geometry.normals[first, 1]
            and n2 == geometry.normals[first, 2]
        )
        for r in range(3):
            turned = model[4 * r] * n0 + model[4 * r + 1] * n1 + model[4 * r + 2] * n2
            _add(t, T_NORMAL + r, turned, a, b, c)
        x, y, z = _moved(model, geometry.points, corner)
        if len(projector) == 0:
            _add(t, T_U, geometry.uvs[vertex, 0], a, b, c)
            _add(t, T_V, geometry.uvs[vertex, 1], a, b, c)
            _add(t, T_BELOW, 1.0, a, b, c)
        else:
            _add(t, T_U, _row(projector, 0, x, y, z), a, b, c)
            _add(t, T_V, _row(projector, 1, x, y, z), a, b, c)
            _add(t, T_BELOW, _row(projector, 3, x, y, z), a, b, c)
        for m in range(maps):
            for r in range(4):
                _add(t, T_SEEN + 4 * m + r, _row(lighting.matrices[m], r, x, y, z), a, b, c)
    return flat


@_compiled
def _add(t: F64, row: int, value: float, a: float, b: float, c: float) -> None:
    t[row, 0] += value * a
    t[row, 1] += value * b
    t[row, 2] += value * c


@_compiled
def _moved(m: F64, points: F32, row: int) -> Vec3:
    """A point of a mesh that is moved by m (3 x 4)."""
    x, y, z = points[row, 0], points[row, 1], points[row, 2]
    return (
        m[0] * x + m[1] * y + m[2] * z + m[3],
        m[4] * x + m[5] * y + m[6] * z + m[7],
        m[8] * x + m[9] * y + m[10] * z + m[11],
    )


@_compiled
def _row(matrix: F64, row: int, x: float, y: float, z: float) -> float:
    return matrix[row, 0] * x + matrix[row, 1] * y + matrix[row, 2] * z + matrix[row, 3]


@_compiled
def _at(t: F64, row: int, x: int, y: int) -> float:
    return t[row, 0] * x + t[row, 1] * y + t[row, 2]


@_compiled
def _share(lighting: Lighting, index: int, t: F64, x: int, y: int) -> float:
    """Share of a light with a shadow map that reaches a pixel's point."""
    s = lighting.maps
    row = T_SEEN + 4 * index
    scale = 1.0 / _at(t, T_ONE, x, y)
    z, w = scale * _at(t, row + 2, x, y), scale * _at(t, row + 3, x, y)
    u, v = scale * _at(t, row, x, y) / w, scale * _at(t, row + 1, x, y) / w
    inside = u >= 0.0 and v >= 0.0 and u < lighting.width and v < lighting.height
    parallel = s[index, S_OFFSET] == 0.0
    if parallel and not inside:
        return 1.0
    u = min(max(u, 0.0), lighting.width - 1.0)
    v = min(max(v, 0.0), lighting.height - 1.0)
    if not (u >= 0.0 and v >= 0.0):  # not numbers
        return 1.0
    nearest = lighting.depths[index, int(v) * lighting.width + int(u)]
    if not nearest <= 1.0:
        return 1.0
    if not parallel:  # from normalised to clip coordinates
        nearest *= s[index, S_OFFSET] / (nearest - s[index, S_SCALE])
    lit = nearest > s[index, S_Z] * z + s[index, S_W] * w - s[index, S_BIAS]
    return 1.0 if lit else s[index, S_REST]


@_compiled
def _light(lights: F64, shares: F64, nx: float, ny: float, nz: float) -> Vec3:
    """What comes back from a white surface with a normal of any length."""
    length = math.sqrt(nx * nx + ny * ny + nz * nz)
    scale = 1.0 / length if length > 0.0 else 0.0
    nx, ny, nz = nx * scale, ny * scale, nz * scale
    red = green = blue = 0.0
    for k in range(len(lights)):
        up = lights[k, L_DIRECTION + 2]
        facing = nx * lights[k, L_DIRECTION] + ny * lights[k, L_DIRECTION + 1] + nz * up
        mirrored = max(0.0, 2.0 * facing * nz - up)
        back = lights[k, L_DIFFUSE] * max(0.0, facing) + lights[k, L_SPECULAR] * mirrored * mirrored
        if lights[k, L_SHADOW] >= 0.0:
            back *= shares[int(lights[k, L_SHADOW])]
        red += lights[k, L_AMBIENT] + back * lights[k, L_COLOR]
        green += lights[k, L_AMBIENT + 1] + back * lights[k, L_COLOR + 1]
        blue += lights[k, L_AMBIENT + 2] + back * lights[k, L_COLOR + 2]
    return red, green, blue


@_compiled
def _texel(u: float, v: float, columns: int, rows: int) -> int:
    """Number of the texel at (u, v); images repeat."""
    if not (abs(u) < 1e15 and abs(v) < 1e15):
        return 0
    column = min(int((u - math.floor(u)) * columns), columns - 1)
    row = min(int((v - math.floor(v)) * rows), rows - 1)
    return row * columns + column


@array_function(arrays)
def shade(
    geometry: Geometry,
    instances: Instances,
    textures: Textures,
    lighting: Lighting,
    raster: Raster,
    projector: F64,
    colors: U8,
    mix: bool,
) -> None:
    """Colour the pixels on which something was drawn.

    Args:
        geometry: The meshes.
        instances: What is where.
        textures: The images.
        lighting: The lights.
        raster: What was drawn.
        projector: From world to texture coordinates (rows of x, y, -, w), which replace those of
            the meshes, (4, 4); without rows: not used.
        colors: Rows from the top, (height, width, 4).
        mix: Lay the colours over those that are there, by their opacity.
    """
    height, width = colors.shape[0], colors.shape[1]
    numbers, source, texels, lights = raster.number, raster.source, textures.texels, lighting.lights
    maps = len(lighting.maps)
    t, shares = np.empty((T_SEEN + 4 * maps, 3)), np.ones(maps + 1)
    last, flat, steady = -1, False, False
    start, columns, rows = 0, 0, 0
    tint = (1.0, 1.0, 1.0, 1.0)
    gain = (0.0, 0.0, 0.0)
    red = green = blue = 0
    for y in range(height):
        out = height - 1 - y
        for x in range(width):
            number = numbers[y * width + x]
            if number < 0:
                continue
            if number != last:
                last = number
                i, face = int(source[number, 0]), int(source[number, 1])
                flat = _load(
                    geometry, instances.models[i], face, raster.edges[number], lighting,
                    projector, t,
                )  # fmt: skip
                tint, start, columns, rows = _skin(instances, textures, i)
                flat = flat and maps == 0
                if flat:
                    nx, ny = _at(t, T_NORMAL, x, y), _at(t, T_NORMAL + 1, x, y)
                    gain = _light(lights, shares, nx, ny, _at(t, T_NORMAL + 2, x, y))
                steady = False
            if not steady:
                if not flat:
                    for m in range(maps):
                        shares[m] = _share(lighting, m, t, x, y)
                    nx, ny = _at(t, T_NORMAL, x, y), _at(t, T_NORMAL + 1, x, y)
                    gain = _light(lights, shares, nx, ny, _at(t, T_NORMAL + 2, x, y))
                red = green = blue = 255
                if columns > 0:
                    below = 1.0 / _at(t, T_BELOW, x, y)
                    u, v = below * _at(t, T_U, x, y), below * _at(t, T_V, x, y)
                    at = start + 3 * _texel(u, v, columns, rows)
                    red, green, blue = int(texels[at]), int(texels[at + 1]), int(texels[at + 2])
                red = _byte(_byte(red * tint[0]) * gain[0])
                green = _byte(_byte(green * tint[1]) * gain[1])
                blue = _byte(_byte(blue * tint[2]) * gain[2])
                steady = flat and columns == 0
            if mix:
                rest = 1.0 - tint[3]
                colors[out, x, 0] = _byte(tint[3] * red + rest * colors[out, x, 0])
                colors[out, x, 1] = _byte(tint[3] * green + rest * colors[out, x, 1])
                colors[out, x, 2] = _byte(tint[3] * blue + rest * colors[out, x, 2])
            else:
                colors[out, x, 0], colors[out, x, 1], colors[out, x, 2] = red, green, blue


@_compiled
def _skin(
    instances: Instances, textures: Textures, i: int
) -> tuple[tuple[float, float, float, float], int, int, int]:
    """Colour and opacity; first byte, columns and rows of the texture, all 0 without one."""
    c = instances.colors
    color = (float(c[i, 0]), float(c[i, 1]), float(c[i, 2]), float(c[i, 3]))
    row = instances.texture[i]
    if row < 0:
        return color, 0, 0, 0
    p = textures.places
    return color, p[row, 0], p[row, 1], p[row, 2]
