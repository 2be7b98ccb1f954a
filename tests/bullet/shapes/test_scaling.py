"""unsupportedChangeScaling."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import unibody.bullet
from tests.support.duo import DATA, both, connected
from unibody.errors import NotSupportedError

# Bullet pads the boxes around cylinders and hulls by its collision margin.
MARGIN = 4e-3  # m
STEPS = 200


@pytest.fixture
def p() -> Iterator[Any]:
    with connected(unibody.bullet) as module:
        yield module


@pytest.mark.parametrize("file", ["cube_small.urdf", "sphere_small.urdf", "r2d2.urdf"])
@pytest.mark.parametrize("scaling", [(2, 2, 2), (1, 1, 3), (0.5, 0.5, 1.5)])
def test_the_base_of_a_file_is_scaled_about_its_mass_centre(file: str, scaling: Any) -> None:
    def script(p: Any) -> Any:
        p.setAdditionalSearchPath(DATA)
        body = p.loadURDF(file, (1, 2, 3))
        p.unsupportedChangeScaling(body, (4, 4, 4))
        p.unsupportedChangeScaling(body, scaling)
        shape = p.getCollisionShapeData(body, -1)[0]
        return [*np.ravel(p.getAABB(body)), *shape[5], *p.getDynamicsInfo(body, -1)[2]]

    theirs, ours = both(script)
    np.testing.assert_allclose(ours, theirs, atol=MARGIN)


def test_the_shapes_of_a_compound_move_apart() -> None:
    def script(p: Any) -> Any:
        shape = p.createCollisionShapeArray(
            [p.GEOM_BOX, p.GEOM_SPHERE, p.GEOM_CYLINDER, p.GEOM_CAPSULE],
            halfExtents=[[0.1] * 3] * 4, radii=[0.1] * 4, lengths=[0.3] * 4,
            collisionFramePositions=[[0, 0, 0], [0.3, 0, 0], [0, 0.4, 0], [0, 0, 0.5]],
        )  # fmt: skip
        body = p.createMultiBody(1, shape, -1, (0, 0, 1))
        p.unsupportedChangeScaling(body, (2, 2, 1.5))
        return np.ravel(p.getAABB(body))

    theirs, ours = both(script)
    np.testing.assert_allclose(ours, theirs, atol=MARGIN)


def test_a_scaled_box_comes_to_rest_higher() -> None:
    def script(p: Any) -> Any:
        p.setGravity(0, 0, -10)
        p.createMultiBody(0, p.createCollisionShape(p.GEOM_PLANE))
        bodies: list[int] = []
        for x in (0, 2):  # PyBullet scales all bodies of one shape
            shape = p.createCollisionShape(p.GEOM_BOX, halfExtents=[0.1] * 3)
            bodies.append(p.createMultiBody(1, shape, -1, (x, 0, 0.35)))
        for _ in range(10):
            p.stepSimulation()
        p.unsupportedChangeScaling(bodies[0], (3, 3, 3))
        for _ in range(STEPS):
            p.stepSimulation()
        return [p.getBasePositionAndOrientation(body)[0][2] for body in bodies]

    theirs, ours = both(script)
    np.testing.assert_allclose(ours, theirs, atol=1e-3)
    np.testing.assert_allclose(ours, [0.3, 0.1], atol=1e-3)


def test_everything_else_goes_on_as_it_was(p: Any) -> None:
    p.setAdditionalSearchPath(DATA)
    arm = p.loadURDF("kuka_iiwa/model.urdf", useFixedBase=True)
    flying = p.loadURDF("cube_small.urdf", (2, 0, 1))
    p.resetBaseVelocity(flying, (1, 2, 3), (4, 5, 6))
    p.resetJointState(arm, 2, 0.3)
    p.stepSimulation()

    def state() -> Any:
        joints = [p.getJointState(arm, joint)[:2] for joint in range(7)]
        return joints, p.getBasePositionAndOrientation(flying), p.getBaseVelocity(flying)

    before = state()
    p.unsupportedChangeScaling(flying, (2, 2, 2))
    p.unsupportedChangeScaling(arm, (1.1, 1.1, 1.1))
    assert state() == before
    p.removeBody(flying)
    p.stepSimulation()


@pytest.mark.parametrize("scaling", [(1, 2), (0, 1, 1), (-1, 1, 1), (float("nan"), 1, 1)])
def test_what_is_no_scale_is_refused(p: Any, scaling: Any) -> None:
    body = p.createMultiBody(1, p.createCollisionShape(p.GEOM_BOX, halfExtents=[0.1] * 3))
    before = p.getAABB(body)
    with pytest.raises(p.error, match="scaling"):
        p.unsupportedChangeScaling(body, scaling)
    assert p.getAABB(body) == before


def test_a_body_that_is_not_there_is_ignored_as_in_pybullet(p: Any) -> None:
    assert p.unsupportedChangeScaling(99, (2, 2, 2)) is None


def test_an_elliptical_cylinder_is_refused(p: Any) -> None:
    p.setAdditionalSearchPath(DATA)
    body = p.loadURDF("r2d2.urdf")
    with pytest.raises(NotSupportedError, match="elliptical"):
        p.unsupportedChangeScaling(body, (1, 2, 1))
