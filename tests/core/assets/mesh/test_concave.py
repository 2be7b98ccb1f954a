"""Static concave meshes: bodies rest on them, do not fall through them and slide over them."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from unibody.core.assets.mesh.concave import convex_solids, write_concave
from unibody.core.assets.mesh.types import TriMesh
from unibody.errors import AssetError

GEOM = mujoco.mjtGeom
KINDS = ("box", "sphere", "capsule", "cylinder", "mesh")


def grid(cells: int, size: float, height: float) -> TriMesh:
    """A hilly square sheet of 2 * cells**2 triangles that look up."""
    line = np.linspace(-size / 2, size / 2, cells + 1)
    x, y = np.meshgrid(line, line, indexing="ij")
    z = height * np.sin(1.3 * x) * np.cos(0.9 * y)
    column, row = np.meshgrid(np.arange(cells), np.arange(cells), indexing="ij")
    a = (column * (cells + 1) + row).ravel()
    b, c, d = a + cells + 1, a + cells + 2, a + 1
    faces = np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])
    vertices = np.stack([x.ravel(), y.ravel(), z.ravel()], 1)
    return TriMesh(vertices, faces.astype(np.int32))


def turned(mesh: TriMesh) -> TriMesh:
    return TriMesh(mesh.vertices, np.ascontiguousarray(mesh.faces[:, ::-1]))


def open_box(size: float, wall: float) -> TriMesh:
    """A box with an open top and walls of some thickness: floor at z = wall inside."""
    outer, inner = size / 2, size / 2 - wall
    rings = [(outer, 0.0), (outer, size), (inner, size), (inner, wall)]
    corners = np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]], dtype=np.float64)
    vertices = np.concatenate([np.c_[corners * half, np.full(4, z)] for half, z in rings])
    faces = [[0, 2, 1], [0, 3, 2], [12, 13, 14], [12, 14, 15]]
    for ring in (0, 4, 8):
        for k in range(4):
            n = (k + 1) % 4
            faces += [
                [ring + k, ring + n, ring + 4 + n],
                [ring + k, ring + 4 + n, ring + 4 + k],
            ]
    return TriMesh(vertices, np.array(faces, dtype=np.int32))


def add_body(
    spec: mujoco.MjSpec, kind: str, pos: list[float], scale: float, friction: float
) -> None:
    body = spec.worldbody.add_body(pos=pos)
    body.add_freejoint()
    sizes = {
        "box": (GEOM.mjGEOM_BOX, [0.1, 0.1, 0.1]),
        "sphere": (GEOM.mjGEOM_SPHERE, [0.1, 0, 0]),
        "capsule": (GEOM.mjGEOM_CAPSULE, [0.06, 0.1, 0]),
        "cylinder": (GEOM.mjGEOM_CYLINDER, [0.1, 0.1, 0]),
    }
    surface = [friction, 0, 0]
    if kind == "mesh":
        body.add_geom(type=GEOM.mjGEOM_MESH, meshname=f"ball{scale}", friction=surface)
    else:
        form, size = sizes[kind]
        body.add_geom(type=form, size=[scale * value for value in size], friction=surface)


def world(
    mesh: TriMesh, bodies: list[tuple[str, list[float], float]], friction: float = 0.5
) -> tuple[mujoco.MjModel, mujoco.MjData]:
    spec = mujoco.MjSpec()
    spec.option.timestep = 1 / 240
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    ball = np.random.default_rng(3).normal(size=(15, 3))
    ball /= np.linalg.norm(ball, axis=1, keepdims=True)
    ball = np.concatenate([ball, -ball])  # its centre of mass is its origin
    for scale in {scale for kind, _, scale in bodies if kind == "mesh"}:
        spec.add_mesh(name=f"ball{scale}", uservert=(0.1 * scale * ball).ravel())
    for kind, pos, scale in bodies:
        add_body(spec, kind, pos, scale, friction)
    ground = spec.worldbody.add_body(name="ground")
    write_concave(spec, ground, mesh, friction=[friction, 0, 0])
    model = spec.compile()
    return model, mujoco.MjData(model)


@pytest.mark.parametrize("cells", [20, 60])
@pytest.mark.parametrize("winding", ["up", "down"])
@pytest.mark.parametrize(("scale", "speed"), [(0.2, 5.0), (1.0, 20.0)])
def test_nothing_falls_through_a_terrain(
    cells: int, winding: str, scale: float, speed: float
) -> None:
    mesh = grid(cells, 6.0, 0.3)
    places = [(-2 + 0.8 * column, -2 + 0.8 * row) for column in range(5) for row in range(5)]
    bodies = [(KINDS[k % 5], [x, y, 1.0], scale) for k, (x, y) in enumerate(places)]
    model, data = world(mesh if winding == "up" else turned(mesh), bodies)
    data.qvel.reshape(-1, 6)[:, 2] = -speed
    mujoco.mj_step(model, data, 240)
    position = data.qpos.reshape(-1, 7)[:, :3]
    over = np.abs(position[:, :2]).max(axis=1) < 3
    assert over.sum() >= 20
    assert position[over, 2].min() > -0.35


@pytest.mark.parametrize("kind", KINDS)
def test_a_body_rests_at_the_height_of_the_surface(kind: str) -> None:
    model, data = world(grid(10, 4.0, 0.0), [(kind, [0.13, 0.27, 0.101], 1.0)], friction=1.0)
    mujoco.mj_step(model, data, 480)
    low = min(contact.pos[2] for contact in data.contact)
    # The engine's soft contact lets 1 kg sink by about a tenth of a millimetre.
    assert abs(low) < 1e-3
    assert np.abs(data.qvel[:3]).max() < 0.02 or kind == "mesh"


@pytest.mark.parametrize("kind", KINDS)
def test_a_body_slides_over_the_seams_of_a_flat_sheet_at_constant_speed(kind: str) -> None:
    model, data = world(grid(40, 20.0, 0.0), [(kind, [-6.0, 0.3, 0.1], 1.0)], friction=0.0)
    mujoco.mj_step(model, data, 100)
    data.qvel[:2] = 2.0, 0.3
    mujoco.mj_forward(model, data)
    mujoco.mj_subtreeVel(model, data)
    before = data.subtree_linvel[1, 0]
    mujoco.mj_step(model, data, 960)
    mujoco.mj_subtreeVel(model, data)
    # The engine's smallest friction coefficient is 1e-5: 4 s of it take 4e-4 m/s.
    assert data.subtree_linvel[1, 0] == pytest.approx(before, abs=1e-3)


def test_every_contact_names_a_geom_of_the_static_body() -> None:
    mesh = grid(20, 6.0, 0.3)
    model, data = world(mesh, [(kind, [k - 2.0, 0.0, 0.6], 1.0) for k, kind in enumerate(KINDS)])
    mujoco.mj_step(model, data, 120)
    ground = model.body("ground").id
    assert data.ncon > 0
    for contact in data.contact:
        owners = {int(model.geom_bodyid[geom]) for geom in contact.geom}
        assert ground in owners


def test_rays_from_above_hit_the_surface_itself() -> None:
    mesh = grid(20, 6.0, 0.3)
    model, data = world(mesh, [])
    mujoco.mj_forward(model, data)
    corners = mesh.vertices[mesh.faces]
    geom = np.zeros(1, dtype=np.int32)
    for triangle in corners[::37]:
        point = triangle.mean(axis=0)
        start = point + np.array([0, 0, 2.0])
        distance = mujoco.mj_ray(
            model, data, start, np.array([0, 0, -1.0]), None, 1, -1, geom, None
        )
        # Vertices are float32 in the engine.
        assert distance == pytest.approx(2.0, abs=1e-5)
        assert geom[0] >= 0


def test_a_ball_lies_inside_an_open_box_and_touches_its_floor() -> None:
    model, data = world(open_box(0.6, 0.02), [("sphere", [0.05, 0.02, 0.5], 1.0)])
    mujoco.mj_step(model, data, 720)
    assert data.qpos[2] == pytest.approx(0.12, abs=2e-3)


def test_solids_do_not_come_out_of_the_far_side_of_a_thin_wall() -> None:
    mesh = open_box(0.6, 0.02)
    for solid in convex_solids(mesh):
        assert np.abs(solid[:, :2]).max() <= 0.3 + 1e-9
        assert solid[:, 2].min() >= -1e-9
        cavity = (np.abs(solid[:, :2]).max(axis=1) < 0.28 - 1e-6) & (solid[:, 2] > 0.02 + 1e-6)
        assert not cavity.any()


def test_flat_neighbours_become_one_solid() -> None:
    assert len(convex_solids(grid(12, 3.0, 0.0))) == 1


def test_triangles_too_thin_to_be_a_solid_are_left_out() -> None:
    mesh = grid(4, 2.0, 0.2)
    vertices = np.concatenate([mesh.vertices, [[3.0, 0, 1], [4.0, 0, 1], [3.5, 3e-10, 1]]])
    count = len(mesh.vertices)
    sliver = np.array([[count, count + 1, count + 2]], dtype=np.int32)
    solids = convex_solids(TriMesh(vertices, np.concatenate([mesh.faces, sliver])))
    assert len(solids) == len(convex_solids(mesh))


def test_an_l_shaped_sheet_becomes_two_solids() -> None:
    mesh = grid(2, 2.0, 0.0)
    keep = mesh.vertices[mesh.faces].mean(axis=1)
    mesh = TriMesh(mesh.vertices, mesh.faces[~((keep[:, 0] > 0) & (keep[:, 1] > 0))])
    assert len(convex_solids(mesh)) == 2


def test_mixed_winding_does_not_matter() -> None:
    mesh = grid(10, 3.0, 0.2)
    faces = mesh.faces.copy()
    faces[::3] = faces[::3, ::-1]
    mixed = sorted(solid[:, 2].min() for solid in convex_solids(TriMesh(mesh.vertices, faces)))
    plain = sorted(solid[:, 2].min() for solid in convex_solids(mesh))
    np.testing.assert_allclose(mixed, plain, atol=1e-6)


def test_the_same_mesh_twice_shares_its_assets() -> None:
    spec = mujoco.MjSpec()
    mesh = grid(4, 2.0, 0.2)
    for x in (0.0, 5.0):
        write_concave(spec, spec.worldbody.add_body(pos=[x, 0, 0]), mesh)
    model = spec.compile()
    assert model.ngeom == 2 * model.nmesh


def test_attributes_reach_every_geom() -> None:
    spec = mujoco.MjSpec()
    body = spec.worldbody.add_body()
    geoms = write_concave(spec, body, grid(3, 2.0, 0.2), contype=4, conaffinity=2, group=3)
    model = spec.compile()
    assert len(geoms) == model.ngeom
    assert set(model.geom_contype) == {4}
    assert set(model.geom_conaffinity) == {2}
    assert set(model.geom_group) == {3}


@pytest.mark.parametrize(
    "faces",
    [np.zeros((0, 3), np.int32), np.array([[0, 0, 1]], np.int32), np.array([[0, 1, 2]], np.int32)],
    ids=["none", "corner twice", "line"],
)
def test_a_mesh_without_area_is_an_error(faces: np.ndarray) -> None:
    vertices = np.array([[0.0, 0, 0], [1, 0, 0], [2, 0, 0]])
    with pytest.raises(AssetError, match="area"):
        convex_solids(TriMesh(vertices, faces))
