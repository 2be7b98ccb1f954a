"""Cloths whose particles hang on bodies that scripts move, beside PyBullet."""

from __future__ import annotations

from typing import Any

import numpy as np
import pybullet
import pybullet_data
import pytest

import unibody.bullet

_HELD = [0, 6, 12, 18, 24]


def _cloth_on_a_box(p: Any, half: float) -> tuple[int, int]:
    """A cloth of 1.4 m, 0.6 m above a box of 1 kg, which holds five of its particles."""
    p.setAdditionalSearchPath(pybullet_data.getDataPath())
    p.resetSimulation(p.RESET_USE_DEFORMABLE_WORLD)
    shape = p.createCollisionShape(p.GEOM_BOX, halfExtents=[half] * 3)
    box = p.createMultiBody(1.0, shape, -1, [0, 0, 1], useMaximalCoordinates=True)
    cloth = p.loadSoftBody(
        "cloth_z_up.obj", basePosition=[0, 0, 1.6], scale=0.7, mass=0.5, useNeoHookean=0,
        useBendingSprings=1, useMassSpring=1, springElasticStiffness=40,
        springDampingStiffness=0.1, useSelfCollision=0, frictionCoeff=0.5, collisionMargin=0.01,
    )  # fmt: skip
    for particle in _HELD:
        p.createSoftBodyAnchor(cloth, particle, box, -1)
    return box, cloth


def _places(p: Any, cloth: int) -> Any:
    return np.array(p.getMeshData(cloth, -1, flags=p.MESH_DATA_SIMULATION_MESH)[1])


def _carried(p: Any, steps: int, gravity: float) -> Any:
    """Particles of a cloth whose box is put 1 mm further before each step, (steps, p, 3) [m]."""
    p.connect(p.DIRECT)
    try:
        box, cloth = _cloth_on_a_box(p, 0.5)
        p.setGravity(0, 0, gravity)
        found: list[Any] = []
        for step in range(steps):
            p.resetBasePositionAndOrientation(box, [0.001 * step, 0, 1], [0, 0, 0, 1])
            p.stepSimulation()
            found.append(_places(p, cloth))
        return np.array(found)
    finally:
        p.disconnect()


def test_particles_go_along_with_a_body_that_is_put_elsewhere_before_each_step() -> None:
    # The box goes 23 mm, the free particles fall 49 mm and do not yet touch it. Those that are held
    # have no speed of their own: with that of the box, springs would throw their neighbours ahead.
    # What holds them is a spring itself here, in which they trail behind by half a millimetre, and
    # steps are implicit: 4 of the 54 mm.
    theirs, ours = _carried(pybullet, 24, -9.81), _carried(unibody.bullet, 24, -9.81)
    for path in (theirs, ours):
        assert np.abs(path[-1, _HELD, 0] - path[0, _HELD, 0] - 0.023).max() < 1e-3
    assert np.abs(ours - theirs).max() < 4e-3


def _pulled(p: Any, steps: int) -> Any:
    """Particles of a cloth whose small box is given a speed before each step [m]."""
    p.connect(p.DIRECT)
    try:
        box, cloth = _cloth_on_a_box(p, 0.05)
        found: list[Any] = []
        for _ in range(steps):
            p.resetBaseVelocity(box, [0.24, 0, 0])
            p.stepSimulation()
            found.append(_places(p, cloth))
        return np.array(found)
    finally:
        p.disconnect()


def test_a_small_box_that_holds_particles_far_away_does_not_throw_them_about() -> None:
    # The box weighs 50 times as much as a particle, and resists turning as little as 1/10 of one
    # that is 0.9 m away. They trail behind it on both: it goes 12 mm.
    theirs, ours = _pulled(pybullet, 12), _pulled(unibody.bullet, 12)
    assert np.abs(theirs - theirs[0]).max() < 0.01
    assert np.abs(ours - theirs).max() < 0.01


@pytest.mark.parametrize("way", [0.0, 0.1])
def test_a_saved_state_has_the_particles_of_a_body_that_was_put_elsewhere(way: float) -> None:
    p: Any = unibody.bullet
    p.connect(p.DIRECT)
    try:
        box, cloth = _cloth_on_a_box(p, 0.5)
        p.setGravity(0, 0, -9.81)
        for _ in range(5):
            p.stepSimulation()
        before = _places(p, cloth)
        if way > 0.0:
            p.resetBasePositionAndOrientation(box, [way, 0, 1], [0, 0, 0, 1])
        state = p.saveState()
        paths: list[Any] = []
        for _ in range(2):
            p.restoreState(state)
            p.stepSimulation()
            paths.append(_places(p, cloth))
        assert (paths[0] == paths[1]).all()
        assert np.abs(paths[0][_HELD, 0] - before[_HELD, 0] - way).max() < 0.01
    finally:
        p.disconnect()
