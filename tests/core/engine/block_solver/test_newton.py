"""The solver by blocks finds what MuJoCo's finds: it is the same convex problem."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import mujoco
import numpy as np
import pytest

import unibody.bullet
from tests.support.duo import connected
from unibody.bullet.clients.registry import find_client
from unibody.core.engine.solver.stage import Solver

TOLERANCE = 1e-12  # of both solvers, of the cost: accelerations agree to about its root
AGREEMENT = 1e-5  # ten times the root of that


def boxes(p: Any) -> None:
    """Thirty boxes that fall onto a plane in a heap; some spin and roll with friction."""
    p.createMultiBody(0, p.createCollisionShape(p.GEOM_PLANE))
    box = p.createCollisionShape(p.GEOM_BOX, halfExtents=(0.1, 0.08, 0.06))
    ball = p.createCollisionShape(p.GEOM_SPHERE, radius=0.09)
    for k in range(30):
        place = (0.15 * (k % 3), 0.12 * (k // 3 % 3), 0.1 + 0.16 * (k // 9))
        body = p.createMultiBody(1.0 + k, ball if k % 4 == 0 else box, basePosition=place)
        p.changeDynamics(body, -1, lateralFriction=0.1 * (k % 9), restitution=0.3)
        if k % 3 == 0:
            p.changeDynamics(body, -1, spinningFriction=0.01, rollingFriction=0.02)


def robots(p: Any) -> None:
    """Humanoids in a heap, with motors, limits, and hands that are tied together."""
    p.loadURDF("plane.urdf")
    dolls = [
        p.loadURDF("humanoid/humanoid.urdf", (0.2 * k, 0, 0.6 + 0.4 * k), globalScaling=0.25)
        for k in range(3)
    ]
    for doll in dolls:
        for joint in range(p.getNumJoints(doll)):
            if p.getJointInfo(doll, joint)[2] == p.JOINT_REVOLUTE:
                p.setJointMotorControl2(doll, joint, p.POSITION_CONTROL, 0.3, force=2.0)
    tie = p.createConstraint(
        dolls[0], 5, dolls[1], 5, p.JOINT_POINT2POINT, (0, 0, 0), (0, 0, 0), (0, 0, 0)
    )
    p.changeConstraint(tie, maxForce=5.0)
    p.createConstraint(dolls[1], 8, dolls[2], -1, p.JOINT_FIXED, (0, 0, 0), (0, 0, 0), (0, 0, 0.1))


def mixed(p: Any) -> None:
    """Arms that stand apart, loose boxes between them, and one body that nothing touches."""
    p.createMultiBody(0, p.createCollisionShape(p.GEOM_PLANE))
    for k in range(6):
        p.loadURDF("kuka_iiwa/model.urdf", (0.9 * k, 0, 0), useFixedBase=True)
        p.loadURDF("cube_small.urdf", (0.9 * k + 0.4, 0, 0.05))
    p.loadURDF("cube_small.urdf", (0, 0, 50))


SCENES = {"boxes": boxes, "robots": robots, "mixed": mixed}


@pytest.fixture(params=SCENES)
def world(request: pytest.FixtureRequest) -> Iterator[Any]:
    with connected(unibody.bullet) as p:
        p.setGravity(0, 0, -9.81)
        SCENES[request.param](p)
        p.stepSimulation()
        yield find_client(0).scene.world


def both(world: Any, solver: Solver) -> tuple[list[Any], list[Any]]:
    """What MuJoCo and the solver by blocks make of a world as it is, from the same start."""
    model, data = world.model, world.data
    mujoco.mj_forward(model, data)
    start = data.qacc_warmstart.copy()
    results = []
    for solve in (mujoco.mj_fwdConstraint, solver.solve):
        data.qacc_warmstart[:] = start
        solve(model, data)
        names = ("qacc", "efc_force", "qfrc_constraint")
        results.append([np.array(getattr(data, name)) for name in names])
    return results[0], results[1]


def test_accelerations_and_forces_are_those_of_mujoco(world: Any) -> None:
    """Relative to the largest of their kind, while bodies fall, hit, slide and come to rest."""
    solver = Solver()
    touching = 0
    for _ in range(12):
        for _ in range(10):
            world.step()
        tolerance = float(world.model.opt.tolerance)
        world.model.opt.tolerance = TOLERANCE
        theirs, ours = both(world, solver)
        world.model.opt.tolerance = tolerance
        touching += int(world.data.ncon)
        for expected, found in zip(theirs, ours, strict=True):
            scale = AGREEMENT * np.abs(expected).max(initial=1.0)
            np.testing.assert_allclose(found, expected, rtol=0, atol=scale)
    assert touching > 20


def test_a_world_that_needs_more_memory_than_it_has_gets_it(world: Any) -> None:
    """From the C library while it solves, and from the next time on from its own."""
    for _ in range(60):
        world.step()
    solver, small = Solver(), Solver()
    small._reserve(256)
    before = small._size
    start = np.array(world.data.qacc_warmstart)
    results = []
    for solve in (solver.solve, small.solve, small.solve):
        world.data.qacc_warmstart[:] = start
        solve(world.model, world.data)
        results.append(world.data.qacc.tobytes() + world.data.efc_force.tobytes())
    assert results[0] == results[1] == results[2]
    assert small._size > before


def test_what_was_in_memory_before_has_no_effect(world: Any) -> None:
    for _ in range(60):
        world.step()
    solver = Solver()
    start = np.array(world.data.qacc_warmstart)
    results = set()
    for byte in (0, 127, 255):
        solver._memory[:] = byte
        world.data.qacc_warmstart[:] = start
        solver.solve(world.model, world.data)
        results.add(world.data.qacc.tobytes() + world.data.efc_force.tobytes())
    assert len(results) == 1
