"""The filter of geom pairs takes nothing away that touches."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from unibody.core.assets.description import (
    Asset,
    Inertial,
    Joint,
    JointType,
    Link,
    MeshSource,
    Pose,
    Shape,
    ShapeKind,
)
from unibody.core.engine.records import rule_table as t
from unibody.core.engine.records.options import BodyOptions
from unibody.core.engine.scene.scene import Scene

TETRAHEDRON = MeshSource(
    vertices=((0.0, 0.0, 0.0), (0.3, 0.0, 0.0), (0.0, 0.2, 0.0), (0.0, 0.0, 0.4)),
    faces=((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)),
)
SHAPES = (
    Shape(ShapeKind.BOX, (0.1, 0.3, 0.2)),
    Shape(ShapeKind.CYLINDER, (0.1, 0.4)),
    Shape(ShapeKind.ELLIPSOID, (0.1, 0.15, 0.2)),
    Shape(ShapeKind.MESH, mesh=TETRAHEDRON),
    Shape(ShapeKind.SPHERE, (0.12,)),
    Shape(ShapeKind.CAPSULE, (0.08, 0.3), pose=Pose((0.1, 0.0, 0.05))),
)


def crowd(seed: int) -> Scene:
    """Shapes of all kinds in random poses, many of them in one another, in a large box's face."""
    chance = np.random.default_rng(seed)
    scene = Scene()
    inertial = Inertial(1.0, Pose(), (0.01, 0.01, 0.01, 0.0, 0.0, 0.0))
    ground = Link("ground", -1, Joint(), inertial, [], [Shape(ShapeKind.BOX, (30.0, 30.0, 10.0))])
    scene.add(0, Asset("ground", [ground]), BodyOptions(pose=Pose((0, 0, -5.0)), fixed=True))
    for number in range(1, 31):
        x, y, z = chance.uniform((-0.8, -0.8, 0.0), (0.8, 0.8, 0.8)).tolist()
        turn = chance.normal(size=4)
        w, i, j, k = (turn / np.linalg.norm(turn)).tolist()
        joint = Joint(type=JointType.FLOATING)
        link = Link("thing", -1, joint, inertial, [], [SHAPES[number % len(SHAPES)]])
        options = BodyOptions(pose=Pose((x, y, z), (w, i, j, k)))
        scene.add(number, Asset("thing", [link]), options)
    return scene


@pytest.mark.parametrize("seed", range(5))
def test_the_same_contacts_are_found_with_and_without_the_filter(seed: int) -> None:
    """A model without our mark gets MuJoCo's own test of bounding spheres and no other."""
    world = crowd(seed).world
    found = []
    for magic in (t.MAGIC, 0.0):
        world.model.numeric_data[t.N_MAGIC] = magic
        mujoco.mj_forward(world.model, world.data)
        contacts = world.data.contact
        found.append((contacts.geom.copy(), contacts.dist.copy(), contacts.pos.copy()))
    assert len(found[0][0]) > 10
    for with_filter, without in zip(*found, strict=True):
        # hulls over a side of a box are ours with the mark: another way to the same corner
        np.testing.assert_allclose(with_filter, without, rtol=0, atol=1e-12)


def test_the_filter_keeps_to_the_contact_bits() -> None:
    """Shapes whose groups and masks do not meet have no contact."""
    scene = crowd(0)
    for state in (record.links[0] for record in scene.bodies.values()):
        state.group, state.mask = 1, 2
    scene.refresh_filters()
    scene.world.collide()
    assert scene.world.data.ncon == 0


def test_mujoco_spends_no_time_on_its_own_timers() -> None:
    """They would take a tenth of a small step."""
    world = crowd(0).world
    world.step()
    assert world.data.timer.duration.sum() == 0.0
