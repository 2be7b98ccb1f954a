"""Numbers of links that change in a running world, and what a later compile makes of them."""

from __future__ import annotations

from typing import Any

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
from unibody.core.engine.scene import edits
from unibody.core.engine.scene.scene import Scene

ARRAYS = (
    "body_mass", "body_inertia", "body_ipos", "body_iquat", "body_user", "body_subtreemass",
    "body_invweight0", "dof_invweight0", "dof_M0", "dof_damping", "jnt_range", "jnt_limited",
    "geom_friction", "geom_condim", "geom_user",
)  # fmt: skip
INERTIA = (0.02, 0.02, 0.03)


def body(links: int) -> Asset:
    """Links on hinges, each with a ball."""
    inertial = Inertial(1.0, Pose(), (0.01, 0.02, 0.03, 0.0, 0.0, 0.0))
    balls = [Shape(ShapeKind.SPHERE, (0.1,))]
    hinge = Joint("hinge", JointType.REVOLUTE, origin=Pose((0.0, 0.0, 0.5)), axis=(1.0, 0.0, 0.0))
    free = Joint(type=JointType.FLOATING)
    names = [(-1, free), *((k, hinge) for k in range(links - 1))]
    return Asset("body", [Link(f"l{p}", p, j, inertial, collisions=balls) for p, j in names])


def scene_of(count: int) -> Scene:
    scene = Scene(WorldOptions())
    for number, links in enumerate((3, 1, 2)[:count]):
        scene.add(number, body(links), BodyOptions(pose=Pose((float(number), 0.0, 1.0))))
    scene.world.step()
    return scene


def change(scene: Scene) -> None:
    for number, index in ((0, 1), (1, 0)):
        record = scene.bodies[number]
        record.links[index].mass, record.links[index].inertia = 2.5, INERTIA
        edits.inertial_changed(scene, record, index)
        edits.set_friction(scene, record, index, (0.7, 0.01, 0.02))
        edits.set_contact(scene, record, index, restitution=0.4, stiffness=1e4, damping=10.0)
        edits.set_body_damping(scene, record, 0.3, 0.2)
    edits.set_joint_damping(scene, scene.bodies[0], 1, 0.25)
    edits.set_joint_limits(scene, scene.bodies[0], 2, -0.5, 0.5)
    shifted = Pose((0.0, 0.05, 0.0), (0.6, 0.8, 0.0, 0.0))
    edits.set_inertial(scene, scene.bodies[0], 2, 3.0, INERTIA, shifted)


def numbers(scene: Scene) -> dict[str, Any]:
    model = scene.world.model
    return {name: np.array(getattr(model, name)) for name in ARRAYS}


def test_what_was_changed_in_a_running_world_is_compiled_into_the_next() -> None:
    scene, fresh = scene_of(2), scene_of(2)
    before = numbers(scene)
    change(scene)
    scene.world.step()
    running = numbers(scene)
    assert [name for name in ARRAYS if (before[name] == running[name]).all()] == []
    for each in (scene, fresh):
        each.add(2, body(2), BodyOptions(pose=Pose((2.0, 0.0, 1.0))))
    change(fresh)
    fresh.world.step()
    scene.world.step()
    compiled, other = numbers(scene), numbers(fresh)
    for name in ARRAYS:
        part = running[name]
        if name == "body_subtreemass":  # of all that there is
            part, compiled[name] = part[1:], compiled[name][1:]
        assert compiled[name][: len(part)] == pytest.approx(part, rel=1e-12), name
        assert other[name] == pytest.approx(numbers(scene)[name], rel=1e-12), name


def test_a_change_that_waits_is_lost_with_its_body() -> None:
    scene = scene_of(2)
    change(scene)
    scene.remove(0)
    scene.add(0, body(3), BodyOptions())
    scene.world.step()
    assert scene.bodies[0].links[1].mass == 1.0
    model = scene.world.model
    assert model.body_mass[scene.bodies[0].links[1].body] == 1.0
    assert model.body_mass[scene.bodies[1].links[0].body] == 2.5
