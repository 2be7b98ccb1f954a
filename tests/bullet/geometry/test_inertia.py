"""Inertia from collision shapes is what PyBullet reports."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pybullet
import pybullet_data
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from unibody.bullet.geometry.inertia import (
    created_inertia,
    link_inertia,
    mesh_points,
    principal_axes,
)
from unibody.core.assets.description import Inertial, MeshSource, Pose, Shape, ShapeKind
from unibody.core.assets.paths import SearchPath
from unibody.core.assets.urdf import load_urdf

ROOT = Path(pybullet_data.getDataPath())
PLAIN = sorted(p for p in ROOT.rglob("*.urdf") if "random_urdfs" not in p.parts)
RANDOM = sorted(p for p in ROOT.rglob("*.urdf") if "random_urdfs" in p.parts)[::100]
# Mesh files are read as float32 by PyBullet; the rest is float64 algebra.
RELATIVE = 1e-6


@pytest.fixture(autouse=True, scope="module")
def _oracle() -> Iterator[None]:
    client = pybullet.connect(pybullet.DIRECT)
    assert client == 0
    pybullet.setPhysicsEngineParameter(enableFileCaching=0)  # files change under one name
    yield
    pybullet.disconnect(client)


def _compare(file: Path, flags: int) -> int:
    """Compare all links of a file; return how many, 0 where PyBullet refuses the file."""
    pybullet.resetSimulation()
    try:
        body = pybullet.loadURDF(str(file), flags=flags)
    except pybullet.error:
        return 0
    links = load_urdf(file, search_path=SearchPath((str(ROOT),))).links
    assert len(links) == pybullet.getNumJoints(body) + 1
    for index, link in enumerate(links):
        found = link_inertia(
            link,
            use_file_inertia=bool(flags & pybullet.URDF_USE_INERTIA_FROM_FILE),
            use_implicit_cylinder=bool(flags & pybullet.URDF_USE_IMPLICIT_CYLINDER),
        )
        expected = pybullet.getDynamicsInfo(body, index - 1)[2]
        assert found == pytest.approx(expected, rel=RELATIVE, abs=1e-14), (file, link.name)
    return len(links)


@pytest.mark.slow
def test_every_link_of_the_urdfs_of_pybullet_data_has_the_inertia_pybullet_gives_it() -> None:
    compared = [_compare(file, 0) for file in PLAIN + RANDOM]
    assert sum(1 for count in compared if count) > 100
    assert sum(compared) > 600


@pytest.mark.parametrize(
    "flag", [pybullet.URDF_USE_INERTIA_FROM_FILE, pybullet.URDF_USE_IMPLICIT_CYLINDER]
)
def test_inertia_from_the_file_and_implicit_cylinders_follow_pybullets_flags(flag: int) -> None:
    names = ("r2d2.urdf", "a1/a1.urdf", "xarm/xarm6_robot.urdf", "husky/husky.urdf")
    for name in names:
        assert _compare(ROOT / name, flag) > 0


LINK = """<robot name="one"><link name="base"><contact>{contact}</contact>
<inertial><origin xyz="{xyz}" rpy="{rpy}"/><mass value="{mass}"/>
<inertia ixx="{ixx}" iyy="{iyy}" izz="{izz}" ixy="{ixy}" ixz="{ixz}" iyz="{iyz}"/></inertial>
{collisions}</link></robot>"""
COLLISION = """<collision {concave}><origin xyz="{xyz}" rpy="{rpy}"/>
<geometry>{geometry}</geometry></collision>"""
GEOMETRIES = (
    '<box size="0.3 0.2 0.1"/>',
    '<sphere radius="0.2"/>',
    '<cylinder radius="0.1" length="0.4"/>',
    '<capsule radius="0.1" length="0.4"/>',
    f'<mesh filename="{ROOT}/duck.obj" scale="0.1 0.2 0.3"/>',
    f'<mesh filename="{ROOT}/r2d2_gripper.stl"/>',
    '<plane normal="0 0 1"/>',
)


def _write(path: Path, collisions: str = "", **values: object) -> Path:
    defaults = dict.fromkeys(("ixx", "iyy", "izz"), 1) | dict.fromkeys(("ixy", "ixz", "iyz"), 0)
    defaults |= {"xyz": "0 0 0", "rpy": "0 0 0", "mass": 2, "contact": ""}
    file = path / "one.urdf"
    file.write_text(LINK.format(collisions=collisions, **(defaults | values)))
    return file


def _collision(geometry: str, xyz: str = "0 0 0", rpy: str = "0 0 0", concave: str = "") -> str:
    return COLLISION.format(geometry=geometry, xyz=xyz, rpy=rpy, concave=concave)


@pytest.fixture(scope="module")
def geometries(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, ...]:
    """The geometries, with mesh files that exist."""
    folder = tmp_path_factory.mktemp("meshes")
    corners = [(x, y, z) for x in (0.0, 0.3) for y in (-0.1, 0.2) for z in (0.05, 0.4)]
    vertices = "".join(f"v {x} {y} {z}\n" for x, y, z in corners)
    faces = "f 1 2 3\nf 4 5 6\nf 6 7 8\n"
    far = "v 1 1 1\nv 2 1 1\nv 1 2 1.5\nv 1 1 2\n"
    (folder / "two.obj").write_text(
        f"o one\n{vertices}{faces}o other\n{far}f 9 10 11\nf 9 11 12\nf 10 11 12\n"
    )
    triangles = [[corners[(k + j) % 8] for j in range(3)] for k in range(8)]
    facets = np.zeros(8, dtype=[("values", "<f4", (4, 3)), ("attribute", "<u2")])
    facets["values"][:, 1:] = triangles
    (folder / "box.stl").write_bytes(bytes(80) + np.uint32(8).tobytes() + facets.tobytes())
    return (
        *GEOMETRIES[:4],
        f'<mesh filename="{folder}/two.obj" scale="0.1 0.2 0.3"/>',
        f'<mesh filename="{folder}/box.stl" scale="1 0.5 2"/>',
        GEOMETRIES[6],
    )


@pytest.mark.parametrize("index", range(7))
@pytest.mark.parametrize("concave", ["", 'concave="yes"'])
@pytest.mark.parametrize("flags", [0, pybullet.URDF_USE_IMPLICIT_CYLINDER])
def test_a_single_shape_in_the_inertial_frame_has_its_own_formula(
    tmp_path: Path, geometries: tuple[str, ...], index: int, concave: str, flags: int
) -> None:
    file = _write(tmp_path, _collision(geometries[index], concave=concave))
    assert _compare(file, flags) == 1


@pytest.mark.parametrize("index", range(7))
@pytest.mark.parametrize("concave", ["", 'concave="yes"'])
def test_a_shape_away_from_the_inertial_frame_is_taken_as_the_box_around_it(
    tmp_path: Path, geometries: tuple[str, ...], index: int, concave: str
) -> None:
    shape = _collision(geometries[index], "0.1 0.2 -0.3", "0.4 -0.5 2", concave)
    assert _compare(_write(tmp_path, shape, xyz="0 0.05 0.1", rpy="0.3 1 0.2"), 0) == 1


numbers = st.floats(-0.5, 0.5).map(lambda value: f"{value:.6f}")
triples = st.tuples(numbers, numbers, numbers).map(" ".join)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(
    st.lists(st.tuples(st.integers(0, 5), triples, triples), max_size=4),
    triples,
    triples,
    st.floats(0.01, 100.0),
)
def test_a_compound_is_taken_as_the_box_around_its_shapes(
    tmp_path: Path,
    geometries: tuple[str, ...],
    shapes: list[tuple[int, str, str]],
    xyz: str,
    rpy: str,
    mass: float,
) -> None:
    collisions = "".join(_collision(geometries[i], p, r) for i, p, r in shapes)
    assert _compare(_write(tmp_path, collisions, xyz=xyz, rpy=rpy, mass=mass), 0) == 1


def test_a_link_without_mass_has_no_inertia_from_shapes(tmp_path: Path) -> None:
    assert _compare(_write(tmp_path, _collision(GEOMETRIES[0]), mass=0), 0) == 1


@pytest.mark.parametrize("flags", [0, pybullet.URDF_USE_INERTIA_FROM_FILE])
def test_the_inertia_scaling_of_the_file_multiplies_the_inertia(tmp_path: Path, flags: int) -> None:
    contact = '<inertia_scaling value="3"/>'
    assert _compare(_write(tmp_path, _collision(GEOMETRIES[0]), contact=contact), flags) == 1


products = st.floats(-0.4, 0.4)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(products, products, products, st.floats(0.5, 2.0), st.floats(0.5, 2.0))
def test_moments_and_axes_of_a_stated_inertia_are_pybullets(
    tmp_path: Path, ixy: float, ixz: float, iyz: float, ixx: float, izz: float
) -> None:
    values = {"ixx": ixx, "iyy": 1.0, "izz": izz, "ixy": ixy, "ixz": ixz, "iyz": iyz}
    file = _write(tmp_path, **values)
    pybullet.resetSimulation()
    body = pybullet.loadURDF(str(file), flags=pybullet.URDF_USE_INERTIA_FROM_FILE)
    info = pybullet.getDynamicsInfo(body, -1)
    moments, axes = principal_axes(
        Inertial(mass=2.0, inertia=(ixx, 1.0, izz, ixy, ixz, iyz), pose=Pose())
    )
    # The last sweep leaves off-diagonal elements of up to 1e-6 of the trace squared.
    assert moments == pytest.approx(info[2], rel=1e-9, abs=1e-12)
    assert axes == pytest.approx(pybullet.getMatrixFromQuaternion(info[4]), abs=1e-6)


def _created(shape: int, mass: float = 2.0, **inertial: object) -> tuple[float, ...]:
    body = pybullet.createMultiBody(mass, shape, **inertial)
    return pybullet.getDynamicsInfo(body, -1)[2]


def _mesh(file: str) -> Shape:
    return Shape(ShapeKind.MESH, mesh=MeshSource(file=str(ROOT / file), scale=(0.1, 0.2, 0.3)))


SCALE = (0.1, 0.2, 0.3)
MESHES = (str(ROOT / "duck.obj"), str(ROOT / "kuka_iiwa/meshes/link_3.stl"))
CREATED = {
    "box": (Shape(ShapeKind.BOX, (0.6, 0.4, 0.2)), {"halfExtents": (0.3, 0.2, 0.1)}),
    "sphere": (Shape(ShapeKind.SPHERE, (0.3,)), {"radius": 0.3}),
    "cylinder": (Shape(ShapeKind.CYLINDER, (0.1, 0.5)), {"radius": 0.1, "height": 0.5}),
    "capsule": (Shape(ShapeKind.CAPSULE, (0.1, 0.5)), {"radius": 0.1, "height": 0.5}),
    "plane": (Shape(ShapeKind.PLANE), {}),
} | {
    file[-4:]: (
        Shape(ShapeKind.MESH, mesh=MeshSource(file=file, scale=SCALE)),
        {"fileName": file, "meshScale": SCALE},
    )
    for file in MESHES
}


@pytest.mark.parametrize("name", CREATED)
def test_a_created_body_has_the_inertia_pybullet_gives_it(name: str) -> None:
    ours, theirs = CREATED[name]
    shape = pybullet.createCollisionShape(getattr(pybullet, f"GEOM_{ours.kind.name}"), **theirs)
    expected = _created(shape)
    assert created_inertia(2.0, [ours], Pose()) == pytest.approx(expected, rel=RELATIVE)
    position = (0.1, 0.2, 0.3)
    expected = _created(shape, baseInertialFramePosition=position)
    found = created_inertia(2.0, [ours], Pose(position))
    assert found == pytest.approx(expected, rel=RELATIVE)


def test_a_created_compound_and_the_links_below_it_have_pybullets_inertia() -> None:
    shape = pybullet.createCollisionShapeArray(
        shapeTypes=[pybullet.GEOM_SPHERE, pybullet.GEOM_BOX],
        radii=[0.2, 0.0],
        halfExtents=[[0, 0, 0], [0.1, 0.2, 0.3]],
        collisionFramePositions=[[0.1, 0, 0], [0, 0.5, 0]],
        collisionFrameOrientations=[[0, 0, 0, 1], [0, 0, 0.6, 0.8]],
    )
    shapes = [
        Shape(ShapeKind.SPHERE, (0.2,), Pose((0.1, 0.0, 0.0))),
        Shape(ShapeKind.BOX, (0.2, 0.4, 0.6), Pose((0.0, 0.5, 0.0), (0.8, 0.0, 0.0, 0.6))),
    ]
    expected = _created(shape)
    assert created_inertia(2.0, shapes, Pose()) == pytest.approx(expected, rel=RELATIVE)
    body = pybullet.createMultiBody(
        0.0,
        -1,
        linkMasses=[3.0, 1.0],
        linkCollisionShapeIndices=[shape, -1],
        linkVisualShapeIndices=[-1, -1],
        linkPositions=[[0, 0, 1]] * 2,
        linkOrientations=[[0, 0, 0, 1]] * 2,
        linkInertialFramePositions=[[0.1, 0.2, 0.3]] * 2,
        linkInertialFrameOrientations=[[0.6, 0, 0, 0.8]] * 2,
        linkParentIndices=[0, 0],
        linkJointTypes=[pybullet.JOINT_REVOLUTE] * 2,
        linkJointAxis=[[0, 0, 1]] * 2,
    )
    frame = Pose((0.1, 0.2, 0.3), (0.8, 0.6, 0.0, 0.0))
    expected = pybullet.getDynamicsInfo(body, 0)[2]
    assert created_inertia(3.0, shapes, frame) == pytest.approx(expected, rel=RELATIVE)
    assert created_inertia(1.0, [], frame) == pybullet.getDynamicsInfo(body, 1)[2]


def test_the_points_of_a_mesh_come_scaled_and_by_group() -> None:
    groups = mesh_points(MeshSource(file=str(ROOT / "cube.obj"), scale=(2.0, 3.0, 4.0)))
    assert [points.shape[1] for points in groups] == [3]
    assert groups[0].max(axis=0) == pytest.approx((1.0, 1.5, 2.0))
