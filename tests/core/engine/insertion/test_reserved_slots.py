"""Bodies added to a running world: without a compile, and as if there had been one."""

from __future__ import annotations

import copy
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
    MeshSource,
    Pose,
    Shape,
    ShapeKind,
)
from unibody.core.engine.contacts.arrays import read_contacts
from unibody.core.engine.insertion import reserved_slots
from unibody.core.engine.records.options import BodyOptions, WorldOptions
from unibody.core.engine.scene import edits
from unibody.core.engine.scene.scene import Scene
from unibody.core.engine.snapshots import snapshot
from unibody.core.engine.spec.contact_margins import hide_planes

TETRAHEDRON = MeshSource(
    vertices=((0.0, 0.0, 0.0), (0.3, 0.0, 0.0), (0.0, 0.2, 0.0), (0.0, 0.0, 0.4)),
    faces=((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)),
)
CENTRED = [
    Shape(ShapeKind.BOX, (0.1, 0.3, 0.2)),
    Shape(ShapeKind.SPHERE, (0.12,)),
    Shape(ShapeKind.CYLINDER, (0.1, 0.4)),
    Shape(ShapeKind.CAPSULE, (0.08, 0.3)),
    Shape(ShapeKind.ELLIPSOID, (0.1, 0.15, 0.2)),
]
MESH = [Shape(ShapeKind.MESH, mesh=TETRAHEDRON)]
ASIDE = [Shape(ShapeKind.BOX, (0.1, 0.2, 0.1), pose=Pose((0.1, 0.0, 0.0), (0.8, 0.6, 0.0, 0.0)))]
HERE = Pose()
GRAVITY = (0.0, 0.0, -9.81)


def thing(shapes: list[Shape], number: int, com: Pose) -> Asset:
    """A body of one of the shapes, of a mass of its own."""
    mass = 0.5 + 0.1 * number
    inertial = Inertial(mass, com, (0.01 * mass, 0.012 * mass, 0.015 * mass, 0.0, 0.0, 0.0))
    joint = Joint(type=JointType.FLOATING)
    return Asset("thing", [Link("base", -1, joint, inertial, [], [shapes[number % len(shapes)]])])


def add(scene: Scene, number: int, shapes: list[Shape], com: Pose, *, fixed: bool = False) -> None:
    """Add a body above the others, with friction and damping of its own."""
    options = BodyOptions(
        pose=Pose((0.05 * number, 0.02 * number, 0.3 + 0.5 * number), (0.6, 0.0, 0.8, 0.0)),
        fixed=fixed,
        friction=(0.3 + 0.01 * number, 0.0, 0.001 * (number % 3)),
        linear_damping=0.01 * number,
        group=1 + number % 2,
    )
    scene.add(number, thing(shapes, number, com), options)


def ground() -> Scene:
    """A world with a ground."""
    scene = Scene(WorldOptions(gravity=GRAVITY))
    link = Link("ground", -1, Joint(), Inertial(), [], [Shape(ShapeKind.PLANE)])
    scene.add(0, Asset("ground", [link]), BodyOptions(fixed=True))
    return scene


def built(count: int, shapes: list[Shape], com: Pose = HERE, *, fixed: bool = False) -> Scene:
    """A world to which bodies were added one by one, with steps in between."""
    scene = ground()
    for number in range(1, count + 1):
        add(scene, number, shapes, com, fixed=fixed)
        for _ in range(5):
            scene.world.step()
    return scene


@pytest.fixture
def no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory that is not laid out as expected."""

    def refuse(*_: Any) -> None:
        raise reserved_slots.LayoutError

    monkeypatch.setattr(reserved_slots.ReservedSlots, "__init__", refuse)


KINDS = {
    "centred": (CENTRED, HERE, False),
    "mesh": (MESH, Pose((0.1, 0.05, 0.1), (0.6, 0.0, 0.8, 0.0)), False),
    "aside": (ASIDE, Pose((0.02, 0.0, 0.01)), False),
    "fixed": (CENTRED, HERE, True),
}
# Of another size because there is room (names of the places), or set in the world after a compile.
ROOM = {"names", "names_map", "nnames", "bvh_depth", "bvh_child", "bvh_nodeid", "bvh_aabb"}
ROOM |= {"nbvh", "nbvhstatic", "narena", "nbuffer", "key_qpos", "key_qvel", "key_mpos", "key_mquat"}
ROOM |= {"name_bodyadr", "name_jntadr", "name_geomadr", "name_numericadr", "name_meshadr"}
ROOM |= {"mesh_bvhadr", "dof_length"}  # the latter serves sleeping alone, which is off
AFTER = {"geom_contype", "geom_conaffinity", "numeric_data", "jnt_margin"}


@pytest.mark.parametrize("kind", KINDS)
def test_a_grown_model_is_the_compiled_one(kind: str) -> None:
    """All that MuJoCo compiles, but what it derives from masses in another order of rounding."""
    shapes, com, fixed = KINDS[kind]
    scene = built(30, shapes, com, fixed=fixed)
    grown = scene.world.model
    scene._written.write_bodies()
    compiled = scene._written.spec.compile()
    hide_planes(compiled)  # as a world does
    assert scene._body_slots.slots is not None
    for name in grown._all_fields:
        ours, theirs = getattr(grown, name), getattr(compiled, name)
        if name in ROOM | AFTER:
            continue
        if isinstance(ours, np.ndarray) and ours.dtype.kind == "f":
            np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-15, err_msg=name)
        else:
            np.testing.assert_array_equal(ours, theirs, err_msg=name)
    nodes = grown.body_bvhadr[grown.body_bvhadr >= 0]
    np.testing.assert_allclose(grown.bvh_aabb[nodes], compiled.bvh_aabb[nodes], atol=1e-15)


@pytest.mark.parametrize("kind", KINDS)
def test_growing_and_compiling_give_the_same_motion_to_the_last_bit(
    kind: str, request: pytest.FixtureRequest
) -> None:
    """Also the same contacts, in the same order."""
    shapes, com, fixed = KINDS[kind]
    states = []
    for _ in range(2):
        scene = built(25, shapes, com, fixed=fixed)
        for _ in range(100):
            scene.world.step()
        data = scene.world.data
        states.append((data.qpos.tobytes(), data.qvel.tobytes(), data.contact.geom.tobytes()))
        request.getfixturevalue("no_room")
    assert states[0] == states[1]


def test_only_few_of_many_additions_compile(monkeypatch: pytest.MonkeyPatch) -> None:
    """One in ten at most."""
    compiles = []
    compile_scene = Scene._compile
    monkeypatch.setattr(Scene, "_compile", lambda scene: (compiles.append(1), compile_scene(scene)))
    built(100, CENTRED)
    assert len(compiles) <= 10


def test_edits_of_old_and_new_bodies_hold_while_a_body_waits() -> None:
    """A body that was added but not stepped yet does not keep edits from the running world."""
    scene = built(20, CENTRED)
    add(scene, 21, CENTRED, HERE)
    edits.set_friction(scene, scene.bodies[3], 0, (0.9, 0.0, 0.0))
    edits.set_inertial(scene, scene.bodies[4], 0, 7.0, (0.1, 0.2, 0.3), HERE)
    edits.set_inertial(scene, scene.bodies[21], 0, 5.0, (0.1, 0.2, 0.25), HERE)
    scene.bodies[5].links[0].mask = 0
    scene.refresh_filters()
    model = scene.world.model
    old, new = scene.bodies[4].body, scene.bodies[21].body
    assert model.geom_friction[scene.bodies[3].geom, 0] == 0.9
    assert (model.body_mass[old], model.body_mass[new]) == (7.0, 5.0)
    assert model.body_invweight0[old, 0] == 1.0 / 7.0
    assert model.body_invweight0[new, 0] == 1.0 / 5.0
    scene._written.write_bodies()
    compiled = scene._written.spec.compile()
    np.testing.assert_allclose(model.body_invweight0, compiled.body_invweight0, rtol=1e-12)
    np.testing.assert_allclose(model.body_subtreemass, compiled.body_subtreemass, rtol=1e-12)


def test_a_snapshot_holds_across_bodies_that_grew_and_went() -> None:
    """The same steps follow, bit by bit, after an addition that was undone."""
    scene = built(20, CENTRED)
    saved = snapshot.take(scene)
    states = []
    for attempt in range(2):
        for _ in range(50):
            scene.world.step()
        states.append(scene.world.data.qpos[:140].tobytes())
        if attempt == 0:
            add(scene, 50, CENTRED, HERE)
            scene.world.step()
            scene.remove(50)
            snapshot.restore(scene, saved)
    assert states[0] == states[1]


def test_a_grown_model_can_be_copied_and_loaded() -> None:
    """What MuJoCo knows of the sizes of its memory is right."""
    scene = built(20, CENTRED)
    model, data = scene.world.model, scene.world.data
    twin = copy.copy(model)
    other = copy.copy(data)
    for _ in range(50):
        mujoco.mj_step(twin, other)
        mujoco.mj_step(model, data)
    np.testing.assert_array_equal(other.qpos, data.qpos)
    assert mujoco.MjData(model).qpos.shape == (140,)


def test_bodies_that_do_not_fit_are_compiled() -> None:
    """A robot, a fixed body and a body with two shapes among boxes."""
    scene = built(20, CENTRED)
    add(scene, 30, CENTRED, HERE, fixed=True)
    scene.world.step()
    asset = thing(CENTRED, 31, HERE)
    asset.links[0].collisions.append(ASIDE[0])
    scene.add(31, asset, BodyOptions(pose=Pose((0.0, 0.0, 40.0))))
    add(scene, 32, CENTRED, HERE)
    scene.world.step()
    world = scene.world
    assert [world.owner_body[scene.bodies[n].body] for n in (20, 30, 31, 32)] == [20, 30, 31, 32]
    assert world.model.ngeom == 25
    assert world.data.mocap_pos[scene.bodies[30].mocap][2] == pytest.approx(15.3)


def test_contacts_stay_readable_when_a_body_is_added() -> None:
    """Those of the last step, forces included, as PyBullet has them."""
    scene = built(20, CENTRED)
    for _ in range(200):
        scene.world.step()
    before = read_contacts(scene.world)
    add(scene, 21, CENTRED, HERE)
    after = read_contacts(scene.world)
    assert before.count > 5
    np.testing.assert_array_equal(before.ids, after.ids)
    np.testing.assert_array_equal(before.numbers, after.numbers)
