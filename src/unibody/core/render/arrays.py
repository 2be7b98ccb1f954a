"""The arrays that kernels work on."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]
I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
U8 = NDArray[np.uint8]
Vec3 = tuple[float, float, float]
Edges = tuple[Vec3, Vec3, Vec3]  # (a, b, c) of functions a x + b y + c, positive inside
Box = tuple[int, int, int, int]  # first and last column, first and last row


class Geometry(NamedTuple):
    """All meshes, one behind the other, each in its own frame."""

    points: F32  # (P, 3) m
    corners: I32  # (F, 3), rows of ``points``
    normals: F32  # (V, 3), unit vectors
    uvs: F32  # (V, 2)
    faces: I32  # (F, 3), rows of ``normals`` and ``uvs``
    planes: F32  # (F, 4): a normal and its product with a corner
    meshes: I32  # (M, 4): first point, points, first face, faces
    spheres: F64  # (M, 4): centre and radius of a sphere around it


class Instances(NamedTuple):
    """What is where; one row an instance."""

    mesh: I32  # row of ``Geometry.meshes``
    double_sided: NDArray[np.bool_]
    colors: F32  # (I, 4)
    texture: I32  # row of ``Textures.places``; -1: none
    models: F64  # (I, 12): rows of the 3 x 4 matrix T_world_instance


class Textures(NamedTuple):
    """All images, one behind the other: rows from the bottom, RGB."""

    texels: U8
    places: I64  # (T, 3): first byte, width, height


class Raster(NamedTuple):
    """What ``draw`` works on and finds."""

    depth: F64  # (height * width,)
    number: I32  # (height * width,): row of ``edges`` and ``source``, or ``NOTHING``
    edges: F64  # (T, 9): (a, b, c) of three functions a x + b y + c, positive inside
    source: I32  # (T, 2): instance, face
    points: F64  # (P, POINT_SIZE), for the points of one mesh


class Lighting(NamedTuple):
    """Lights, and what they see of the scene."""

    lights: F64  # (L, LIGHT_SIZE); L_SHADOW: row of ``maps``, or -1
    maps: F64  # (S, SHADOW_SIZE)
    matrices: F64  # (S, 4, 4): from world to the map, x and y in pixels
    depths: F64  # (S, height * width): depth of what is nearest to the light
    width: int
    height: int
