"""Selections of actors and of their parts, on every device."""

from __future__ import annotations

import numpy as np
import pytest

from tests.core.batch.robots import mixed_batch
from unibody.core.batch.layout import Space, StateLayout
from unibody.core.batch.patterns import matching
from unibody.core.batch.selection import select_actors, select_bodies
from unibody.errors import InvalidArgumentError, NotSupportedError

COUNT = 256
DEVICES = ("cpu", "warp-cpu")


def host(array):
    return array if isinstance(array, np.ndarray) else array.numpy()


@pytest.fixture(scope="module")
def story(tmp_path_factory):
    """What one call each reads after one call each wrote, on both devices."""
    random = np.random.default_rng(3)
    joints = random.uniform(-0.3, 0.3, (COUNT, 3))
    # Carts stand: what slips is foreseen to 1e-4 only by a solver in float32.
    speeds = random.uniform(-0.5, 0.5, (COUNT, 3)) * (np.arange(COUNT) % 2)[:, None]
    targets = random.uniform(-0.5, 0.5, (COUNT, 3))
    shares = random.uniform(0.8, 1.2, (COUNT, 1))
    moved = random.uniform(-0.2, 0.2, (COUNT, 2))
    found = {}
    for device in DEVICES:
        batch = mixed_batch(tmp_path_factory.mktemp("robots"), COUNT, device=device)
        robots = select_actors(batch, "*")
        dofs, bodies = robots.dofs(), robots.bodies()
        own = {"mask": dofs.mask}
        masses = host(bodies.read("masses")) * shares
        bodies.write("masses", masses)
        arms = np.arange(COUNT)[:, None] % 2
        dofs.write("stiffnesses", 40.0 * arms)
        dofs.write("dampings", 4.0 * arms)
        dofs.write("positions", joints)
        dofs.write("velocities", speeds)
        dofs.write("position_targets", targets)
        poses = host(robots.read("poses")).copy()
        poses[:, :2] += moved
        robots.write("poses", poses)
        own["written poses"], own["masses"] = poses, masses
        for name in ("positions", "velocities", "position_targets"):
            own[f"before {name}"] = host(dofs.read(name)).copy()
        own["before poses"] = host(robots.read("poses")).copy()
        batch.step()
        for name in ("positions", "velocities", "position_targets", "stiffnesses", "forces"):
            own[name] = host(dofs.read(name)).copy()
        own["poses"] = host(robots.read("poses")).copy()
        own["link poses"] = host(bodies.read("poses")).copy()
        own["contact_forces"] = host(bodies.read("contact_forces")).copy()
        own["read masses"] = host(bodies.read("masses")).copy()
        found[device] = own
    return found, (joints, speeds, targets)


@pytest.mark.parametrize("device", DEVICES)
def test_one_call_each_writes_and_reads_two_kinds_of_robots_in_256_environments(story, device):
    own, (joints, speeds, targets) = story[0][device], story[1]
    there = own["mask"]
    assert there.shape == (COUNT, 3)
    assert there.sum(axis=1).tolist() == [2, 3] * (COUNT // 2)
    # What float32 holds of numbers around 1 and, of poses, up to 32 m.
    for name, values in (("positions", joints), ("velocities", speeds)):
        np.testing.assert_allclose(own[f"before {name}"][there], values[there], atol=1e-7)
    np.testing.assert_allclose(own["position_targets"][there], targets[there], atol=1e-7)
    np.testing.assert_allclose(own["before poses"], own["written poses"], atol=4e-6)
    np.testing.assert_allclose(own["read masses"], own["masses"], rtol=1e-7)
    assert not own["positions"][~there].any()
    assert not own["contact_forces"][~(own["masses"] > 0.0)].any()


@pytest.mark.parametrize(
    "name",
    ["positions", "velocities", "poses", "link poses", "forces", "contact_forces", "read masses"],
)
def test_a_step_of_a_selection_ends_the_same_on_both_devices(story, name):
    cpu, warp = (story[0][device][name] for device in DEVICES)
    assert cpu.shape == warp.shape
    # Forces are as large as the weights of the robots: 50 N.
    scale = 50.0 if "forces" in name else 1.0
    np.testing.assert_allclose(warp / scale, cpu / scale, atol=1e-5)


@pytest.mark.parametrize("device", DEVICES)
def test_contact_forces_carry_the_weight_that_was_written(tmp_path, device):
    batch = mixed_batch(tmp_path, 4, device=device)
    carts = select_actors(batch, "cart")
    bodies = carts.bodies()
    bodies.write("masses", np.array([[4.0, 0.5, 0.5], [8.0, 1.0, 1.0]]))
    for _ in range(200):
        batch.step()
    carried = host(bodies.read("contact_forces"))[..., 2].sum(axis=1)
    # At rest what the ground carries is the weight; a second after a fall of 0.1 mm, to 1 %.
    np.testing.assert_allclose(carried, np.array([5.0, 10.0]) * 9.81, rtol=0.01)


@pytest.mark.parametrize("device", DEVICES)
def test_a_part_of_a_selection_is_written_by_numbers_or_a_mask(tmp_path, device):
    batch = mixed_batch(tmp_path, 6, device=device)
    elbows = select_actors(batch, "arm").dofs("elbow")
    assert elbows.numbers.shape == (3, 1)
    elbows.write("positions", [[0.1], [0.2]], chosen=[2, 0])
    np.testing.assert_allclose(host(elbows.read("positions"))[:, 0], [0.2, 0.0, 0.1], atol=1e-7)
    elbows.write("positions", 0.5, chosen=np.array([False, True, False]))
    np.testing.assert_allclose(host(elbows.read("positions"))[:, 0], [0.2, 0.5, 0.1], atol=1e-7)
    shoulders = select_actors(batch, "arm").dofs("shoulder")
    assert not host(shoulders.read("positions")).any()


def test_writing_a_pose_keeps_the_velocity_in_the_axes_of_the_world(tmp_path):
    batch = mixed_batch(tmp_path, 2, layout=StateLayout(dtype=np.float64))
    cart = select_actors(batch, "cart")
    velocity = np.array([[1.0, 2.0, 3.0, 0.1, -0.2, 0.3]])
    cart.write("velocities", velocity)
    turned = np.array([[0.0, 0.0, 1.0, np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)]])
    cart.write("poses", turned)
    np.testing.assert_allclose(cart.read("velocities"), velocity, atol=1e-12)
    np.testing.assert_allclose(cart.read("poses"), turned, atol=1e-12)


@pytest.mark.parametrize("device", DEVICES)
def test_a_force_on_a_selection_of_bodies_accelerates_them_for_one_step(tmp_path, device):
    batch = mixed_batch(tmp_path, 4, device=device)
    carts = select_actors(batch, "cart")
    carts.write("states", [[0, 0, 5.0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]])
    batch.step()
    before = host(carts.read("velocities"))[:, 0].copy()
    chassis = select_bodies(batch, "cart/chassis")
    force = np.array([[10.0, 0.0, 0.0], [20.0, 0.0, 0.0]])
    place = host(carts.bodies("chassis").read("poses"))[:, 0, :3] * [1, 1, 1]
    chassis.add_wrenches(force, points=place, space=Space.WORLD)
    batch.step()
    gained = host(carts.read("velocities"))[:, 0] - before
    assert gained[1] == pytest.approx(2.0 * gained[0], rel=1e-3)
    assert gained[0] > 10.0 / 5.0 * 0.005 * 0.9
    batch.step()
    assert host(carts.read("velocities"))[:, 0] - before == pytest.approx(gained, abs=2e-4)


@pytest.mark.parametrize(
    ("layout", "expected"),
    [
        (StateLayout(frame="environment"), [0.0, 0.0, 0.0999, 1.0, 0.0, 0.0, 0.0]),
        (StateLayout(quaternion="xyzw"), [4.0, 0.0, 0.0999, 0.0, 0.0, 0.0, 1.0]),
    ],
)
@pytest.mark.parametrize("device", DEVICES)
def test_a_layout_says_the_order_of_quaternions_and_the_frame(tmp_path, device, layout, expected):
    batch = mixed_batch(tmp_path, 3, device=device, layout=layout)
    third = host(select_actors(batch, "cart").read("poses"))[1]
    np.testing.assert_allclose(third, expected, atol=1e-6)
    links = host(select_bodies(batch, "cart/chassis").read("poses"))[1]
    np.testing.assert_allclose(links, expected, atol=1e-6)


@pytest.mark.parametrize("device", DEVICES)
def test_velocities_are_those_of_mass_centres_or_of_origins(tmp_path, device):
    spin = [[0, 0, 1.0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 2.0]]
    found = {}
    for point in ("mass centre", "origin"):
        layout = StateLayout(velocity=point)
        batch = mixed_batch(tmp_path, 1, device=device, layout=layout)
        carts = select_actors(batch, "cart")
        carts.write("states", spin)
        np.testing.assert_allclose(host(carts.read("states")), spin, atol=1e-6)
        found[point] = host(carts.bodies("chassis").read("velocities"))[0, 0]
        np.testing.assert_allclose(found[point][:3], 0.0, atol=1e-6)
        batch.step()


def test_a_level_of_a_glob_may_have_alternatives():
    names = ["env/cart", "env/arm", "env/carton", "cart"]
    assert matching(names, "*/cart|arm") == [0, 1]


def test_names_are_globs_by_level_or_regular_expressions(tmp_path):
    batch = mixed_batch(tmp_path, 4)
    assert select_bodies(batch, "*/wheel_*").numbers.shape == (4,)
    assert select_bodies(batch, r".*/(chassis|hand)", regex=True).numbers.shape == (4,)
    assert select_actors(batch, "ca*").dofs("axle_l*").names == ["axle_left"]
    with pytest.raises(InvalidArgumentError, match=r"robot.*'arm', 'cart'"):
        select_actors(batch, "robot")
    with pytest.raises(InvalidArgumentError, match="bodies named"):
        select_bodies(batch, "*")
    with pytest.raises(InvalidArgumentError, match="a regular expression"):
        select_actors(batch, "(", regex=True)


def test_wrong_calls_name_the_argument_and_what_is_allowed(tmp_path):
    batch = mixed_batch(tmp_path, 4)
    arms = select_actors(batch, "arm")
    with pytest.raises(InvalidArgumentError, match="positions"):
        arms.dofs().read("position")
    with pytest.raises(InvalidArgumentError, match=r"\(2, 3\)"):
        arms.dofs().write("positions", np.zeros((2, 4)))
    with pytest.raises(InvalidArgumentError, match="0 to 1"):
        arms.dofs().write("positions", 0.0, chosen=[2])
    with pytest.raises(NotSupportedError, match="contact_forces"):
        arms.bodies().write("contact_forces", 0.0)
    with pytest.raises(NotSupportedError, match="float64"):
        mixed_batch(tmp_path, 1, device="warp-cpu", layout=StateLayout(dtype=np.float64))


def test_a_selection_outlives_worlds_that_are_built_anew(tmp_path):
    batch = mixed_batch(tmp_path, 4)
    arms = select_actors(batch, "arm").dofs()
    arms.write("positions", 0.25)
    batch.envs.insert(0, batch.add_environment())
    batch.envs.pop()
    batch.add_actor(batch.envs[0], batch.actors[0].kind, name="cart")
    np.testing.assert_allclose(arms.read("positions"), 0.25)
    arms.write("position_targets", 0.5)
    np.testing.assert_allclose(arms.read("position_targets"), 0.5)


@pytest.mark.parametrize("device", DEVICES)
def test_moved_mass_centres_are_those_of_the_next_step(tmp_path, device):
    batch = mixed_batch(tmp_path, 4, device=device)
    hands = select_bodies(batch, "arm/hand")
    select_actors(batch, "arm").dofs("slide").write("stiffnesses", 1e4)  # it would fall freely
    hands.write("mass_centres", [[0.3, 0.0, 0.15], [0.0, 0.0, 0.15]])
    np.testing.assert_allclose(host(hands.read("mass_centres"))[:, 0], [0.3, 0.0], atol=1e-7)
    for _ in range(20):
        batch.step()
    speeds = host(select_actors(batch, "arm").dofs("shoulder").read("velocities"))[:, 0]
    assert abs(speeds[0]) > 0.05
    assert abs(speeds[1]) < 1e-3


@pytest.mark.parametrize("device", DEVICES)
def test_jacobians_give_velocities_and_mass_matrices_the_kinetic_energy(tmp_path, device):
    batch = mixed_batch(tmp_path, 4, device=device)
    arms = select_actors(batch, "arm")
    dofs, bodies = arms.dofs(), arms.bodies()
    dofs.write("positions", [[0.3, -0.4, 0.1], [0.1, 0.2, 0.0]])
    rates = np.array([[0.5, -0.7, 0.2], [0.3, 0.1, -0.4]])
    dofs.write("velocities", rates)
    velocities = host(bodies.read("velocities"))[:, 1:]
    jacobians = host(arms.read("jacobians"))
    assert jacobians.shape == (2, 3, 6, 3)
    np.testing.assert_allclose(np.einsum("nbkd,nd->nbk", jacobians, rates), velocities, atol=2e-6)
    masses, inertias = host(bodies.read("masses"))[:, 1:], host(bodies.read("inertias"))[:, 1:]
    energy = 0.5 * (masses * (velocities[..., :3] ** 2).sum(-1)).sum(-1)
    energy += 0.5 * (inertias[..., 1, 1] * velocities[..., 4] ** 2).sum(-1)
    matrices = host(arms.read("mass_matrices"))
    found = 0.5 * np.einsum("nd,nde,ne->n", rates, matrices, rates)
    np.testing.assert_allclose(found, energy, rtol=1e-5)


@pytest.mark.parametrize("device", DEVICES)
def test_gravity_forces_are_those_that_hold_an_arm(tmp_path, device):
    batch = mixed_batch(tmp_path, 2, device=device)
    arms = select_actors(batch, "arm")
    arms.dofs().write("positions", [[0.5, 0.0, 0.0]])
    found = host(arms.read("gravity_forces"))[0]
    # Mass times the way of its centre from the axis along the arm, which leans by 0.5 rad.
    shoulder = 9.81 * np.sin(0.5) * (2.0 * 0.15 + 1.0 * 0.45 + 0.5 * 0.75)
    elbow = 9.81 * np.sin(0.5) * (1.0 * 0.15 + 0.5 * 0.45)
    np.testing.assert_allclose(found, [shoulder, elbow, -0.5 * 9.81 * np.cos(0.5)], rtol=1e-5)
    arms.dofs().write("efforts", -found[None])
    batch.step()
    np.testing.assert_allclose(host(arms.dofs().read("velocities")), 0.0, atol=1e-6)


@pytest.mark.parametrize("device", DEVICES)
def test_coriolis_forces_are_what_momentum_and_mass_matrices_leave_over(tmp_path, device):
    batch = mixed_batch(tmp_path, 2, device=device)
    batch.set_gravity((0.0, 0.0, 0.0))
    arms, carts = select_actors(batch, "arm"), select_actors(batch, "cart")
    dofs = arms.dofs()
    dofs.write("positions", [[0.3, -0.9, 0.1]])
    dofs.write("velocities", [[1.5, -0.7, 0.4]])
    # Lagrange: C_k = sum_ij (dM_ki/dq_j - dM_ij/dq_k / 2) v_i v_j, by central differences.
    start, rates, step = np.array([0.3, -0.9, 0.1]), np.array([1.5, -0.7, 0.4]), 1e-2
    found = host(arms.read("coriolis_forces"))[0]
    slopes = []
    for axis in np.eye(3) * step:
        sides = []
        for sign in (1.0, -1.0):
            dofs.write("positions", (start + sign * axis)[None])
            sides.append(host(arms.read("mass_matrices"))[0].astype(float))
        slopes.append((sides[0] - sides[1]) / (2.0 * step))
    slope = np.array(slopes)  # (j, k, i)
    expected = np.einsum("jki,i,j->k", slope, rates, rates)
    expected -= 0.5 * np.einsum("kij,i,j->k", slope, rates, rates)
    # Differences of float32 matrices near 1 over 2e-2 carry 1e-5, the formula's h^2/6 as much.
    np.testing.assert_allclose(found, expected, atol=2e-4)
    # A base that turns about its own mass centre needs no force there.
    carts.write("velocities", [[0.4, 0.0, 0.0, 0.0, 0.0, 3.0]])
    forces = host(carts.read("coriolis_forces"))[0]
    matrix = host(carts.read("mass_matrices"))[0]
    wheels = 2.0 * 0.5 * 0.05 * 3.0**2  # N: their mass centre is 0.05 m ahead of the chassis's
    assert matrix.shape == (8, 8)
    np.testing.assert_allclose(np.linalg.norm(forces[:3]), wheels, rtol=1e-4)
