"""The same script on PyBullet and on unibody.bullet."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pybullet
import pybullet_data
from numpy.typing import NDArray

import unibody.bullet

Script = Callable[[Any], Any]
DATA = pybullet_data.getDataPath()
GRAVITY = 9.81  # m/s^2
STEP = 1.0 / 240.0  # s, PyBullet's default


@contextmanager
def connected(module: Any) -> Iterator[Any]:
    """A fresh world of one of the two modules, the only one, with PyBullet's models."""
    client = module.connect(module.DIRECT)
    assert client == 0, "another test left its world behind"
    try:
        module.setAdditionalSearchPath(DATA)
        yield module
    finally:
        module.disconnect(client)


def both(script: Script, *, converged: bool = False) -> tuple[NDArray[Any], NDArray[Any]]:
    """What a script returns on PyBullet and on unibody.bullet, as arrays.

    Args:
        script: Called with the module, in a fresh world.
        converged: Let PyBullet iterate until its solution is exact. Its default, 50 sweeps, is
            not; unibody's solver always converges.
    """
    with connected(pybullet) as module:
        if converged:
            module.setPhysicsEngineParameter(numSolverIterations=2000, solverResidualThreshold=0)
        theirs = np.asarray(script(module), dtype=np.float64)
    with connected(unibody.bullet) as module:
        ours = np.asarray(script(module), dtype=np.float64)
    return theirs, ours


def base_state(p: Any, body: int) -> list[float]:
    """Position, orientation (x, y, z, w), linear and angular velocity of a base, (13,)."""
    pos, quat = p.getBasePositionAndOrientation(body)
    linear, angular = p.getBaseVelocity(body)
    return [*pos, *quat, *linear, *angular]


def base_motion(p: Any, body: int, steps: int) -> list[list[float]]:
    """The base state after each of some steps, (steps, 13)."""
    rows: list[list[float]] = []
    for _ in range(steps):
        p.stepSimulation()
        rows.append(base_state(p, body))
    return rows


def box(p: Any, pos: Any, mass: float = 1.0, half: Any = (0.1, 0.1, 0.1), **more: Any) -> int:
    """A box; mass 0 makes it immovable."""
    shape = p.createCollisionShape(p.GEOM_BOX, halfExtents=half)
    return p.createMultiBody(mass, shape, basePosition=pos, **more)


def sphere(p: Any, pos: Any, mass: float = 1.0, radius: float = 0.1, **more: Any) -> int:
    """A sphere; mass 0 makes it immovable."""
    shape = p.createCollisionShape(p.GEOM_SPHERE, radius=radius)
    return p.createMultiBody(mass, shape, basePosition=pos, **more)


def ground(p: Any) -> int:
    """The plane z = 0."""
    return p.createMultiBody(0, p.createCollisionShape(p.GEOM_PLANE))


def without_damping(p: Any, body: int) -> None:
    """Switch off the damping PyBullet gives every body and joint."""
    for link in range(-1, p.getNumJoints(body)):
        p.changeDynamics(body, link, linearDamping=0, angularDamping=0, jointDamping=0)


def without_motors(p: Any, body: int) -> None:
    """Switch off the motors PyBullet gives every joint."""
    for joint in range(p.getNumJoints(body)):
        if p.getJointInfo(body, joint)[2] in (p.JOINT_REVOLUTE, p.JOINT_PRISMATIC):
            p.setJointMotorControl2(body, joint, p.VELOCITY_CONTROL, force=0)
