"""Soft bodies from URDF files, and soft bodies that are drawn with a mesh of their own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pybullet
import pytest

import unibody.bullet
from tests.bullet.soft.cubes import cube_of_tetrahedra
from tests.support.duo import DATA, connected
from unibody.bullet import error
from unibody.errors import NotSupportedError

INERTIA = '<inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/>'
INERTIAL = f'<inertial><mass value="2"/>{INERTIA}</inertial>'
NEO_HOOKEAN = '<neohookean mu="800" lambda="1500" damping="0.01"/>'
COROTATED = '<corotated mu="600" lambda="1000"/>'
SPRINGS = '<spring elastic_stiffness="40" damping_stiffness="0.5" bending_stiffness="2"/>'
VISUAL = '<visual filename="cube.vtk"/>'


def _urdf(folder: Path, *parts: str) -> str:
    file = folder / "body.urdf"
    inside = "".join(parts)
    file.write_text(f'<robot name="r"><deformable name="jelly">{inside}</deformable></robot>')
    return str(file)


def _particles(p: Any, body: int) -> Any:
    return np.array(p.getMeshData(body, -1, flags=p.MESH_DATA_SIMULATION_MESH)[1])


@pytest.mark.parametrize("law", [NEO_HOOKEAN, COROTATED], ids=["neo-Hookean", "corotated"])
def test_a_solid_of_a_urdf_file_falls_and_rebounds_as_in_pybullet(law: str, tmp_path: Path) -> None:
    cube_of_tetrahedra(tmp_path, 3, 0.2)
    margin, friction = '<collision_margin value="0.01"/>', '<friction value="0.3"/>'
    file = _urdf(tmp_path, INERTIAL, margin, friction, law, VISUAL)

    def heights(p: Any) -> Any:
        p.resetSimulation(p.RESET_USE_DEFORMABLE_WORLD)
        p.setGravity(0, 0, -10)
        p.loadURDF(f"{DATA}/plane.urdf")
        solid = p.loadURDF(file, [0, 0, 0.1], globalScaling=2.0)
        assert p.getBodyInfo(solid) == (b"", b"jelly")
        result: list[float] = []
        for _ in range(120):
            p.stepSimulation()
            result.append(_particles(p, solid)[:, 2].mean())
        return np.array(result)

    with connected(pybullet) as p:
        theirs = heights(p)
    with connected(unibody.bullet) as p:
        ours = heights(p)
    # It falls 0.1 m, is pressed by a fifth of its 0.4 m, and rebounds.
    np.testing.assert_allclose(ours.min(), theirs.min(), rtol=0.05)
    np.testing.assert_allclose(ours, theirs, atol=0.03)


def test_a_body_of_a_urdf_file_falls_by_its_factor_on_gravity(tmp_path: Path) -> None:
    cube_of_tetrahedra(tmp_path, 1, 0.2)
    file = _urdf(tmp_path, INERTIAL, '<gravity_factor value="0.5"/>', SPRINGS, VISUAL)
    with connected(unibody.bullet) as p:
        p.resetSimulation(p.RESET_USE_DEFORMABLE_WORLD)
        p.setGravity(0, 0, -10)
        body = p.loadURDF(file, [0, 0, 1])
        before = _particles(p, body)
        for _ in range(24):
            p.stepSimulation()
        # Steps of implicit Euler: g/2 dt^2 n (n + 1) / 2.
        fall = 5.0 / 240**2 * 24 * 25 / 2
        np.testing.assert_allclose(before[:, 2] - _particles(p, body)[:, 2], fall, rtol=1e-3)


@pytest.mark.parametrize(
    ("parts", "named"),
    [
        ((INERTIAL, NEO_HOOKEAN), "has no <visual>"),
        ((NEO_HOOKEAN, VISUAL), "has no <inertial>"),
        ((INERTIAL, '<neohookean mu="1"/>', VISUAL), "lambda"),
        ((INERTIAL, '<spring elastic_stiffness="1"/>', VISUAL), "damping_stiffness"),
        ((INERTIAL, "<friction/>", VISUAL), "value"),
        ((INERTIAL, '<visual filename="nothing.vtk"/>'), "nothing.vtk"),
        ((INERTIAL, '<visual filename="cube.stl"/>'), ".obj and .vtk"),
    ],
)
def test_what_a_urdf_file_of_a_soft_body_lacks_is_named(
    parts: tuple[str, ...], named: str, tmp_path: Path
) -> None:
    cube_of_tetrahedra(tmp_path, 1, 0.2)
    with connected(unibody.bullet) as p:
        p.resetSimulation(p.RESET_USE_DEFORMABLE_WORLD)
        with pytest.raises(error, match=named):
            p.loadURDF(_urdf(tmp_path, *parts))
        assert p.getNumBodies() == 0


def test_other_strides_of_bending_springs_are_not_supported(tmp_path: Path) -> None:
    cube_of_tetrahedra(tmp_path, 1, 0.2)
    with connected(unibody.bullet) as p:
        wide = SPRINGS.replace("/>", ' bending_stride="3"/>')
        with pytest.raises(NotSupportedError, match="bending_stride"):
            p.loadURDF(_urdf(tmp_path, INERTIAL, wide, VISUAL))


def test_a_mesh_that_is_drawn_follows_the_one_that_is_simulated_as_in_pybullet(
    tmp_path: Path,
) -> None:
    solid = cube_of_tetrahedra(tmp_path, 2, 2.0)

    def drawn(p: Any) -> list[Any]:
        p.resetSimulation(p.RESET_USE_DEFORMABLE_WORLD)
        ball, cube = f"{DATA}/sphere_smooth.obj", f"{DATA}/cube.obj"
        bodies = [
            p.loadSoftBody(ball, [1, 2, 3], scale=0.5, simFileName=solid, useNeoHookean=1),
            p.loadSoftBody(cube, [0, 0, 9], simFileName=ball, useMassSpring=1),
        ]
        p.stepSimulation()  # PyBullet puts what is drawn to its place in a step
        found = [np.array(p.getMeshData(body, -1)[1]) for body in bodies]
        return [*found, *(_particles(p, body) for body in bodies)]

    with connected(pybullet) as p:
        theirs = drawn(p)
    with connected(unibody.bullet) as p:
        ours = drawn(p)
    for mine, other in zip(ours, theirs, strict=True):
        # Numbers of 32 bits near 10 are 1e-6 apart.
        np.testing.assert_allclose(mine, other, atol=1e-5)


def test_a_mesh_that_is_drawn_is_deformed_like_the_one_that_is_simulated(tmp_path: Path) -> None:
    solid = cube_of_tetrahedra(tmp_path, 2, 2.0)
    with connected(unibody.bullet) as p:
        p.resetSimulation(p.RESET_USE_DEFORMABLE_WORLD)
        body = p.loadSoftBody(f"{DATA}/sphere_smooth.obj", simFileName=solid, useNeoHookean=1)
        before = np.array(p.getMeshData(body, -1)[1])
        shear = np.array([[1.0, 0.4, 0.0], [0.0, 0.7, 0.1], [0.2, 0.0, 1.1]])
        p.resetMeshData(body, (_particles(p, body) @ shear.T).tolist())
        # Barycentric coordinates survive linear maps.
        np.testing.assert_allclose(p.getMeshData(body, -1)[1], before @ shear.T, atol=1e-5)
        view = p.computeViewMatrix([0, 0, 9], [0, 0, 0], [0, 1, 0])
        lens = p.computeProjectionMatrixFOV(60, 1.0, 0.1, 20)
        labels = p.getCameraImage(64, 64, view, lens, renderer=p.ER_TINY_RENDERER)[4]
        assert (np.reshape(labels, (64, 64)) == body).any()


def test_the_visual_shape_of_a_soft_body_names_its_file_as_in_pybullet(tmp_path: Path) -> None:
    solid = cube_of_tetrahedra(tmp_path, 1, 0.2)
    file = _urdf(tmp_path, INERTIAL, NEO_HOOKEAN, VISUAL)

    def named(p: Any) -> list[Any]:
        p.resetSimulation(p.RESET_USE_DEFORMABLE_WORLD)
        bodies = [p.loadSoftBody(f"{DATA}/cloth_z_up.obj"), p.loadSoftBody(solid), p.loadURDF(file)]
        return [p.getVisualShapeData(body)[0][1:5] for body in bodies]

    with connected(pybullet) as p:
        theirs = named(p)
    with connected(unibody.bullet) as p:
        assert named(p) == theirs
