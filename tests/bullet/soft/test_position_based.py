"""Soft bodies in a world that was not made for them: what acts on them, and how."""

from __future__ import annotations

from typing import Any

import numpy as np
import pybullet
import pytest

import unibody.bullet
from tests.support.duo import DATA, both, connected

CLOTH = f"{DATA}/cloth_z_up.obj"


def _particles(p: Any, body: int) -> Any:
    return np.array(p.getMeshData(body, -1, flags=p.MESH_DATA_SIMULATION_MESH)[1])


def _steps(p: Any, count: int) -> None:
    for _ in range(count):
        p.stepSimulation()


def _heights(p: Any) -> Any:
    """Of the mean particle of a bunny that falls on a plane, after each step [m]."""
    p.setGravity(0, 0, -10)
    p.loadURDF(f"{DATA}/plane.urdf", [0, 0, -2])
    bunny = p.loadSoftBody(f"{DATA}/bunny.obj")
    found: list[float] = []
    for _ in range(288):
        p.stepSimulation()
        found.append(_particles(p, bunny).mean(axis=0)[2])
    return np.array(found)


def test_a_bunny_falls_on_the_ground_and_hardly_rebounds_as_in_pybullet() -> None:
    theirs, ours = both(_heights)
    # PyBullet rounds the step to single precision; the bunny arrives in the 108th one. Then 1 % of
    # its height of 2 m.
    np.testing.assert_allclose(ours[:100], theirs[:100], atol=1e-6)
    np.testing.assert_allclose(ours, theirs, atol=0.02)


def _at_rest(p: Any, **given: Any) -> Any:
    """A cloth on a ball a moment after it fell there."""
    p.setGravity(0, 0, -10)
    shape = p.createCollisionShape(p.GEOM_SPHERE, radius=0.3)
    p.createMultiBody(0, shape, basePosition=[0.05, 0.02, 0])
    cloth = p.loadSoftBody(CLOTH, basePosition=[0, 0, 0.4], scale=0.5, **given)
    _steps(p, 60)
    return _particles(p, cloth)


@pytest.mark.parametrize("module", [pybullet, unibody.bullet], ids=["pybullet", "unibody"])
@pytest.mark.parametrize(
    "given",
    [
        {"mass": 5.0},
        {"frictionCoeff": 3.0},
        {"useMassSpring": 1, "springElasticStiffness": 100.0, "springDampingStiffness": 5.0},
        {"useMassSpring": 1, "useBendingSprings": 1, "springBendingStiffness": 10.0},
        {"useMassSpring": 1, "springDampingAllDirections": 1},
        {"useNeoHookean": 1, "NeoHookeanMu": 50.0, "NeoHookeanLambda": 50.0},
        {"useSelfCollision": 1, "useFaceContact": 1, "repulsionStiffness": 800.0},
    ],
    ids=",".join,
)
def test_numbers_of_the_material_do_not_act(module: Any, given: dict[str, Any]) -> None:
    with connected(module) as p:
        plain = _at_rest(p)
    with connected(module) as p:
        other = _at_rest(p, **given)
    # Masses cancel in what holds a body together, but for rounding that a fold makes grow.
    np.testing.assert_allclose(other, plain, atol=1e-6)


def test_the_margin_acts() -> None:
    with connected(unibody.bullet) as p:
        p.setGravity(0, 0, -10)
        p.loadURDF(f"{DATA}/plane.urdf")
        cloth = p.loadSoftBody(CLOTH, basePosition=[0, 0, 0.2], scale=0.5, collisionMargin=0.1)
        _steps(p, 120)
        heights = _particles(p, cloth)[:, 2]
        low, high = p.getAABB(cloth)
    # Of a step's fall, g dt^2 = 0.17 mm, what is not put right in a step stays.
    np.testing.assert_allclose(heights, 0.1, atol=5e-4)
    np.testing.assert_allclose([low[2], high[2]], [0.0, 0.2], atol=1e-3)


def _moved(p: Any) -> Any:
    p.setGravity(0, 0, -10)
    cloth = p.loadSoftBody(CLOTH, basePosition=[0, 0, 2], scale=0.5)
    _steps(p, 20)
    p.resetBasePositionAndOrientation(cloth, [0, 0, 5], [0, 0, 0, 1])
    p.stepSimulation()
    falls_on = _particles(p, cloth)
    p.resetBaseVelocity(cloth, [1, 2, 3], [0, 0, 2])
    _steps(p, 20)
    turned = _particles(p, cloth)
    p.setPhysicsEngineParameter(numSubSteps=4)
    _steps(p, 20)
    slowly = _particles(p, cloth)
    p.setPhysicsEngineParameter(fixedTimeStep=1 / 60, numSubSteps=0)
    _steps(p, 20)
    return [falls_on, turned, slowly, _particles(p, cloth)]


def test_bodies_that_are_put_elsewhere_go_on_as_they_moved_in_steps_of_any_length() -> None:
    theirs, ours = both(_moved)
    # A turning cloth is stretched, which depends on the order of links a little.
    np.testing.assert_allclose(ours, theirs, atol=2e-3)
    np.testing.assert_allclose(ours[0], theirs[0], atol=1e-9)


def _pushed(p: Any, maximal: bool) -> float:
    """How fast a box without gravity is after a cloth has hit it [m/s]."""
    shape = p.createCollisionShape(p.GEOM_BOX, halfExtents=[1, 1, 0.1])
    box = p.createMultiBody(2.0, shape, useMaximalCoordinates=maximal)
    p.changeDynamics(box, -1, linearDamping=0, angularDamping=0)
    cloth = p.loadSoftBody(CLOTH, basePosition=[0, 0, 0.25], scale=0.5)
    p.resetBaseVelocity(cloth, [0, 0, -2])
    _steps(p, 60)
    return float(p.getBaseVelocity(box)[0][2])


@pytest.mark.parametrize("maximal", [False, True], ids=["multibody", "maximal"])
def test_a_cloth_pushes_a_box_as_hard_as_in_pybullet(maximal: bool) -> None:
    theirs, ours = both(lambda p: _pushed(p, maximal))
    # Links and contacts take turns, in another order of links.
    np.testing.assert_allclose(ours, theirs, rtol=0.02)


def test_a_multibody_holds_nothing_as_in_pybullet_and_a_line_says_so(capsys: Any) -> None:
    def script(p: Any) -> Any:
        p.setGravity(0, 0, -10)
        box = p.loadURDF(f"{DATA}/cube.urdf", [0, 0, 3], useFixedBase=True)
        cloth = p.loadSoftBody(CLOTH, basePosition=[0, 0, 2], scale=0.5)
        anchor = p.createSoftBodyAnchor(cloth, 24, box, -1, [0.5, 0.5, -1])
        _steps(p, 50)
        fallen = _particles(p, cloth)
        p.removeConstraint(anchor)
        _steps(p, 10)
        return [fallen, _particles(p, cloth)]

    theirs, ours = both(script)
    np.testing.assert_allclose(ours, theirs, atol=1e-9)
    assert "createSoftBodyAnchor holds nothing" in capsys.readouterr().err


def test_a_body_that_holds_particles_does_not_touch_the_soft_body() -> None:
    with connected(unibody.bullet) as p:
        shape = p.createCollisionShape(p.GEOM_BOX, halfExtents=[0.4, 0.4, 0.1])
        box = p.createMultiBody(1.0, shape, basePosition=[0, 0, 1], useMaximalCoordinates=True)
        cloth = p.loadSoftBody(CLOTH, basePosition=[0, 0, 1.0], scale=0.5)
        place = _particles(p, cloth)[12] - np.array([0, 0, 1])
        p.createSoftBodyAnchor(cloth, 12, box, -1, place.tolist())
        before = _particles(p, cloth)
        _steps(p, 20)  # without gravity
        np.testing.assert_allclose(_particles(p, cloth), before, atol=1e-9)
        np.testing.assert_allclose(p.getBaseVelocity(box)[0], 0.0, atol=1e-9)


def _two_on_a_box(p: Any) -> list[int]:
    """Two cloths on a box that moves, one of them held."""
    p.setGravity(0, 0, -10)
    p.loadURDF(f"{DATA}/plane.urdf")
    p.loadURDF(f"{DATA}/cube_small.urdf", [0.02, 0.01, 0.2])
    low = p.loadSoftBody(CLOTH, basePosition=[0, 0, 0.4], scale=0.5)
    high = p.loadSoftBody(CLOTH, basePosition=[0.1, 0, 0.5], scale=0.5)
    p.createSoftBodyAnchor(low, 24, -1, -1)
    return [low, high]


def test_a_saved_state_goes_on_with_the_same_bits() -> None:
    with connected(unibody.bullet) as p:
        cloths = _two_on_a_box(p)
        _steps(p, 40)
        state = p.saveState()
        _steps(p, 60)
        first = [_particles(p, cloth) for cloth in cloths]
        later = p.createSoftBodyAnchor(cloths[0], 0, -1, -1)  # links are at rest as they are now
        p.removeConstraint(later)
        p.restoreState(state)
        _steps(p, 60)
        again = [_particles(p, cloth) for cloth in cloths]
    np.testing.assert_array_equal(again, first)


def test_a_second_run_has_the_same_bits() -> None:
    found: list[Any] = []
    for _ in range(2):
        with connected(unibody.bullet) as p:
            cloths = _two_on_a_box(p)
            _steps(p, 100)
            found.append([_particles(p, cloth) for cloth in cloths])
    np.testing.assert_array_equal(found[0], found[1])


def test_what_is_left_goes_on_when_a_body_is_removed() -> None:
    with connected(unibody.bullet) as p:
        cloths = _two_on_a_box(p)
        _steps(p, 60)
        p.removeBody(cloths[0])
        _steps(p, 200)
        heights = _particles(p, cloths[1])[:, 2]
    # On the ground, or on the box of 5 cm.
    assert heights.min() > 0.0
    assert heights.max() < 0.1


def test_lattices_of_distances_have_the_width_that_is_set() -> None:
    def script(p: Any) -> Any:
        p.setGravity(0, 0, -10)
        found: list[Any] = []
        for cell in (0.25, 0.03):
            p.setPhysicsEngineParameter(sparseSdfVoxelSize=cell)
            shape = p.createCollisionShape(p.GEOM_SPHERE, radius=0.5)
            ball = p.createMultiBody(0, shape, basePosition=[0.1, 0.15, 0])
            cloth = p.loadSoftBody(CLOTH, basePosition=[0, 0, 0.55])
            _steps(p, 40)
            found.append(_particles(p, cloth).mean(axis=0))
            p.removeBody(cloth)
            p.removeBody(ball)
        return found

    theirs, ours = both(script)
    np.testing.assert_allclose(ours, theirs, atol=0.01)
    assert ours[1][2] - ours[0][2] > 0.01  # a coarse lattice has the ball smaller than it is


def test_distances_that_were_kept_are_those_that_are_worked_out() -> None:
    found: list[Any] = []
    with connected(unibody.bullet) as p:
        p.setGravity(0, 0, -10)
        for place in ((0.3, 0.2, 0.0), (-0.3, -0.2, 0.1)):
            shape = p.createCollisionShape(p.GEOM_BOX, halfExtents=[0.4, 0.4, 0.3])
            p.createMultiBody(0, shape, basePosition=place)
        cloth = p.loadSoftBody(CLOTH, basePosition=[0, 0, 0.6], scale=0.5)
        _steps(p, 30)
        state = p.saveState()
        for width in (None, 0.1):
            p.restoreState(state)
            if width is not None:  # another lattice, so that nothing is kept of the first one
                for cell in (width, 0.25):
                    p.setPhysicsEngineParameter(sparseSdfVoxelSize=cell)
                    p.stepSimulation()
                p.restoreState(state)
            _steps(p, 60)
            found.append(_particles(p, cloth))
    np.testing.assert_array_equal(found[0], found[1])
