"""Collision and visual shapes of assets, and assets of another size."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.isaacgym.asset_files import BOX, joint, link, load_mjcf, load_urdf, options
from unibody.core.assets.description import Shape, ShapeKind
from unibody.core.assets.mass import properties as mass
from unibody.core.assets.mesh.load import load_mesh
from unibody.core.assets.scaling import scaled_tree
from unibody.errors import InvalidArgumentError
from unibody.isaacgym.models import builtin, shapes
from unibody.isaacgym.models.model import Model


def cube(x: float, name: str, first: int) -> str:
    """A unit cube at x as a group of an .obj file, its vertices counted from ``first``."""
    corners = [(x + a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1)]
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    lines = [f"o {name}", *(f"v {a} {b} {c}" for a, b, c in corners)]
    lines += ["f " + " ".join(str(first + corner) for corner in quad) for quad in quads]
    return "\n".join(lines) + "\n"


def two_cubes(folder: Path, **values: object) -> Model:
    (folder / "m.obj").write_text(cube(0, "a", 1) + cube(3, "b", 9))
    mesh = '<geometry><mesh filename="m.obj"/></geometry>'
    shapes = f"<visual>{mesh}</visual><collision>{mesh}</collision>"
    return load_urdf(folder, link("a", shapes, mass=None), density=1.0, **values)


def volumes(model: Model) -> list[float]:
    return [mass.geometry([shape]).mass for shape in model.tree.links[0].collisions]


def test_a_mesh_of_several_parts_collides_as_one_convex_hull(tmp_path: Path) -> None:
    model = two_cubes(tmp_path)
    assert volumes(model) == pytest.approx([4.0])
    assert model.tree.links[0].inertial.mass == pytest.approx(4.0)
    assert len(model.shape_properties) == 1


def test_sub_meshes_can_be_the_convex_decomposition(tmp_path: Path) -> None:
    model = two_cubes(tmp_path, convex_decomposition_from_submeshes=True)
    assert volumes(model) == pytest.approx([1.0, 1.0])
    assert [(shape.body, shape.number) for shape in model.shapes] == [(0, 0), (0, 1)]


def test_a_decomposition_takes_a_mesh_apart(tmp_path: Path) -> None:
    model = two_cubes(tmp_path, vhacd_enabled=True)
    assert len(model.shapes) == 2
    assert volumes(model) == pytest.approx([1.0, 1.0])


def test_a_decomposition_makes_no_more_pieces_than_allowed(tmp_path: Path) -> None:
    chosen = options(vhacd_enabled=True)
    chosen.vhacd_params.max_convex_hulls = 1
    model = two_cubes(tmp_path, vhacd_enabled=True, vhacd_params=chosen.vhacd_params)
    assert len(model.shapes) == 1


def test_a_hull_has_no_more_vertices_than_physx_takes(tmp_path: Path) -> None:
    angles = np.linspace(0.0, 2.0 * math.pi, 200, endpoint=False)
    rows = [f"v {math.cos(a)} {math.sin(a)} {z}" for z in (0, 1) for a in angles]
    faces = [f"f {i} {i + 1} {i + 200}" for i in range(1, 200)]
    (tmp_path / "m.obj").write_text("\n".join(rows + faces))
    mesh = '<collision><geometry><mesh filename="m.obj"/></geometry></collision>'
    model = load_urdf(tmp_path, link("a", mesh))
    source = model.tree.links[0].collisions[0].mesh
    assert source is not None
    assert 4 <= len(source.vertices) <= 64


@pytest.mark.parametrize(("replace", "kind"), [(False, "cylinder"), (True, "capsule")])
def test_cylinders_can_become_capsules_with_the_same_axis(
    tmp_path: Path, replace: bool, kind: str
) -> None:
    tube = '<geometry><cylinder radius="0.1" length="0.5"/></geometry>'
    shapes = f"<visual>{tube}</visual><collision>{tube}</collision>"
    model = load_urdf(tmp_path, link("a", shapes), replace_cylinder_with_capsule=replace)
    (shape,) = model.tree.links[0].collisions
    assert (shape.kind.value, shape.size) == (kind, (0.1, 0.5))
    assert model.tree.links[0].visuals[0].kind is ShapeKind.CYLINDER


def highest(model: Model) -> float:
    """Largest z of the vertices of the first visual."""
    shape = model.tree.links[0].visuals[0]
    assert shape.mesh is not None
    vertices = np.concatenate([part.vertices for part in load_mesh(shape.mesh)])
    return float((vertices @ mass.rotation(shape.pose.quat).T)[:, 2].max())


@pytest.mark.parametrize("flip", [False, True])
def test_visual_meshes_with_y_up_can_be_turned_to_z_up(tmp_path: Path, flip: bool) -> None:
    (tmp_path / "m.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 5 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\n")
    mesh = '<visual><geometry><mesh filename="m.obj"/></geometry></visual>'
    model = load_urdf(tmp_path, link("a", mesh + BOX), flip_visual_attachments=flip)
    assert highest(model) == pytest.approx(5.0 if flip else 1.0)


DAE = """<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><up_axis>{}</up_axis></asset><library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="f" count="12">0 0 0 1 0 0 0 5 0 0 0 1</float_array>
<technique_common><accessor source="#f" count="4" stride="3"/></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="2"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2 0 1 3</p>
</triangles></mesh></geometry></library_geometries><library_visual_scenes>
<visual_scene id="s"><node><instance_geometry url="#g"/></node></visual_scene>
</library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>"""


@pytest.mark.parametrize(("up", "height"), [("Z_UP", 1.0), ("Y_UP", 5.0)])
def test_a_dae_file_is_turned_only_where_it_says_that_y_is_up(
    tmp_path: Path, up: str, height: float
) -> None:
    (tmp_path / "m.dae").write_text(DAE.format(up))
    mesh = '<visual><geometry><mesh filename="m.dae"/></geometry></visual>'
    model = load_urdf(tmp_path, link("a", mesh + BOX), flip_visual_attachments=True)
    assert highest(model) == pytest.approx(height)


FIELD = '<geometry><mesh filename="m.obj"/></geometry><sdf resolution="256"/>'


def test_convex_pieces_stand_for_a_signed_distance_field_with_a_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "m.obj").write_text(cube(0, "a", 1) + cube(2, "b", 9))
    model = load_urdf(tmp_path, link("a", f"<collision>{FIELD}</collision>"))
    # Each of the six sides may lie 0.05 mm inside of the mesh.
    assert volumes(model) == pytest.approx([1.0, 1.0], rel=3e-4)
    assert "convex pieces" in capsys.readouterr().err
    assert not model.tree.links[0].collisions[0].concave


# A cube of 1 m whose upper side is a funnel: neither a prism nor a ring.
FUNNEL = """v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\nv 0.5 0.5 0.4
f 1 4 3 2\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\nf 5 6 9\nf 6 7 9\nf 7 8 9\nf 8 5 9
"""


def test_a_hull_stands_for_the_signed_distance_field_of_a_very_fine_mesh(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shapes, "_MOST_FIELD_FACES", 10)
    (tmp_path / "m.obj").write_text(FUNNEL)
    model = load_urdf(tmp_path, link("a", f"<collision>{FIELD}</collision>"))
    assert volumes(model) == pytest.approx([1.0])
    assert "convex hull" in capsys.readouterr().err


@given(st.floats(0.1, 5.0))
def test_a_scaled_asset_has_the_density_it_had(factor: float) -> None:
    model = builtin.capsule(0.5, 2.0, options(density=3.0))
    tree = scaled_tree(model.tree, factor)
    (part,) = tree.links
    expected = mass.geometry(part.collisions).scaled(3.0)
    found = mass.of_inertial(part.inertial)
    assert found.mass == pytest.approx(expected.mass)
    np.testing.assert_allclose(found.inertia, expected.inertia, rtol=1e-9, atol=1e-12)


def test_scaling_reaches_joints_limits_meshes_and_anchors(tmp_path: Path) -> None:
    (tmp_path / "m.obj").write_text(cube(0, "a", 1))
    mesh = '<geometry><mesh filename="m.obj" scale="1 2 3"/></geometry>'
    slide = joint("j", "a", "b", "prismatic", '<origin xyz="1 2 3"/>')
    turn = joint("k", "b", "c", "revolute")
    parts = link("a", f"<visual>{mesh}</visual><collision>{mesh}</collision>"), link("b"), link("c")
    model = load_urdf(tmp_path, *parts, slide, turn)
    tree = scaled_tree(model.tree, 2.0)
    base, sliding, turning = tree.links
    assert sliding.joint.origin.pos == (2.0, 4.0, 6.0)
    assert (sliding.joint.lower, sliding.joint.upper) == (-2.0, 4.0)
    assert (turning.joint.lower, turning.joint.upper) == (-1.0, 2.0)
    assert base.visuals[0].mesh is not None
    assert base.visuals[0].mesh.scale == (2.0, 4.0, 6.0)
    assert volumes_of(base.collisions) == pytest.approx(8.0 * volumes(model)[0])
    assert model.tree.links[1].joint.upper == 2.0


def test_scaling_reaches_the_anchor_of_a_joint(tmp_path: Path) -> None:
    arm = '<body name="arm"><joint name="j" pos="0 0 1"/><geom size="1"/></body>'
    model = load_mjcf(tmp_path, f'<body name="base"><geom size="1"/>{arm}</body>')
    assert scaled_tree(model.tree, 3.0).links[1].joint.anchor == pytest.approx((0.0, 0.0, 3.0))


def volumes_of(shapes: list[Shape]) -> float:
    return mass.geometry(shapes).mass


@pytest.mark.parametrize("factor", [0.0, -1.0, math.inf, math.nan])
def test_a_scale_without_a_meaning_is_refused(factor: float) -> None:
    with pytest.raises(InvalidArgumentError, match="scale"):
        scaled_tree(builtin.sphere(1.0, options()).tree, factor)
