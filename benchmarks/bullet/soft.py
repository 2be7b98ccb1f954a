"""Deformable bodies in PyBullet's world of soft bodies."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from itertools import permutations
from pathlib import Path

import numpy as np

from benchmarks.bullet.registry import Module, Prepared, work

_FAMILY = "Soft bodies"
STEPS = 40


@work("cloth_anchors", _FAMILY, "a cloth that a box hangs from, above a plane", "steps/s")
def cloth_anchors(p: Module) -> Prepared:
    """The scene of PyBullet's example of anchors: two corners fixed, two held by a box."""
    _world(p)
    cloth = _cloth(p, (0, 0, 2))
    box = p.loadURDF("cube.urdf", [0, 1, 2], useMaximalCoordinates=True)
    for particle in (24, 20):
        p.createSoftBodyAnchor(cloth, particle, -1, -1)
    p.createSoftBodyAnchor(cloth, 15, box, -1, [0.5, -0.5, 0])
    p.createSoftBodyAnchor(cloth, 19, box, -1, [-0.5, -0.5, 0])
    return _steps(p)


@work("cloth_at_rest", _FAMILY, "a cloth on a plane", "steps/s")
def cloth_at_rest(p: Module) -> Prepared:
    """A cloth that fell on a plane: every particle touches it."""
    return _fallen_cloths(p, (2,))


@work("cloths_stacked_2", _FAMILY, "two cloths on one another, on a plane", "steps/s")
def cloths_stacked_2(p: Module) -> Prepared:
    """Two cloths that fell on one another."""
    return _fallen_cloths(p, (1, 2))


@work("cloths_stacked_3", _FAMILY, "three cloths on one another, on a plane", "steps/s")
def cloths_stacked_3(p: Module) -> Prepared:
    """Three cloths that fell on one another."""
    return _fallen_cloths(p, (1, 1.5, 2))


@work("deformable_bunny", _FAMILY, "a bunny of springs that crumples on a plane", "steps/s")
def deformable_bunny(p: Module) -> Prepared:
    """The scene of PyBullet's example of inertia, 453 particles, once the bunny is down."""
    _world(p)
    p.loadURDF("cube.urdf", [0, 3, 2], useMaximalCoordinates=True)
    p.loadSoftBody(
        "bunny.obj", basePosition=[0, 0, 1], scale=0.5, mass=1.0, useBendingSprings=1,
        useMassSpring=1, springElasticStiffness=100, springDampingStiffness=0.001,
        useSelfCollision=0, frictionCoeff=0.5, useFaceContact=1,
    )  # fmt: skip
    p.setTimeStep(0.0005)
    _run(p, 1600)
    return _steps(p)


@work("deformable_ball", _FAMILY, "a neo-Hookean ball on a plane", "steps/s")
def deformable_ball(p: Module) -> Prepared:
    """The scene of PyBullet's example of a ball, which touches itself, once it is down."""
    _world(p)
    p.loadURDF("cube.urdf", [0, 3, 2], useMaximalCoordinates=True)
    with tempfile.TemporaryDirectory() as folder:
        p.loadSoftBody(
            _ball(Path(folder) / "ball.vtk"), basePosition=[0, 0, 0.6], scale=0.5, mass=4,
            useNeoHookean=1, NeoHookeanMu=400, NeoHookeanLambda=600, NeoHookeanDamping=0.001,
            useSelfCollision=1, frictionCoeff=0.5, collisionMargin=0.001,
        )  # fmt: skip
    p.setTimeStep(0.001)
    p.setPhysicsEngineParameter(sparseSdfVoxelSize=0.25)
    _run(p, 400)
    return _steps(p)


def _fallen_cloths(p: Module, heights: Sequence[float]) -> Prepared:
    """Cloths dropped from heights [m], 300 steps later."""
    _world(p)
    for height in heights:
        _cloth(p, (0, 0, height))
    _run(p, 300)
    return _steps(p)


def _world(p: Module) -> None:
    """A plane in a world of soft bodies."""
    p.resetSimulation(p.RESET_USE_DEFORMABLE_WORLD)
    p.setGravity(0, 0, -10)
    p.loadURDF("plane.urdf")


def _cloth(p: Module, place: Sequence[float]) -> int:
    """A square of cloth of 25 particles."""
    return int(
        p.loadSoftBody(
            "cloth_z_up.obj", basePosition=list(place), scale=0.5, mass=1.0, useBendingSprings=1,
            useMassSpring=1, springElasticStiffness=40, springDampingStiffness=0.1,
            springDampingAllDirections=1, useSelfCollision=0, frictionCoeff=0.5, useFaceContact=1,
        )
    )  # fmt: skip


def _ball(file: Path) -> str:
    """Write a ball of radius 1 m, 512 particles and 2058 tetrahedra; its file.

    It is a cube of 7 x 7 x 7 cells of six tetrahedra each, whose shells are blown up to spheres.
    """
    count = 8
    grid = np.stack(np.meshgrid(*[np.arange(count)] * 3, indexing="ij"), axis=-1)
    points = 2.0 * grid.reshape(-1, 3) / (count - 1) - 1.0
    shells = np.abs(points).max(axis=1) / np.linalg.norm(points, axis=1)
    strides = (count * count, count, 1)
    starts = grid[:-1, :-1, :-1].reshape(-1, 3) @ strides
    cells: list[tuple[int, ...]] = []
    for ways in permutations(range(3)):
        a, b, c = np.cumsum([strides[axis] for axis in ways])
        odd = ways in ((0, 2, 1), (1, 0, 2), (2, 1, 0))  # these are inside out
        cells += [(s, s + b, s + a, s + c) if odd else (s, s + a, s + b, s + c) for s in starts]
    lines = ["# vtk DataFile Version 2.0", "ball", "ASCII", "DATASET UNSTRUCTURED_GRID"]
    lines += [f"POINTS {len(points)} double"]
    lines += [f"{x} {y} {z}" for x, y, z in points * shells[:, None]]
    lines += [f"CELLS {len(cells)} {5 * len(cells)}"]
    lines += [f"4 {a} {b} {c} {d}" for a, b, c, d in cells]
    lines += [f"CELL_TYPES {len(cells)}", *("10" for _ in cells)]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(file)


def _run(p: Module, steps: int) -> None:
    for _ in range(steps):
        p.stepSimulation()


def _steps(p: Module) -> Prepared:
    def chunk() -> None:
        _run(p, STEPS)

    return Prepared(chunk, STEPS)
