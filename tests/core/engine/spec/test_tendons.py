"""Tendons of a scene: weighted sums of joints."""

from __future__ import annotations

import pytest

from tests.core.engine.worlds.scenes import box, pendulum, tree
from unibody.core.engine.records.options import BodyOptions
from unibody.core.engine.spec.constraint import Spring
from unibody.errors import InvalidArgumentError, NotSupportedError


def test_a_tendon_that_is_removed_pulls_no_more() -> None:
    scene = pendulum()
    held = scene.add_tendon(0, [(1, 2.0)])
    held.spring = Spring(stiffness=1e6, damping=1e4)
    world = scene.world
    for _ in range(20):
        world.step()
    assert abs(float(world.data.qpos[0])) < 1e-4
    scene.remove_constraint(held.id)
    scene.world.data.qpos[0] = 1.0
    for _ in range(20):
        scene.world.step()
    assert float(scene.world.data.qpos[0]) < 0.95
    scene.add(1, box(), BodyOptions())
    assert scene.world.model.neq == 0


def test_a_tendon_over_a_joint_with_several_axes_is_refused() -> None:
    scene = pendulum()
    scene.add(1, tree(), BodyOptions())
    with pytest.raises(InvalidArgumentError, match="one degree of freedom"):
        scene.add_tendon(1, [(1, 1.0), (4, 1.0)])


def test_bodies_come_before_tendons() -> None:
    scene = pendulum()
    scene.add_tendon(0, [(1, 1.0)])
    with pytest.raises(NotSupportedError, match="bodies after a tendon"):
        scene.add(1, box(), BodyOptions())
