"""Meshes of tetrahedra, and colors of what deforms."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import warp as wp

from unibody import newton
from unibody.newton.tet_mesh import TetMesh

POINTS = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1)], dtype=np.float32)
TWO = [0, 1, 2, 3, 1, 2, 3, 4]
AT: Any = {"pos": (0, 0, 0), "rot": (0, 0, 0, 1), "scale": 1.0, "vel": (0, 0, 0)}


def test_the_surface_of_tetrahedra_is_what_belongs_to_one_of_them() -> None:
    mesh = TetMesh(POINTS, TWO)
    assert (mesh.vertex_count, mesh.tet_count, mesh.tri_count) == (5, 2, 6)
    faces = {tuple(sorted(f)) for f in mesh.surface_tri_indices.reshape(-1, 3).tolist()}
    assert (1, 2, 3) not in faces
    single = TetMesh(POINTS[:4], TWO[:4])
    a, b, c = single.vertices[single.surface_tri_indices.reshape(-1, 3)].transpose(1, 0, 2)
    # the divergence theorem: a sixth of the sum of the products is the volume of the corner, 1/6
    assert np.einsum("ij,ij->", a, np.cross(b, c)) == pytest.approx(1.0)


def test_a_soft_body_takes_density_materials_and_attributes_of_its_mesh() -> None:
    mesh = TetMesh(
        POINTS,
        TWO,
        k_mu=[10.0, 20.0],
        density=6.0,
        custom_attributes={"heat": np.array([1.0, 2.0])},
    )
    builder = newton.ModelBuilder()
    kind = newton.Model.AttributeFrequency.TETRAHEDRON
    builder.add_custom_attribute(newton.ModelBuilder.CustomAttribute("heat", wp.float32, kind))
    builder.add_soft_mesh(**AT, mesh=mesh, color=(0.2, 0.4, 0.6), opacity=0.5)
    # 1/6 m^3 at the corner, 1/3 m^3 beyond it
    assert sum(builder.particle_mass) == pytest.approx(6.0 * (1.0 / 6.0 + 1.0 / 3.0))
    model: Any = builder.finalize(device="cpu")
    assert model.tet_materials.numpy()[:, 0].tolist() == [10.0, 20.0]
    assert model.tet_materials.numpy()[:, 1].tolist() == [1000.0, 1000.0]
    assert model.heat.numpy().tolist() == [1.0, 2.0]
    assert np.allclose(model.tri_color.numpy(), np.tile([0.2, 0.4, 0.6], (6, 1)))
    assert np.allclose(model.tri_opacity.numpy(), 0.5)


def test_an_attribute_that_the_builder_does_not_know_is_named() -> None:
    mesh = TetMesh(POINTS, TWO, custom_attributes={"heat": np.array([1.0, 2.0])})
    with pytest.raises(ValueError, match="'heat' is not registered"):
        newton.ModelBuilder().add_soft_mesh(**AT, mesh=mesh)


def test_a_mesh_of_tetrahedra_is_the_same_after_a_file(tmp_path: Path) -> None:
    mesh = TetMesh(
        POINTS,
        TWO,
        k_mu=3.0,
        density=7.0,
        custom_attributes={"heat": np.array([1.0, 2.0])},
    )
    mesh.save(tmp_path / "mesh.npz")
    again = TetMesh.create_from_file(tmp_path / "mesh.npz")
    assert again == mesh
    assert again.density == 7.0
    assert again.k_mu is not None
    assert again.k_mu.tolist() == [3.0, 3.0]
    assert again.custom_attributes["heat"][1] == newton.Model.AttributeFrequency.TETRAHEDRON
    with pytest.raises(NotImplementedError, match=r"mesh\.vtk"):
        mesh.save(tmp_path / "mesh.vtk")


def test_wrong_meshes_of_tetrahedra_are_refused_with_what_is_allowed() -> None:
    with pytest.raises(ValueError, match="multiple of 4"):
        TetMesh(POINTS, [0, 1, 2])
    with pytest.raises(ValueError, match="exceeds vertex count: 0 to 4"):
        TetMesh(POINTS, [0, 1, 2, 5])
    with pytest.raises(ValueError, match=r"k_mu.*3 numbers"):
        TetMesh(POINTS, TWO, k_mu=[1, 2, 3])
    with pytest.raises(ValueError, match="Cannot infer frequency"):
        TetMesh(POINTS, TWO, custom_attributes={"x": np.zeros(3)})
    with pytest.raises(ValueError, match="reserved"):
        TetMesh(POINTS, TWO, custom_attributes={"density": np.zeros(2)})


def test_names_of_files_own_rows_are_reserved_and_a_file_that_is_missing_is_named() -> None:
    for name in ("__custom_names__", "__custom_freqs__"):
        with pytest.raises(ValueError, match="reserved"):
            TetMesh(POINTS, TWO, custom_attributes={name: np.zeros(5)})
    with pytest.raises(FileNotFoundError, match=r"missing\.vtk"):
        TetMesh.create_from_file("missing.vtk")


def test_triangles_have_the_colors_that_are_given_and_wrong_ones_add_nothing() -> None:
    builder = newton.ModelBuilder()
    for place in ((0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)):
        builder.add_particle(place, (0, 0, 0), 1.0)
    wrong: list[tuple[str, Any, str]] = [
        ("opacity", [0.2, 0.4], "exactly 1 values"),
        ("opacity", float("nan"), "Triangle opacity"),
        ("color", (0.1, 0.2), "Triangle color"),
        ("color", (0.1, 1.1, 0.3), "Triangle color"),
    ]
    for name, value, text in wrong:
        with pytest.raises(ValueError, match=text):
            builder.add_triangles([0], [1], [2], **{name: value})
    assert builder.tri_count == len(builder.tri_color) == 0
    builder.add_triangle(0, 1, 2)
    builder.add_triangle(1, 3, 2, color=(0.1, 0.2, 0.3), opacity=0.25)
    assert np.allclose(builder.tri_color, [(0.7, 0.5, 0.3), (0.1, 0.2, 0.3)])
    assert builder.tri_opacity == [1.0, 0.25]


def test_materials_of_a_mesh_given_by_position_are_taken_with_a_warning() -> None:
    old: Any = TetMesh
    with pytest.warns(DeprecationWarning, match="Passing 'k_mu', 'k_lambda', 'k_damp', 'density'"):
        mesh = old(POINTS[:4], TWO[:4], 1.0, 2.0, 3.0, 4.0)
    assert mesh.k_mu.tolist() == [1.0]
    assert (mesh.k_lambda.tolist(), mesh.k_damp.tolist(), mesh.density) == ([2.0], [3.0], 4.0)
    with pytest.raises(TypeError):
        old(POINTS[:4], TWO[:4], 1.0, k_mu=2.0)


def test_a_shape_has_the_opacity_of_its_mesh() -> None:
    builder = newton.ModelBuilder()
    builder.add_shape_mesh(-1, mesh=newton.Mesh(POINTS, [0, 1, 2], opacity=0.25))
    assert builder.shape_opacity == [0.25]
    with pytest.raises(ValueError, match="Shape opacity"):
        newton.Mesh(POINTS, [0, 1, 2], opacity=2.0)


def test_the_box_around_a_height_field_holds_all_heights_that_it_may_have() -> None:
    builder = newton.ModelBuilder()
    field = newton.Heightfield(np.zeros((4, 4)), 4, 4, hx=2.0, hy=3.0, min_z=-1.0, max_z=4.0)
    builder.add_shape_heightfield(heightfield=field, scale=(2.0, 0.5, 3.0))
    model = builder.finalize(device="cpu")
    assert model.shape_collision_aabb_lower.numpy()[0].tolist() == [-4.0, -1.5, -3.0]
    assert model.shape_collision_aabb_upper.numpy()[0].tolist() == [4.0, 1.5, 12.0]
