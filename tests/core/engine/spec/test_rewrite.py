"""Many bodies removed at once: what stays is written anew, and is what it was."""

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
from unibody.core.engine.records.options import (
    BodyOptions,
    DriveDefaults,
    SelfCollision,
    WorldOptions,
)
from unibody.core.engine.records.rule_table import DriveMode
from unibody.core.engine.scene import edits, scene_spec
from unibody.core.engine.scene.scene import Scene
from unibody.core.engine.spec.constraint import ConstraintKind

HERE = Pose()
TETRAHEDRON = MeshSource(
    vertices=((0.0, 0.0, 0.0), (0.3, 0.0, 0.0), (0.0, 0.2, 0.0), (0.0, 0.0, 0.4)),
    faces=((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)),
)
INERTIAL = Inertial(1.0, HERE, (0.01, 0.02, 0.025, 0.0, 0.0, 0.0))


def arm() -> Asset:
    """A base with a ball joint, a mesh and two driven hinges."""
    hinge = Joint("", JointType.REVOLUTE, Pose((0.0, 0.0, 0.5)), lower=-1.0, upper=1.0)
    ball = Joint("ball", JointType.SPHERICAL, Pose((0.5, 0.0, 0.0)))
    shapes = [Shape(ShapeKind.MESH, mesh=TETRAHEDRON), Shape(ShapeKind.SPHERE, (0.1,))]
    links = [Link("base", -1, Joint(type=JointType.FLOATING), INERTIAL, [], shapes)]
    for parent, joint in ((0, hinge), (1, hinge), (0, ball)):
        links.append(Link(f"link{len(links)}", parent, joint, INERTIAL, [], shapes[1:]))
    return Asset("arm", links)


def box() -> Asset:
    joint = Joint(type=JointType.FLOATING)
    return Asset("box", [Link("box", -1, joint, INERTIAL, [], [Shape(ShapeKind.BOX, (1, 1, 1))])])


def edited() -> Scene:
    """Two arms of which much was changed, after many boxes around them were removed."""
    world = Scene(WorldOptions())
    drives = DriveDefaults(DriveMode.MOTOR, 0.0, 1.0, 5.0)
    for number in range(40):
        place = Pose((3.0 * number, 0.0, 1.0))
        options = BodyOptions(pose=place, drives=drives, self_collision=SelfCollision.NONE)
        world.add(number, arm() if number in (7, 21) else box(), options)
    for _ in range(3):
        world.world.step()
    first, second = world.bodies[7], world.bodies[21]
    edits.set_joint_damping(world, first, 1, 0.7)
    edits.set_joint_limits(world, first, 2, -0.3, 0.4)
    edits.set_joint_limits(world, second, 1, 1.0, -1.0)
    edits.set_friction(world, second, 0, (0.9, 0.01, 0.0))
    edits.set_inertial(world, first, 1, 2.5, (0.1, 0.1, 0.15), Pose((0.1, 0.0, 0.0)))
    edits.set_body_damping(world, second, 0.3, 0.4)
    world.set_pair((7, 0), (21, 1), False)
    world.set_pair((7, 1), (7, 2), True)
    second.links[1].group = 0
    world.refresh_filters()
    world.set_pair((7, 2), (21, 1), True)
    world.add_constraint(ConstraintKind.POINT, (7, 0), (21, 0), HERE, HERE)
    world.add_constraint(ConstraintKind.GEAR, (7, 1), (7, 2), HERE, HERE)
    for number in range(40):
        if number not in (7, 21):
            world.remove(number)
    for _ in range(3):
        world.world.step()
    return world


def models(monkeypatch: pytest.MonkeyPatch) -> tuple[Scene, Scene]:
    """The same scene with its spec written anew, and with bodies deleted from it."""
    monkeypatch.setattr(scene_spec, "is_cheaper", lambda *_: True)
    written = edited()
    monkeypatch.setattr(scene_spec, "is_cheaper", lambda *_: False)
    return written, edited()


def test_the_model_is_the_one_that_deleting_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    written, deleted = (found.world.model for found in models(monkeypatch))
    for name in written._all_fields:
        ours, theirs = getattr(written, name), getattr(deleted, name)
        if not name.startswith(("nbuffer", "opt", "vis", "stat", "signature")):
            np.testing.assert_array_equal(ours, theirs, err_msg=name)


def test_the_state_goes_on_as_if_bodies_had_been_deleted(monkeypatch: pytest.MonkeyPatch) -> None:
    written, deleted = (found.world.data for found in models(monkeypatch))
    assert written.qpos.tobytes() == deleted.qpos.tobytes()
    assert written.userdata.tobytes() == deleted.userdata.tobytes()


def test_an_id_is_free_as_soon_as_its_body_is_removed() -> None:
    world = edited()
    world.remove(7)
    world.add(7, box(), BodyOptions())
    assert world.world.model.nbody == 1 + 4 + 1


def test_bodies_are_deleted_where_a_mesh_cannot_be_read_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(scene_spec, "is_cheaper", lambda *_: True)

    def fail(*_: object) -> None:
        raise scene_spec.AssetError("arm.obj", "", "it is gone")

    monkeypatch.setattr(scene_spec, "rewrite_bodies", fail)
    assert edited().world.model.nbody == 1 + 2 * 4


def test_clearing_a_large_world_deletes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    world = Scene(WorldOptions())
    for number in range(60):
        world.add(number, box(), BodyOptions())
    world.world.step()
    for number in range(60):
        world.remove(number)
    monkeypatch.setattr(scene_spec, "erase_body", None)
    assert world.world.model.nbody == 1
    assert isinstance(world.world.model, mujoco.MjModel)
