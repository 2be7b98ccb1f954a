"""The solver gives the same motion with sparse and with dense Jacobians.

MuJoCo 4.0.0 merges rows in its sparse factorisation that it must not; this is how that shows.
"""

from __future__ import annotations

import io
import math
from typing import Any

import mujoco
import numpy as np
import pytest

from unibody.core.assets.description import (
    Asset,
    Inertial,
    Joint,
    JointType,
    Link,
    Pose,
    Shape,
    ShapeKind,
)
from unibody.core.engine.records.options import BodyOptions, WorldOptions
from unibody.core.engine.scene.scene import Scene

BODIES = 6
BRANCHES = 4
SEGMENTS = 6  # 6 + 4 * 6 = 30 degrees of freedom a body
STEPS = 150
# Both solve the same convex problem to 1e-8 of its scale; contacts amplify over 150 steps.
TOLERANCE = 1e-5
# A wrong factorisation runs into the limit of 100; 7 is what it takes in plain MuJoCo, 27 with
# our harder contacts.
MOST_ITERATIONS = 50
SPARSE = mujoco.mjtJacobian.mjJAC_SPARSE
DENSE = mujoco.mjtJacobian.mjJAC_DENSE


def branch_xml(branch: int) -> str:
    """One branch of capsules, each on a hinge of the one before."""
    turn = branch * 2 * math.pi / BRANCHES
    text, close = io.StringIO(), ""
    for segment in range(SEGMENTS):
        x, y = math.cos(turn), math.sin(turn)
        at = 0.1 if segment == 0 else 0.12
        axis = "0 0 1" if segment % 2 else f"{-y} {x} 0"
        text.write(
            f'<body pos="{at * x} {at * y} 0"><joint type="hinge" axis="{axis}" damping="0.05"/>'
            f'<geom type="capsule" size="0.03" fromto="0 0 0 {0.12 * x} {0.12 * y} 0" mass="0.2"/>'
        )
        close += "</body>"
    return text.getvalue() + close


def raw_model() -> Any:
    """Six branching bodies above one another, as plain MJCF."""
    bodies = "".join(
        f'<body pos="{0.05 * n} {-0.03 * n} {0.3 + 0.25 * n}"><freejoint/>'
        f'<geom type="sphere" size="0.1" mass="1"/>{"".join(map(branch_xml, range(BRANCHES)))}'
        "</body>"
        for n in range(BODIES)
    )
    return mujoco.MjModel.from_xml_string(
        '<mujoco><option solver="Newton" cone="elliptic"/><worldbody>'
        f'<geom type="plane" size="0 0 1"/>{bodies}</worldbody></mujoco>'
    )


def branching_asset() -> Asset:
    """The same body in the engine's own terms."""
    links = [
        Link(
            "hub",
            inertial=Inertial(1.0, Pose(), (0.004, 0.004, 0.004, 0, 0, 0)),
            collisions=[Shape(ShapeKind.SPHERE, (0.1,))],
        )
    ]
    for branch in range(BRANCHES):
        turn = branch * 2 * math.pi / BRANCHES
        x, y = math.cos(turn), math.sin(turn)
        parent = 0
        for segment in range(SEGMENTS):
            at = 0.1 if segment == 0 else 0.12
            middle = Pose((0.06 * x, 0.06 * y, 0.0), _along(x, y))
            links.append(
                Link(
                    f"segment{branch}_{segment}",
                    parent=parent,
                    joint=Joint(
                        f"joint{branch}_{segment}",
                        JointType.CONTINUOUS,
                        Pose((at * x, at * y, 0.0)),
                        (0.0, 0.0, 1.0) if segment % 2 else (-y, x, 0.0),
                        damping=0.05,
                    ),
                    inertial=Inertial(0.2, middle, (4e-4, 4e-4, 1e-4, 0, 0, 0)),
                    collisions=[Shape(ShapeKind.CAPSULE, (0.03, 0.12), middle)],
                )
            )
            parent = len(links) - 1
    return Asset("branching", links)


def _along(x: float, y: float) -> tuple[float, float, float, float]:
    """The turn that takes the z axis to the direction (x, y, 0)."""
    half = math.sqrt(0.5)
    return (half, -half * y, half * x, 0.0)


def our_scene() -> Scene:
    """Six branching bodies above a plane, with the engine's contact rules."""
    scene = Scene(WorldOptions(gravity=(0.0, 0.0, -9.81)))
    floor = Asset("floor", [Link("floor", collisions=[Shape(ShapeKind.PLANE)])])
    scene.add(0, floor, BodyOptions(fixed=True))
    asset = branching_asset()
    for n in range(BODIES):
        pose = Pose((0.05 * n, -0.03 * n, 0.3 + 0.25 * n))
        scene.add(n + 1, asset, BodyOptions(pose=pose, linear_damping=0.04, angular_damping=0.04))
    return scene


def run_raw(jacobian: Any) -> tuple[Any, int]:
    """Final positions and the largest number of solver iterations, in plain MuJoCo."""
    model = raw_model()
    model.opt.jacobian = jacobian
    data = mujoco.MjData(model)
    most = 0
    for _ in range(STEPS):
        mujoco.mj_step(model, data)
        most = max(most, int(data.solver_niter.max()))
    assert data.ncon > 10
    return np.array(data.qpos), most


def run_scene(jacobian: Any) -> tuple[Any, int]:
    """The same in a scene."""
    scene = our_scene()
    world = scene.world
    world.model.opt.jacobian = jacobian
    most = 0
    for _ in range(STEPS):
        world.step()
        most = max(most, int(world.data.solver_niter.max()))
    assert world.data.ncon > 10
    return np.array(world.data.qpos), most


@pytest.mark.parametrize("run", [run_raw, run_scene], ids=["mujoco", "scene"])
def test_sparse_and_dense_jacobians_give_the_same_pile(run: Any) -> None:
    sparse, sparse_iterations = run(SPARSE)
    dense, dense_iterations = run(DENSE)
    assert sparse.size == (180 + BODIES)
    np.testing.assert_allclose(sparse, dense, rtol=0, atol=TOLERANCE)
    assert max(sparse_iterations, dense_iterations) < MOST_ITERATIONS
