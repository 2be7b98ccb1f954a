"""Readers of mesh files: closed forms, and the bounding boxes that PyBullet gets from the files."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np
import pytest

from unibody.core.assets.description import MeshSource
from unibody.core.assets.limits import Limits
from unibody.core.assets.mesh.load import load_mesh, mesh_materials
from unibody.errors import AssetError

SQUARE = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"

DAE = """<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema">
 <asset><unit meter="0.01"/><up_axis>Y_UP</up_axis></asset>
 <library_geometries><geometry id="g"><mesh>
  <source id="p"><float_array id="a" count="12">0 0 0 100 0 0 100 200 0 0 200 0</float_array>
   <technique_common><accessor source="#a" stride="3"/></technique_common></source>
  <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
  {primitive}
 </mesh></geometry></library_geometries>
 <library_visual_scenes><visual_scene id="s">
  <node><translate>0 0 300</translate>{node}<instance_geometry url="#g"/></node>
 </visual_scene></library_visual_scenes>
 <scene><instance_visual_scene url="#s"/></scene>
</COLLADA>"""
POLYLIST = (
    '<polylist count="1"><input semantic="VERTEX" source="#v" offset="0"/>'
    "<vcount>4</vcount><p>0 1 2 3</p></polylist>"
)


def write(path: Path, content: str | bytes) -> MeshSource:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return MeshSource(str(path), path.name)


def stl_binary(triangles: np.ndarray, header: bytes = b"") -> bytes:
    rows = np.zeros(len(triangles), dtype=[("n", "<f4", 3), ("c", "<f4", (3, 3)), ("a", "<u2")])
    rows["c"] = triangles
    return header.ljust(80, b"\0") + struct.pack("<I", len(triangles)) + rows.tobytes()


def test_an_obj_gives_one_mesh_for_each_group_or_object_with_faces(tmp_path: Path) -> None:
    text = (
        f"{SQUARE}o first\nf 1 2 3\ng empty\ng second part\nusemtl red\nf 1 3 4\nusemtl blue\n"
        "f 1 2 4\n"
    )
    meshes = load_mesh(write(tmp_path / "a.obj", text))
    assert [(mesh.name, len(mesh.faces)) for mesh in meshes] == [("first", 1), ("second", 2)]


def test_faces_before_the_first_group_are_a_group_without_a_name(tmp_path: Path) -> None:
    meshes = load_mesh(write(tmp_path / "a.obj", f"{SQUARE}f 1 2 3\ng b\nf 1 3 4\n"))
    assert [mesh.name for mesh in meshes] == ["", "b"]


def test_a_polygon_of_an_obj_becomes_a_fan(tmp_path: Path) -> None:
    (mesh,) = load_mesh(write(tmp_path / "a.obj", f"{SQUARE}f 1 2 3 4\n"))
    corners = mesh.vertices[mesh.faces]
    assert corners[0].tolist() == [[0, 0, 0], [1, 0, 0], [1, 1, 0]]
    assert corners[1].tolist() == [[0, 0, 0], [1, 1, 0], [0, 1, 0]]


@pytest.mark.parametrize(
    "face",
    ["1 2 3", "1/1 2/2 3/3", "1//1 2//1 3//1", "1/1/1 2/2/1 3/3/1", "-4 -3 -2", "1 2/2 3//1"],
)
def test_every_form_of_a_face_line_gives_the_same_triangle(tmp_path: Path, face: str) -> None:
    text = f"{SQUARE}vt 0 0\nvt 1 0\nvt 1 1\nvn 0 0 1\nf {face}\r\n"
    (mesh,) = load_mesh(write(tmp_path / "a.obj", text))
    assert mesh.vertices[mesh.faces[0]].tolist() == [[0, 0, 0], [1, 0, 0], [1, 1, 0]]
    assert (mesh.uv is not None) == ("1/1" in face or "2/2" in face)
    assert (mesh.normals is not None) == (face in ("1//1 2//1 3//1", "1/1/1 2/2/1 3/3/1"))


def test_a_negative_index_counts_back_from_its_own_line(tmp_path: Path) -> None:
    text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -2 -1\nv 5 5 5\nv 6 5 5\nv 5 6 5\nf -3 -2 -1\n"
    (mesh,) = load_mesh(write(tmp_path / "a.obj", text))
    assert mesh.vertices[mesh.faces[0]].max() == 1
    assert mesh.vertices[mesh.faces[1]].min() == 5


def test_colours_behind_a_position_are_not_positions(tmp_path: Path) -> None:
    text = "v 0 0 0 1 0 0\nv 1 0 0\nv 0 1 0 # end\nf 1 2 3\n"
    (mesh,) = load_mesh(write(tmp_path / "a.obj", text))
    assert mesh.vertices.max(axis=0).tolist() == [1, 1, 0]


def test_triangles_with_a_corner_that_is_not_a_number_are_left_out(tmp_path: Path) -> None:
    text = f"{SQUARE}v nan nan nan\nf 1 2 3\nf 1 2 5\ng lost\nf 5 5 1\n"
    (mesh,) = load_mesh(write(tmp_path / "a.obj", text))
    assert len(mesh.faces) == 1


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("v 0 0\nf 1 1 1\n", "<v>"),
        ("v 0 0 x\nf 1 1 1\n", "<v>"),
        (f"{SQUARE}f 1 2 9\n", "9"),
        (f"{SQUARE}f 0 1 2\n", "count from 1"),
        (f"{SQUARE}f 1 2 99999999999999999999\n", "<f>"),
        (f"{SQUARE}f a b c\n", "<f>"),
    ],
)
def test_a_broken_obj_is_an_error_that_names_what_is_wrong(
    tmp_path: Path, text: str, part: str
) -> None:
    with pytest.raises(AssetError, match=r"a\.obj") as caught:
        load_mesh(write(tmp_path / "a.obj", text))
    assert part in str(caught.value)


@pytest.mark.parametrize("text", [SQUARE, "v nan 0 0\nf 1 1 1\n"], ids=["no face", "no number"])
def test_an_obj_without_a_usable_face_gives_no_mesh_and_a_warning(
    tmp_path: Path, text: str
) -> None:
    with pytest.warns(UserWarning, match=r"a\.obj: has no face"):
        assert load_mesh(write(tmp_path / "a.obj", text)) == []


def test_materials_of_an_obj_are_given_for_each_group(tmp_path: Path) -> None:
    (tmp_path / "skin.png").write_bytes(b"image")
    library = "newmtl red\nKd 1 0 0.5\nd 0.25\nKs 0.1 0.2 0.3\nnewmtl skin\nmap_Kd skin.png\n"
    (tmp_path / "a.mtl").write_text(library)
    text = (
        f"mtllib a.mtl\n{SQUARE}g a\nusemtl red\nf 1 2 3\ng b\nusemtl skin\nf 1 2 3\n"
        "g c\nusemtl lost\nf 1 2 3\n"
    )
    red, skin, lost = mesh_materials(write(tmp_path / "a.obj", text))
    assert red is not None
    assert red.rgba == (1, 0, 0.5, 0.25)
    assert red.specular == (0.1, 0.2, 0.3)
    assert skin is not None
    assert skin.texture == str(tmp_path / "skin.png")
    assert lost is None


def test_an_obj_whose_library_does_not_exist_has_no_materials(tmp_path: Path) -> None:
    text = f"mtllib none.mtl\n{SQUARE}usemtl a\nf 1 2 3\n"
    assert mesh_materials(write(tmp_path / "a.obj", text)) == [None]


def test_binary_and_ascii_stl_give_the_same_mesh(tmp_path: Path) -> None:
    triangles = np.array([[[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[1, 0, 0], [1, 1, 0], [0, 1, 0]]])
    lines = ["solid a"]
    for triangle in triangles:
        lines += ["facet normal 0 0 1", "outer loop"]
        lines += [f"vertex {x} {y} {z}" for x, y, z in triangle]
        lines += ["endloop", "endfacet"]
    lines.append("endsolid a")
    (ascii_mesh,) = load_mesh(write(tmp_path / "a.stl", "\n".join(lines)))
    (binary_mesh,) = load_mesh(write(tmp_path / "b.STL", stl_binary(triangles, b"solid")))
    assert len(ascii_mesh.vertices) == 4
    assert ascii_mesh.key == binary_mesh.key
    assert ascii_mesh.vertices[ascii_mesh.faces].tolist() == triangles.tolist()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"short",
        stl_binary(np.zeros((2, 3, 3)))[:-60],
        stl_binary(np.zeros((0, 3, 3))),
        b"solid\nvertex 0 0\nvertex 1 1 1\n",
        b"solid\nvertex 0 0 0\nvertex 1 1 1\n",
        stl_binary(np.full((1, 3, 3), np.nan)),
    ],
)
def test_a_broken_stl_is_an_error(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(AssetError, match=r"a\.stl"):
        load_mesh(write(tmp_path / "a.stl", content))


def test_a_dae_is_scaled_by_its_unit_and_keeps_its_axes(tmp_path: Path) -> None:
    (mesh,) = load_mesh(write(tmp_path / "a.dae", DAE.format(primitive=POLYLIST, node="")))
    assert len(mesh.faces) == 2
    np.testing.assert_allclose(mesh.vertices.max(axis=0), [1, 2, 3], atol=1e-12)


def test_a_dae_whose_scene_node_and_geometry_have_one_id_shows_its_triangles(
    tmp_path: Path,
) -> None:
    text = DAE.format(primitive=POLYLIST, node="")  # as 3ds Max writes it
    text = text.replace('id="s"', 'id="g"').replace("<node>", '<node id="g">').replace("#s", "#g")
    (mesh,) = load_mesh(write(tmp_path / "a.dae", text))
    (plain,) = load_mesh(write(tmp_path / "b.dae", DAE.format(primitive=POLYLIST, node="")))
    assert np.array_equal(mesh.vertices, plain.vertices)


def test_normals_of_a_dae_turn_with_its_node(tmp_path: Path) -> None:
    source = (
        '<source id="n"><float_array>0 0 1</float_array></source>',
        '<input semantic="NORMAL" source="#n" offset="1"/><vcount>4</vcount><p>0 0 1 0 2 0 3 0</p>',
    )
    flat = POLYLIST.split("<vcount>", maxsplit=1)[0] + source[1] + "</polylist>"
    node = "<rotate>0 1 0 90</rotate><scale>1 2 -1</scale>"
    text = DAE.format(primitive=flat, node=node).replace("<vertices", source[0] + "<vertices", 1)
    (mesh,) = load_mesh(write(tmp_path / "a.dae", text))
    # the scale turns z over, then y turns it to -x
    np.testing.assert_allclose(mesh.normals, [[-1, 0, 0]] * 6, atol=1e-12)
    corners = mesh.vertices[mesh.faces[0]]
    assert np.cross(corners[1] - corners[0], corners[2] - corners[0])[0] < 0
    (plain,) = load_mesh(write(tmp_path / "b.dae", DAE.format(primitive=POLYLIST, node="")))
    assert plain.normals is None


def test_corners_of_an_obj_without_texture_coordinates_are_at_zero_if_others_have_some(
    tmp_path: Path,
) -> None:
    text = f"{SQUARE}vt 0.5 1\nf 1/1 2/1 3\n"
    (mesh,) = load_mesh(write(tmp_path / "a.obj", text))
    assert mesh.uv is not None
    assert mesh.uv[mesh.faces[0]].tolist() == [[0.5, 1], [0.5, 1], [0, 0]]


def test_a_dae_that_ends_before_its_last_normal_keeps_its_triangles(tmp_path: Path) -> None:
    sources = '<source id="n"><float_array>0 0 1</float_array></source>'
    primitive = (
        '<triangles><input semantic="VERTEX" source="#v" offset="0"/>'
        '<input semantic="NORMAL" source="#n" offset="1"/>'
        "<p>{}</p></triangles>"
    )
    meshes = []
    whole = "0 0 1 0 2 0 0 0 2 0 3 0"
    for name, numbers in (("whole.dae", whole), ("cut.dae", whole[:-2])):
        text = DAE.format(primitive=primitive.format(numbers), node="")
        text = text.replace("<vertices", sources + "<vertices", 1)
        meshes += load_mesh(write(tmp_path / name, text))
    assert len(meshes[0].faces) == 2
    assert 1 <= len(meshes[1].faces) <= 2


def test_a_dae_with_y_up_turns_to_z_up_on_request(tmp_path: Path) -> None:
    source = write(tmp_path / "a.dae", DAE.format(primitive=POLYLIST, node=""))
    (mesh,) = load_mesh(source, z_up=True)
    # y goes to z and z to -y.
    np.testing.assert_allclose(mesh.vertices.max(axis=0), [1, -3, 2], atol=1e-12)


def test_transforms_of_a_dae_node_apply_in_their_order(tmp_path: Path) -> None:
    node = "<rotate>0 0 1 90</rotate><scale>1 2 1</scale>"
    (mesh,) = load_mesh(write(tmp_path / "a.dae", DAE.format(primitive=POLYLIST, node=node)))
    # The far corner (1, 2, 0) scales to (1, 4, 0) and then turns to (-4, 1, 0).
    np.testing.assert_allclose(mesh.vertices.min(axis=0), [-4, 0, 3], atol=1e-12)
    np.testing.assert_allclose(mesh.vertices.max(axis=0), [0, 1, 3], atol=1e-12)


def test_triangles_and_strips_of_a_dae_cover_the_same_square(tmp_path: Path) -> None:
    entry = '<input semantic="VERTEX" source="#v" offset="0"/>'
    triangles = f'<triangles count="2">{entry}<p>0 1 2 0 2 3</p></triangles>'
    strip = f'<tristrips count="1">{entry}<p>0 1 3 2</p></tristrips>'
    normals = []
    for name, primitive in (("a.dae", triangles), ("b.dae", strip)):
        (mesh,) = load_mesh(write(tmp_path / name, DAE.format(primitive=primitive, node="")))
        a, b, c = mesh.vertices[mesh.faces].transpose(1, 0, 2)
        normals.append(np.cross(b - a, c - a).sum(axis=0))
    np.testing.assert_allclose(normals[0], [0, 0, 4], atol=1e-12)
    np.testing.assert_allclose(normals[1], [0, 0, 4], atol=1e-12)


def test_nodes_of_a_dae_that_multiply_without_end_are_an_error(tmp_path: Path) -> None:
    nodes = "".join(
        f'<node id="n{k}"><instance_node url="#n{k + 1}"/><instance_node url="#n{k + 1}"/></node>'
        for k in range(60)
    )
    text = DAE.format(primitive=POLYLIST, node=nodes + '<instance_node url="#n0"/>')
    with pytest.raises(AssetError, match="nodes"):
        load_mesh(write(tmp_path / "a.dae", text), Limits(xml_elements=10_000))


def test_a_dae_node_inside_itself_is_an_error(tmp_path: Path) -> None:
    node = '<node id="n"><instance_node url="#n"/></node>'
    with pytest.raises(AssetError, match="contains itself"):
        load_mesh(write(tmp_path / "a.dae", DAE.format(primitive=POLYLIST, node=node)))


def test_a_ply_gives_its_triangles(tmp_path: Path) -> None:
    text = (
        "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\n"
        "property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n"
        "0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n"
    )
    (mesh,) = load_mesh(write(tmp_path / "a.ply", text))
    assert mesh.faces.shape == (2, 3)
    assert mesh.vertices.max(axis=0).tolist() == [1, 1, 0]


def gltf(uri: str) -> str:
    content = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0, "translation": [0, 0, 2]}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "buffers": [{"uri": uri, "byteLength": 42}],
        "bufferViews": [
            {"buffer": 0, "byteOffset": 0, "byteLength": 36},
            {"buffer": 0, "byteOffset": 36, "byteLength": 6},
        ],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"},
            {"bufferView": 1, "componentType": 5123, "count": 3, "type": "SCALAR"},
        ],
    }
    return json.dumps(content)


BUFFER = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], "<f4").tobytes() + struct.pack("<3H", 0, 1, 2)


def test_a_gltf_with_its_buffer_beside_it_gives_the_placed_triangle(tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(BUFFER)
    (mesh,) = load_mesh(write(tmp_path / "a.gltf", gltf("a.bin")))
    assert sorted(mesh.vertices.tolist()) == [[0, 0, 2], [0, 1, 2], [1, 0, 2]]


def test_a_gltf_cannot_read_outside_its_folder(tmp_path: Path) -> None:
    (tmp_path / "secret.bin").write_bytes(BUFFER)
    (tmp_path / "inner").mkdir()
    with pytest.raises(AssetError, match="not below"):
        load_mesh(write(tmp_path / "inner" / "a.gltf", gltf("../secret.bin")))


def test_a_mesh_from_memory_is_scaled() -> None:
    vertices = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
    (mesh,) = load_mesh(MeshSource(scale=(2, 3, 4), vertices=vertices, faces=((0, 1, 2),)))
    assert mesh.vertices.max(axis=0).tolist() == [2, 3, 0]


def test_a_mirroring_scale_keeps_triangles_looking_outward(tmp_path: Path) -> None:
    text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    source = write(tmp_path / "a.obj", text)
    for scale in ((1.0, 1.0, 1.0), (1.0, -2.0, 1.0), (-1.0, -1.0, -1.0)):
        (mesh,) = load_mesh(MeshSource(source.file, source.name, scale))
        a, b, c = mesh.vertices[mesh.faces].transpose(1, 0, 2)
        volume = np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6
        assert volume == pytest.approx(abs(np.prod(scale)) / 6)


def test_copies_of_a_file_share_one_mesh(tmp_path: Path) -> None:
    source = write(tmp_path / "a.obj", f"{SQUARE}f 1 2 3\n")
    (one,), (two,) = load_mesh(source), load_mesh(MeshSource(source.file, "other name"))
    assert one is two


def test_a_file_that_changed_is_read_again(tmp_path: Path) -> None:
    source = write(tmp_path / "a.obj", f"{SQUARE}f 1 2 3\n")
    (before,) = load_mesh(source)
    (after,) = load_mesh(write(tmp_path / "a.obj", f"{SQUARE}f 1 2 3\nf 1 3 4\n"))
    assert len(before.faces) == 1
    assert len(after.faces) == 2


def test_equal_geometry_in_different_files_has_the_same_key(tmp_path: Path) -> None:
    (one,) = load_mesh(write(tmp_path / "a.obj", f"{SQUARE}f 1 2 3\n"))
    (two,) = load_mesh(write(tmp_path / "b.obj", f"# copy\n{SQUARE}f 1 2 3\n"))
    (three,) = load_mesh(write(tmp_path / "c.obj", f"{SQUARE}f 1 2 4\n"))
    assert one.key == two.key != three.key


def test_a_bound_holds_also_for_a_mesh_that_is_cached(tmp_path: Path) -> None:
    source = write(tmp_path / "a.obj", f"{SQUARE}f 1 2 3\nf 1 3 4\n")
    load_mesh(source)
    with pytest.raises(AssetError, match="limit is 1"):
        load_mesh(source, Limits(mesh_faces=1))


@pytest.mark.parametrize(
    ("source", "part"),
    [
        (MeshSource("/nowhere/a.obj"), "cannot be read"),
        (MeshSource("/dev/null"), "suffix"),
        (MeshSource("/nowhere/a.obj", scale=(1.0, float("nan"), 1.0)), "scale"),
        (MeshSource(vertices=((0.0, float("inf"), 0.0),)), "finite"),
        (MeshSource(vertices=((0.0, 0.0, 0.0),), faces=((0, 0, 1),)), "face index 1"),
        (MeshSource(), "no vertex"),
    ],
)
def test_a_source_that_gives_no_mesh_is_an_error(source: MeshSource, part: str) -> None:
    with pytest.raises(AssetError, match=part):
        load_mesh(source)


def test_a_file_larger_than_the_limit_is_an_error(tmp_path: Path) -> None:
    source = write(tmp_path / "a.obj", f"{SQUARE}f 1 2 3\n")
    with pytest.raises(AssetError, match="limit of 10 bytes"):
        load_mesh(source, Limits(mesh_bytes=10))


URDF = """<robot name="r"><link name="a">
<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><mesh filename="{file}" scale="1 2 0.5"/></geometry></collision>
</link></robot>"""


@pytest.mark.parametrize(
    "name",
    [
        "duck.obj",
        "teddy2_VHACD_CHs.obj",
        "kuka_iiwa/meshes/link_1.stl",
        "duck.dae",  # y up, centimetres
        "racecar/meshes/cone.dae",  # inches, several nodes
        "racecar/meshes/chassis.dae",
    ],
)
def test_bounds_of_a_file_equal_those_of_pybullet(tmp_path: Path, name: str) -> None:
    pybullet = pytest.importorskip("pybullet")
    data = pytest.importorskip("pybullet_data")
    file = str(Path(data.getDataPath()) / name)
    (tmp_path / "a.urdf").write_text(URDF.format(file=file))
    client = pybullet.connect(pybullet.DIRECT)
    try:
        body = pybullet.loadURDF(str(tmp_path / "a.urdf"), physicsClientId=client)
        expected = np.array(pybullet.getAABB(body, physicsClientId=client))
    finally:
        pybullet.disconnect(client)
    meshes = load_mesh(MeshSource(file, name, (1.0, 2.0, 0.5)))
    vertices = np.concatenate([mesh.vertices for mesh in meshes])
    # PyBullet widens a bounding box by its collision margin of 1 mm, once for the hull, once for
    # the box of the hull and once more for a compound of hulls.
    bounds = np.array([vertices.min(axis=0), vertices.max(axis=0)])
    np.testing.assert_allclose(bounds, expected, atol=3.01e-3)


def test_nodes_of_a_dae_file_that_instance_one_another_are_counted(tmp_path: Path) -> None:
    # Each level shows the next one nine times: 9 ** 9 nodes in a kilobyte.
    levels = "".join(
        f'<node id="n{k}">' + f'<instance_node url="#n{k + 1}"/>' * (9 if k < 9 else 0) + "</node>"
        for k in range(10)
    )
    scene = f'<library_visual_scenes><visual_scene id="s">{levels}</visual_scene>'
    file = tmp_path / "bomb.dae"
    file.write_text(f"<COLLADA>{scene}</library_visual_scenes></COLLADA>")
    with pytest.raises(AssetError, match=r"bomb\.dae: shows more than 50000 nodes"):
        load_mesh(MeshSource(str(file)))
