"""Triangle meshes for tests, and scenes with one of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unibody.core.assets.description import Asset, Inertial, Joint, Link, MeshSource, Pose, Shape
from unibody.core.assets.description import ShapeKind as Kind
from unibody.core.engine.records.options import BodyOptions, WorldOptions
from unibody.core.engine.scene.scene import Scene

Mesh = tuple[NDArray[np.float64], NDArray[np.int64]]  # vertices (V, 3) [m], triangles (F, 3)
GROUND, BODY = 0, 1  # ids
SHAPES = {  # all stand with their middle 0.1 m above the ground
    "sphere": Shape(Kind.SPHERE, (0.1,)),
    "box": Shape(Kind.BOX, (0.2, 0.2, 0.2)),
    "cylinder": Shape(Kind.CYLINDER, (0.1, 0.2)),
    "capsule": Shape(Kind.CAPSULE, (0.06, 0.08)),
    "ellipsoid": Shape(Kind.ELLIPSOID, (0.1, 0.1, 0.1)),
}


def sheet(cells: int, size: float, height: Callable[[Any, Any], Any]) -> Mesh:
    """A square sheet of 2 * cells**2 triangles."""
    line = np.linspace(-size / 2, size / 2, cells + 1)
    x, y = np.meshgrid(line, line, indexing="ij")
    column, row = np.meshgrid(np.arange(cells), np.arange(cells), indexing="ij")
    a = (column * (cells + 1) + row).ravel()
    b, c, d = a + cells + 1, a + cells + 2, a + 1
    faces = np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])
    return np.stack([x.ravel(), y.ravel(), height(x, y).ravel()], 1), faces


def flat(cells: int = 6, size: float = 3.0) -> Mesh:
    """A level sheet."""
    return sheet(cells, size, lambda x, _: 0.0 * x)


def torus(ring: float, tube: float) -> Mesh:
    """A torus about z of 32 by 16 cells, whose faces look outwards."""
    u, w = np.meshgrid(np.arange(32) * np.pi / 16, np.arange(16) * np.pi / 8, indexing="ij")
    out = ring + tube * np.cos(w)
    vertices = np.stack([out * np.cos(u), out * np.sin(u), tube * np.sin(w)], -1)
    i, j = np.meshgrid(np.arange(32), np.arange(16), indexing="ij")
    a, b = i * 16 + j, (i + 1) % 32 * 16 + j
    c, d = (i + 1) % 32 * 16 + (j + 1) % 16, i * 16 + (j + 1) % 16
    faces = np.concatenate([np.stack([a, b, c], -1), np.stack([a, c, d], -1)])
    return vertices.reshape(-1, 3), faces.reshape(-1, 3)


def stairs(count: int = 5, run: float = 0.3, rise: float = 0.1) -> Mesh:
    """Steps upwards along x, two metres wide, with edges along y."""
    vertices: list[tuple[float, float, float]] = []
    faces: list[tuple[int, int, int]] = []
    for k in range(count):
        x, z = k * run, k * rise
        for (xa, za), (xb, zb) in (((x, z), (x, z + rise)), ((x, z + rise), (x + run, z + rise))):
            n = len(vertices)
            vertices += [(xa, -1.0, za), (xb, -1.0, zb), (xb, 1.0, zb), (xa, 1.0, za)]
            faces += [(n, n + 1, n + 2), (n, n + 2, n + 3)]
    return np.array(vertices), np.array(faces)


def shape_of(mesh: Mesh) -> Shape:
    """A concave shape."""
    vertices = tuple((x, y, z) for x, y, z in mesh[0].tolist())
    faces = tuple((a, b, c) for a, b, c in mesh[1].tolist())
    return Shape(
        Kind.MESH, mesh=MeshSource(name="mesh", vertices=vertices, faces=faces), concave=True
    )


def asset_of(*shapes: Shape, mass: float = 1.0) -> Asset:
    """One link with some shapes."""
    inertial = Inertial(mass=mass, inertia=(0.01, 0.01, 0.01, 0.0, 0.0, 0.0))
    return Asset("asset", [Link("link", -1, Joint(), inertial, [], list(shapes))])


def scene_with(mesh: Mesh, shape: Shape, pose: Pose, *, ground: Pose | None = None) -> Scene:
    """A body of one shape, and a mesh that stands still."""
    scene = Scene(WorldOptions(gravity=(0.0, 0.0, -9.8), contact_reach=0.02))
    fixed = BodyOptions(fixed=True, pose=ground or Pose())
    scene.add(GROUND, asset_of(shape_of(mesh)), fixed)
    scene.add(BODY, asset_of(shape), BodyOptions(pose=pose))
    return scene


def run(scene: Scene, steps: int) -> NDArray[np.float64]:
    """Position and quaternion of the body after some steps, (7,)."""
    for _ in range(steps):
        scene.world.step()
    return np.array(scene.world.data.qpos[:7])
