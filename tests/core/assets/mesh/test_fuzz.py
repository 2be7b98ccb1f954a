"""Mutated mesh files: always a mesh or an error that names the file, and never for long."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unibody.core.assets.description import MeshSource
from unibody.core.assets.limits import Limits
from unibody.core.assets.mesh.load import convex_hull, load_mesh, mesh_materials
from unibody.errors import AssetError

LIMITS = Limits(mesh_vertices=100_000, mesh_faces=100_000, xml_elements=10_000)

OBJ = b"""mtllib m.mtl
o one
v 0 0 0
v 1 0 0
v 1 1 0
v 0 1 0
v 0.5 0.5 1
vt 0 0
vn 0 0 1
g side
usemtl a
f 1/1/1 2/1/1 5/1/1
f 2 3 5
f -5//1 -2//1 -1//1
g ground
f 4 3 2 1
"""
STL = (
    b"x".ljust(80, b"\0")
    + (2).to_bytes(4, "little")
    + b"".join(
        np.array([0, 0, 1, *corners], "<f4").tobytes() + b"\0\0"
        for corners in ((0, 0, 0, 1, 0, 0, 0, 1, 0), (0, 0, 0, 0, 1, 0, 0, 0, 1))
    )
)
ASCII_STL = (
    b"solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n"
    b"endloop\nendfacet\nendsolid a\n"
)
DAE = b"""<COLLADA><asset><unit meter="1"/></asset><library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="a" count="9">0 0 0 1 0 0 0 1 1</float_array></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<polylist count="1"><input semantic="VERTEX" source="#v" offset="0"/><vcount>3</vcount>
<p>0 1 2</p></polylist></mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node id="n"><rotate>0 0 1 90</rotate>
<instance_geometry url="#g"/></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>"""
PLY = (
    b"ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
    b"property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n"
    b"0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"
)
TOKENS = [b"nan", b"inf", b"-1", b"0", b"99999999999", b"1e308", b"", b"\0", b"\xff", b"/", b"\n"]


@st.composite
def mutated(draw: st.DrawFn, original: bytes) -> bytes:
    data = original
    for _ in range(draw(st.integers(1, 6))):
        begin = draw(st.integers(0, len(data)))
        end = min(len(data), begin + draw(st.integers(0, 12)))
        piece = draw(st.sampled_from(TOKENS) | st.binary(max_size=6) | st.just(data[begin:end] * 3))
        data = data[:begin] + piece + data[end:]
    return data


@pytest.mark.parametrize(
    ("suffix", "original"),
    [(".obj", OBJ), (".stl", STL), (".stl", ASCII_STL), (".dae", DAE), (".ply", PLY)],
    ids=["obj", "stl", "ascii stl", "dae", "ply"],
)
@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_a_mutated_file_gives_a_mesh_or_an_error(
    suffix: str, original: bytes, data: st.DataObject
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"a{suffix}"
        path.write_bytes(data.draw(mutated(original)))
        source = MeshSource(str(path), path.name)
        started = time.perf_counter()
        try:
            meshes = load_mesh(source, LIMITS)
            assert len(mesh_materials(source, LIMITS)) == len(meshes)
        except AssetError as error:
            assert path.name in str(error)
            return
        finally:
            assert time.perf_counter() - started < 5
        for mesh in meshes:
            assert np.isfinite(mesh.vertices).all()
            assert mesh.faces.max(initial=-1) < len(mesh.vertices)


@settings(max_examples=150, deadline=None)
@given(
    points=st.lists(
        st.tuples(*[st.floats(-1e6, 1e6) | st.sampled_from([0.0, 1.0, 1e-9, 1e-30])] * 3),
        min_size=1,
        max_size=12,
    )
)
def test_any_cloud_of_points_has_a_hull_or_is_an_error(
    points: list[tuple[float, float, float]],
) -> None:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", folder)
        (mesh,) = load_mesh(MeshSource(vertices=tuple(points)))
        try:
            hull = convex_hull(mesh)
        except AssetError:
            return
        extent = np.ptp(mesh.vertices, axis=0).max()
        assert np.isfinite(hull.vertices).all()
        assert hull.vertices.max() <= mesh.vertices.max() + 2e-3 * extent
