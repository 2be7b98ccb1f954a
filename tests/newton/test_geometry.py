"""newton.geometry and Heightfield, against closed forms."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import warp as wp

from unibody import newton
from unibody.errors import NotSupportedError
from unibody.newton import geometry, inertia, solvers
from unibody.newton.geometry.distances import sdf_box, sdf_capsule, sdf_cone, sdf_cylinder

IDENTITY = (0.0, 0.0, 0.0, 1.0)


@wp.kernel
def _distances(points: wp.array(dtype=wp.vec3), found: wp.array2d(dtype=float)):  # type: ignore
    i = wp.tid()
    p = points[i]
    found[i, 0] = sdf_box(p, 1.0, 2.0, 3.0)
    found[i, 1] = sdf_capsule(p, 0.5, 1.0, 2)
    found[i, 2] = sdf_cylinder(p, 0.5, 1.0, 2)
    found[i, 3] = sdf_cone(p, 0.5, 1.0, 2)
    found[i, 4] = sdf_cylinder(p, 0.5, 1.0)


def test_signed_distances_are_those_to_the_nearest_point() -> None:
    points = [(0.0, 0.0, 0.0), (2.0, 0.0, 0.0), (0.0, 0.0, 4.0), (0.0, 3.0, 0.0)]
    found = wp.zeros((4, 5), dtype=float, device="cpu")
    wp.launch(
        _distances,
        dim=4,
        inputs=[wp.array(points, dtype=wp.vec3, device="cpu")],
        outputs=[found],
        device="cpu",
    )
    side = 1.0 / np.hypot(1.0, 4.0)  # of the cone: a slope of 1 to 4 through (0.25, 0)
    expected = [
        (-1.0, -0.5, -0.5, -side, -0.5),
        (1.0, 1.5, 1.5, (2.0 - 0.25) * 4 * side, 1.5),
        (1.0, 2.5, 3.0, 3.0, 3.5),
        (1.0, 2.5, 2.5, (3.0 - 0.25) * 4 * side, 2.0),
    ]
    assert found.numpy() == pytest.approx(np.array(expected), abs=1e-5)


def test_mass_properties_are_those_of_shapes() -> None:
    mass, com, moments = geometry.compute_inertia_shape(
        newton.GeoType.BOX, (0.1, 0.2, 0.3), None, 1e3
    )
    expected = inertia.box(1e3, 0.1, 0.2, 0.3)
    assert mass == pytest.approx(expected.mass)
    assert np.allclose(com, 0.0)
    assert np.allclose(np.array(moments).reshape(3, 3), expected.inertia, rtol=1e-5)
    half = np.sqrt(0.5)
    moved = geometry.transform_inertia(2.0, np.diag([1.0, 2.0, 3.0]), (0, 0, 1), (0, 0, half, half))
    assert np.allclose(np.diag(np.array(moved).reshape(3, 3)), (4.0, 3.0, 3.0), atol=1e-5)


def test_what_the_module_has_not_is_named() -> None:
    with pytest.raises(NotSupportedError, match=r"geometry\.NarrowPhase"):
        geometry.NarrowPhase  # noqa: B018


def test_a_ball_rests_in_the_valley_of_a_height_field() -> None:
    x = np.linspace(-2.0, 2.0, 21)
    field = newton.Heightfield(np.tile(0.25 * x**2, (21, 1)), 21, 21, hx=2.0, hy=2.0)
    builder = newton.ModelBuilder()
    builder.add_shape_heightfield(heightfield=field)
    ball = builder.add_body(xform=((0.3, 0.0, 0.45), IDENTITY))
    builder.add_shape_sphere(ball, radius=0.3)
    box = builder.add_body(xform=((-0.02, 1.2, 0.35), IDENTITY))
    builder.add_shape_box(box, hx=0.1, hy=0.1, hz=0.1)
    model = builder.finalize(device="cpu")
    solver = solvers.SolverXPBD(model, angular_damping=2.0)
    now, after = model.state(), model.state()
    for _ in range(1500):
        contacts = model.collide(now)
        solver.step(now, after, None, contacts, 2e-3)
        now, after = after, now
    found = now.body_q.numpy()
    # Cells are 0.2 m wide, so the lowest is between two points at 0 and one at 0.01.
    assert abs(found[0, 0]) < 0.15
    assert found[0, 2] == pytest.approx(0.3, abs=0.01)
    assert found[1, 2] == pytest.approx(0.1, abs=0.02)


def test_wrong_elevations_are_named() -> None:
    with pytest.raises(ValueError, match="6 elevations"):
        newton.Heightfield(np.zeros(5), 2, 3)
    with pytest.raises(ValueError, match="both"):
        newton.Heightfield(np.zeros((2, 2)), 2, 2, min_z=0.0)


def test_a_mesh_of_a_file_has_all_its_groups(tmp_path: Path) -> None:
    file = tmp_path / "two.obj"
    corners = "\n".join(f"v {x} {y} {z}" for z in (0, 1) for x, y in ((0, 0), (1, 0), (0, 1)))
    file.write_text(f"{corners}\ng a\nf 1 2 3\ng b\nf 4 5 6\n", encoding="utf-8")
    mesh = newton.Mesh.create_from_file(file, compute_inertia=False)
    heights = mesh.vertices[mesh.indices].reshape(2, 3, 3)[:, :, 2]
    assert sorted(heights.tolist()) == [[0.0] * 3, [1.0] * 3]
    with pytest.raises(FileNotFoundError, match=r"none\.obj"):
        newton.Mesh.create_from_file(tmp_path / "none.obj")


def test_settings_of_hydroelastic_contacts_are_refused_when_they_are_made() -> None:
    from unibody.newton.geometry import HydroelasticSDF

    with pytest.raises(NotSupportedError, match=r"HydroelasticSDF\.Config\(.*CollisionPipeline"):
        HydroelasticSDF.Config(output_contact_surface=True)
    with pytest.raises(NotSupportedError, match=r"geometry\.HydroelasticSDF"):
        HydroelasticSDF()


def test_a_grid_of_distances_of_a_mesh_is_refused_with_what_works() -> None:
    mesh = newton.Mesh.create_box(0.1, 0.2, 0.3)
    with pytest.raises(
        NotSupportedError, match=r"Mesh\.build_sdf\(max_resolution, margin\).*surface"
    ):
        mesh.build_sdf(max_resolution=64, margin=0.01)
    mesh.clear_sdf()
    assert mesh.sdf is None
