"""Bodies of changing kinds added to a running world: as if there had been a compile."""

from __future__ import annotations

import copy
from typing import Any

import mujoco
import numpy as np
import pytest

from tests.core.engine.insertion.test_reserved_slots import (
    AFTER,
    ASIDE,
    CENTRED,
    MESH,
    ROOM,
    ground,
    thing,
)
from unibody.core.assets.description import MeshSource, Pose, Shape, ShapeKind
from unibody.core.engine.contacts.arrays import read_contacts
from unibody.core.engine.insertion import reserved_slots
from unibody.core.engine.insertion.open_slots import OpenSlots
from unibody.core.engine.records.options import BodyOptions
from unibody.core.engine.scene import edits
from unibody.core.engine.scene.model_source import ModelSource
from unibody.core.engine.scene.scene import Scene
from unibody.core.engine.snapshots import snapshot
from unibody.core.engine.spec.constraint import ConstraintKind
from unibody.core.engine.spec.contact_margins import hide_planes

# Boxes of meshes lie behind those of the bodies that came with them.
ELSEWHERE = {"mesh_bvhadr", "body_bvhadr", "mesh_pathadr", "npaths"}
OFF_CENTRE = Pose((0.02, 0.0, 0.01), (0.8, 0.6, 0.0, 0.0))


def prism(height: float) -> Shape:
    """A mesh of its own."""
    corners = [(x, y, z) for z in (0.0, height) for x, y in ((0.0, 0.0), (0.2, 0.0), (0.0, 0.2))]
    faces = ((0, 2, 1), (3, 4, 5), (0, 1, 4), (0, 4, 3), (1, 2, 5), (1, 5, 4), (2, 0, 3), (2, 3, 5))
    return Shape(ShapeKind.MESH, mesh=MeshSource(vertices=tuple(corners), faces=faces))


def kind(number: int) -> tuple[list[Shape], Pose, bool]:
    """Shapes, inertial frame and whether it is held, of one of several kinds."""
    kinds: list[tuple[list[Shape], Pose, bool]] = [
        ([CENTRED[number % 5]], Pose(), False),
        (MESH, OFF_CENTRE, False),
        ([*ASIDE, CENTRED[1], prism(0.1 + 0.01 * number)], Pose(), False),
        ([prism(0.3)], Pose((0.05, 0.05, 0.1)), number % 8 == 3),
    ]
    return kinds[number % 4]


def add(scene: Scene, number: int) -> None:
    """Add a body above the others, with friction and damping of its own."""
    shapes, com, fixed = kind(number)
    asset = thing([shapes[0]], number, com)
    asset.links[0].collisions[:] = shapes
    options = BodyOptions(
        pose=Pose((0.05 * number, 0.02 * number, 0.3 + 0.3 * number), (0.6, 0.0, 0.8, 0.0)),
        fixed=fixed,
        friction=(0.3 + 0.01 * number, 0.0, 0.001 * (number % 3)),
        linear_damping=0.01 * number,
        group=1 + number % 2,
    )
    scene.add(number, asset, options)


def built(count: int) -> Scene:
    """A world to which bodies of changing kinds were added, with steps in between."""
    scene = ground()
    for number in range(1, count + 1):
        add(scene, number)
        for _ in range(5):
            scene.world.step()
    return scene


@pytest.fixture
def compiles(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many bodies there were at each compile."""
    counts: list[int] = []
    compile_scene = Scene._compile

    def counted(scene: Scene) -> None:
        counts.append(len(scene.bodies))
        compile_scene(scene)

    monkeypatch.setattr(Scene, "_compile", counted)
    return counts


@pytest.fixture
def no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory that is not laid out as expected."""

    def refuse(*_: Any) -> None:
        raise reserved_slots.LayoutError

    monkeypatch.setattr(reserved_slots.ReservedSlots, "__init__", refuse)
    monkeypatch.setattr(OpenSlots, "__init__", refuse)


def test_a_model_with_bodies_of_many_kinds_is_the_compiled_one() -> None:
    """All that MuJoCo compiles, but what it derives from masses in another order of rounding."""
    scene = built(30)
    grown = scene.world.model
    assert isinstance(scene._body_slots.slots, OpenSlots)
    assert scene._body_slots.slots.taken > 10
    scene._written.write_bodies()
    compiled = scene._written.spec.compile()
    hide_planes(compiled)  # as a world does
    for name in grown._all_fields:
        ours, theirs = getattr(grown, name), getattr(compiled, name)
        if name in ROOM | AFTER | ELSEWHERE or name.startswith(("name", "paths")):
            continue
        if isinstance(ours, np.ndarray) and ours.dtype.kind == "f":
            np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-15, err_msg=name)
        else:
            np.testing.assert_array_equal(ours, theirs, err_msg=name)
    for addresses, counts in (("body_bvhadr", "body_bvhnum"), ("mesh_bvhadr", "mesh_bvhnum")):
        for k, count in enumerate(getattr(grown, counts).tolist()):
            if count:
                a, b = (int(getattr(model, addresses)[k]) for model in (grown, compiled))
                for name in ("bvh_aabb", "bvh_child", "bvh_nodeid", "bvh_depth"):
                    ours, theirs = getattr(grown, name)[a:], getattr(compiled, name)[b:]
                    np.testing.assert_allclose(ours[:count], theirs[:count], atol=1e-15)


def test_bodies_of_many_kinds_move_as_if_they_were_compiled(
    request: pytest.FixtureRequest,
) -> None:
    """To the last bit, with the same contacts in the same order."""
    states = []
    for _ in range(2):
        scene = built(20)
        for _ in range(100):
            scene.world.step()
        data = scene.world.data
        states.append((data.qpos.tobytes(), data.qvel.tobytes(), data.contact.geom.tobytes()))
        request.getfixturevalue("no_room")
    assert states[0] == states[1]


def test_bodies_of_changing_kinds_compile_a_few_times_only(compiles: list[int]) -> None:
    """Of sixty additions."""
    built(60)
    assert len(compiles) <= 6


def test_a_body_of_any_kind_leaves_its_place_and_another_takes_it(compiles: list[int]) -> None:
    """The last one, again and again, without a compile; the others move as if nothing happened."""
    scene = built(8)
    count = len(compiles)
    for number in range(9, 29):
        add(scene, number)
        scene.world.step()
        assert read_contacts(scene.world).count >= 0
        scene.remove(number)
        scene.world.step()
    assert len(compiles) == count
    model = scene.world.model
    masses = sum(record.links[0].mass for record in scene.bodies.values())
    assert model.body_subtreemass[0] == pytest.approx(masses, rel=1e-12)
    assert model.nbody == len(scene.bodies) + 1


def episodes(count: int) -> Scene:
    """A world in which each episode clears the objects of the one before away and has others."""
    scene = ground()
    scene.world.step()
    for episode in range(count):
        for number in [number for number in scene.bodies if number]:
            scene.remove(number)
        for number in (5 * episode + k for k in (1, 2, 3, 5)):
            add(scene, number)
            for _ in range(5):
                scene.world.step()
    return scene


def test_objects_of_other_kinds_in_each_episode_compile_a_few_times_only(
    compiles: list[int],
) -> None:
    """Forty objects, cleared away four at a time."""
    episodes(10)
    assert len(compiles) <= 6


def test_objects_of_other_kinds_in_each_episode_move_as_if_they_were_compiled(
    request: pytest.FixtureRequest,
) -> None:
    """To the last bit: also those that were there when another room was made."""
    states = []
    for _ in range(2):
        data = episodes(6).world.data
        states.append((data.qpos.tobytes(), data.qvel.tobytes(), data.contact.geom.tobytes()))
        request.getfixturevalue("no_room")
    assert states[0] == states[1]


def queue(count: int) -> Scene:
    """A world that the oldest of five objects leaves whenever another one comes."""
    scene = ground()
    scene.world.step()
    for number in range(1, count + 1):
        if number > 5:
            scene.remove(number - 5)
        add(scene, number)
        for _ in range(5):
            scene.world.step()
    return scene


def test_the_oldest_object_leaves_without_a_compile(compiles: list[int]) -> None:
    """Those behind it move up."""
    queue(25)
    assert len(compiles) <= 6


def test_objects_that_move_up_move_as_if_they_were_compiled(
    request: pytest.FixtureRequest,
) -> None:
    """To the last bit, with what was changed of them."""
    states = []
    for _ in range(2):
        scene = queue(14)
        edits.set_friction(scene, scene.bodies[12], 0, (0.9, 0.0, 0.0))
        scene.remove(10)
        for _ in range(20):
            scene.world.step()
        data = scene.world.data
        states.append((data.qpos.tobytes(), data.qvel.tobytes(), data.contact.geom.tobytes()))
        request.getfixturevalue("no_room")
    assert states[0] == states[1]


def test_bodies_that_something_refers_to_keep_their_places() -> None:
    """A pair that was switched off, and a constraint, of objects behind one that leaves."""
    scene = queue(8)
    scene.set_pair((6, 0), (0, 0), False)
    held = scene.add_constraint(ConstraintKind.POINT, (7, 0), None, Pose(), Pose((0.0, 0.0, 2.0)))
    scene.world.step()
    scene.remove(4)
    add(scene, 9)
    for _ in range(300):
        scene.world.step()
    data = scene.world.data
    assert data.xpos[scene.bodies[6].body][2] < -0.5  # it fell through the ground
    assert data.xpos[scene.bodies[8].body][2] > 0.0
    np.testing.assert_allclose(data.xpos[scene.bodies[7].body], (0.0, 0.0, 2.0), atol=0.01)
    assert scene.constraints[held.id] is held


def marker(scene: Scene, number: int) -> None:
    """A body that is only seen."""
    asset = thing([CENTRED[0]], number, Pose())
    asset.links[0].collisions.clear()
    scene.add(number, asset, BodyOptions(pose=Pose((0.1 * number, 0.0, 1.0)), fixed=True))


def test_a_body_without_shapes_comes_and_goes_without_a_compile(compiles: list[int]) -> None:
    """A goal that is shown elsewhere in each episode; its pose is read as it was set."""
    scene = ground()
    scene.world.step()
    compiles.clear()
    for number in range(1, 11):
        if number > 1:
            scene.remove(number - 1)
        marker(scene, number)
        scene.world.step()
        record, data = scene.bodies[number], scene.world.data
        assert data.mocap_pos[record.mocap].tolist() == [0.1 * number, 0.0, 1.0]
        assert data.xpos[record.body].tolist() == [0.1 * number, 0.0, 1.0]
    assert len(compiles) <= 2


def test_an_object_that_comes_and_goes_again_and_again_compiles_twice(compiles: list[int]) -> None:
    """Once for the world that begins, and once for the room that the object comes to."""
    scene = ground()
    scene.world.step()
    compiles.clear()
    for _ in range(10):
        add(scene, 1)
        scene.world.step()
        scene.remove(1)
        scene.world.step()
    assert len(compiles) <= 2


def test_numbers_of_a_body_hold_that_were_changed_before_it_had_a_place() -> None:
    """Its mass, inertia, friction and inertial frame."""
    scene = built(8)
    add(scene, 9)
    record = scene.bodies[9]
    com = Pose((0.0, 0.01, 0.02))
    edits.set_inertial(scene, record, 0, 7.0, (0.1, 0.2, 0.25), com)
    edits.set_friction(scene, record, 0, (0.9, 0.0, 0.0))
    model = scene.world.model
    assert model.body_mass[record.body] == 7.0
    assert model.body_inertia[record.body].tolist() == [0.1, 0.2, 0.25]
    assert model.body_ipos[record.body].tolist() == list(com.pos)
    assert (model.geom_friction[record.geoms, 0] == 0.9).all()


def test_a_state_is_restored_after_bodies_of_other_kinds_came() -> None:
    """Of those that were there, to the last bit."""
    scene = built(8)
    saved = snapshot.take(scene)
    before = scene.world.data.qpos.copy()
    for number in (9, 10, 11):
        add(scene, number)
        scene.world.step()
    snapshot.restore(scene, saved)
    assert scene.world.data.qpos[: len(before)].tobytes() == before.tobytes()


def test_a_model_with_bodies_of_many_kinds_can_be_copied() -> None:
    """What MuJoCo knows of the sizes of its memory is right."""
    scene = built(12)
    model, data = scene.world.model, scene.world.data
    twin, other = copy.copy(model), copy.copy(data)
    for _ in range(50):
        mujoco.mj_step(twin, other)
        mujoco.mj_step(model, data)
    np.testing.assert_array_equal(other.qpos, data.qpos)


def test_a_compile_that_fails_leaves_the_bodies_that_would_have_entered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scene = built(2)
    add(scene, 3)
    before, during = sorted(scene.bodies), []

    def fail(*_: Any) -> None:
        during.extend(scene.bodies)
        raise RuntimeError

    monkeypatch.setattr(ModelSource, "model", fail)
    with pytest.raises(RuntimeError):
        scene._compile()
    assert len(during) < len(before)  # some were taken out for the compile
    assert sorted(scene.bodies) == before
