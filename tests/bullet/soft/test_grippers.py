"""Hands that hold soft bodies."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import unibody.bullet
from tests.bullet.soft.cubes import cube_of_tetrahedra
from tests.support.duo import connected


def _gripper_around_a_block(p: Any, folder: Path) -> tuple[int, int, int]:
    """A soft block of half a kilogramme on the ground, a hand around it, what holds the hand."""
    p.resetSimulation(p.RESET_USE_DEFORMABLE_WORLD)
    p.setGravity(0, 0, -9.81)
    p.createMultiBody(0, p.createCollisionShape(p.GEOM_PLANE))
    block_of = p.loadSoftBody(
        cube_of_tetrahedra(folder, 3, 0.1), basePosition=[-0.05, -0.05, 0.0], mass=0.5,
        useNeoHookean=1, NeoHookeanMu=5000, NeoHookeanLambda=7500, NeoHookeanDamping=0.01,
        frictionCoeff=1.0, collisionMargin=2e-3,
    )  # fmt: skip
    finger = p.createCollisionShape(p.GEOM_BOX, halfExtents=[0.01, 0.06, 0.04])
    palm = p.createCollisionShape(p.GEOM_BOX, halfExtents=[0.02, 0.02, 0.02])
    hand = p.createMultiBody(
        1.0, palm, -1, [0, 0, 0.3], linkMasses=[0.2, 0.2],
        linkCollisionShapeIndices=[finger, finger], linkVisualShapeIndices=[-1, -1],
        linkPositions=[[-0.1, 0, -0.245], [0.1, 0, -0.245]],
        linkOrientations=[[0, 0, 0, 1]] * 2, linkInertialFramePositions=[[0, 0, 0]] * 2,
        linkInertialFrameOrientations=[[0, 0, 0, 1]] * 2, linkParentIndices=[0, 0],
        linkJointTypes=[p.JOINT_PRISMATIC] * 2, linkJointAxis=[[1, 0, 0], [-1, 0, 0]],
    )  # fmt: skip
    holder = p.createConstraint(hand, -1, -1, -1, p.JOINT_FIXED, [0, 0, 0], [0, 0, 0], [0, 0, 0.3])
    for link in (0, 1):
        p.changeDynamics(hand, link, lateralFriction=1.0)
    p.setJointMotorControl2(hand, 0, p.POSITION_CONTROL, targetPosition=0.052, force=50)
    p.setJointMotorControl2(hand, 1, p.VELOCITY_CONTROL, targetVelocity=0.1, force=10)
    return hand, block_of, holder


def test_a_gripper_lifts_a_soft_block_and_holds_it(tmp_path: Path) -> None:
    with connected(unibody.bullet) as p:
        _, body, holder = _gripper_around_a_block(p, tmp_path)

        def centre() -> Any:
            places = p.getMeshData(body, -1, flags=p.MESH_DATA_SIMULATION_MESH)[1]
            return np.mean(places, axis=0)

        for _ in range(240):
            p.stepSimulation()
        ground = centre()
        for step in range(480):  # from rest to rest
            height = 0.1 * (1.0 - math.cos(math.pi * (step + 1) / 480))
            p.changeConstraint(holder, [0, 0, 0.3 + height])
            p.stepSimulation()
        for _ in range(120):
            p.stepSimulation()
        lifted = centre()
        for _ in range(2400):
            p.stepSimulation()
        held = centre()
    # Its weight of 4.9 N shears its two halves, 5 kPa over 10 x 8 cm each, by 6 %: 3 mm in 5 cm,
    # and the fingers, which press with 10 N, bulge it out below. Linear tetrahedra of a third of
    # its side know both to a factor of two.
    assert lifted[2] - ground[2] == pytest.approx(0.2, abs=0.012)
    # Friction that knew no more than the way of a step would creep where it carries a quarter of
    # its bound, with 0.13 of 2 mm/s or more: 2.7 mm. What remembers creeps by rounding alone.
    assert held[2] == pytest.approx(lifted[2], abs=1e-5)
