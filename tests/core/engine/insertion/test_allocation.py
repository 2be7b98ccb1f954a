"""Bodies that take the places of others in a running world, and leave them again."""

from __future__ import annotations

import numpy as np
import pytest

from tests.core.engine.insertion.test_reserved_slots import CENTRED, HERE, MESH, ground, thing
from unibody.core.assets.description import Pose
from unibody.core.engine.contacts.arrays import read_contacts
from unibody.core.engine.insertion.allocation import SlotAllocation
from unibody.core.engine.records.options import BodyOptions
from unibody.core.engine.scene import edits
from unibody.core.engine.scene.scene import Scene
from unibody.core.engine.snapshots import snapshot
from unibody.core.engine.spec.constraint import ConstraintKind

KINDS = {"primitives": CENTRED, "meshes": MESH}
STEPS = 40


def put(scene: Scene, body_id: int, number: int, shapes: list, *, fixed: bool = False) -> None:
    """Add the thing of a number above the ground, beside the others."""
    pose = Pose((0.6 * number, 0.0, 0.3), (0.6, 0.0, 0.8, 0.0))
    options = BodyOptions(pose=pose, fixed=fixed, group=1 + number % 2)
    options.friction = (0.3 + 0.01 * number, 0.0, 0.0)
    scene.add(body_id, thing(shapes, number, HERE), options)


def filled(count: int, shapes: list, *, first: int = 1) -> Scene:
    """A world with things, as compiled."""
    scene = ground()
    for number in range(first, first + count):
        put(scene, number, number, shapes)
    return scene


def steps(scene: Scene, count: int) -> None:
    for _ in range(count):
        scene.world.step()


def states(scene: Scene) -> dict[int, tuple[bytes, bytes]]:
    """Position and velocity of each body."""
    data = scene.world.data
    return {
        body_id: (
            data.qpos[record.qpos : record.qpos + 7].tobytes(),
            data.qvel[record.dof : record.dof + 6].tobytes(),
        )
        for body_id, record in scene.bodies.items()
        if not record.fixed
    }


@pytest.fixture
def compiles(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Grows by one with each compile."""
    made: list[int] = []
    compiled = Scene._compile
    monkeypatch.setattr(Scene, "_compile", lambda self: (made.append(1), compiled(self)))
    return made


@pytest.mark.parametrize("kind", KINDS)
def test_things_in_the_places_of_others_move_as_if_they_were_compiled(
    kind: str, compiles: list[int]
) -> None:
    """To the last bit, whatever the others were told before."""
    shapes = KINDS[kind]
    scene = filled(6, shapes)
    steps(scene, STEPS)
    for number in range(1, 7):
        edits.set_friction(scene, scene.bodies[number], 0, (0.9, 0.1, 0.1))
        edits.set_contact(
            scene, scene.bodies[number], 0, restitution=0.5, stiffness=0.0, damping=0.0
        )
        edits.set_inertial(scene, scene.bodies[number], 0, 9.0, (0.5, 0.6, 0.7), HERE)
        edits.set_body_damping(scene, scene.bodies[number], 0.5, 0.5)
    steps(scene, STEPS)
    for number in range(1, 7):
        scene.remove(number)
    for number in range(1, 7):
        put(scene, number, 6 + number, shapes)
    before = len(compiles)
    steps(scene, STEPS)
    assert len(compiles) == before
    fresh = ground()
    for number in range(1, 7):
        put(fresh, number, 6 + number, shapes)
    steps(fresh, STEPS)
    assert states(scene) == states(fresh)


def test_a_thing_that_leaves_and_others_that_come_leave_the_rest_alone(
    compiles: list[int],
) -> None:
    scene = filled(8, CENTRED)
    steps(scene, STEPS)
    before = states(scene)
    for removed, added in ((2, 20), (5, 21)):
        scene.remove(removed)
        put(scene, added, added, CENTRED)
    after, compiled = states(scene), len(compiles)
    assert {number: after[number] for number in (1, 3, 4, 6, 7, 8)} == {
        number: before[number] for number in (1, 3, 4, 6, 7, 8)
    }
    steps(scene, STEPS)
    assert len(compiles) == compiled
    assert {20, 21} < set(scene.world.owner_body.tolist())
    ids = read_contacts(scene.world).ids[:2]
    assert set(ids.ravel().tolist()) <= {0, *scene.bodies}


def test_bodies_in_other_places_survive_a_compile(compiles: list[int]) -> None:
    """The order in the world is not that of the scene then, and becomes it again."""
    scene = filled(5, CENTRED)
    steps(scene, STEPS)
    scene.remove(2)
    put(scene, 30, 30, CENTRED)
    steps(scene, STEPS)
    before, compiled = states(scene), len(compiles)
    put(scene, 31, 3, MESH)
    assert {key: value for key, value in states(scene).items() if key != 31} == before
    assert len(compiles) == compiled + 1
    assert [record.body for record in scene.bodies.values()] == list(range(1, 8))
    steps(scene, 1)


def test_adding_and_removing_again_and_again_compiles_a_few_times_only(
    compiles: list[int],
) -> None:
    scene = filled(3, CENTRED)
    steps(scene, 2)
    for _ in range(20):
        put(scene, 9, 9, CENTRED)
        steps(scene, 2)
        scene.remove(9)
        steps(scene, 2)
    assert len(compiles) <= 3


def test_a_state_goes_on_to_the_last_bit_after_bodies_came_and_went() -> None:
    scene = filled(4, CENTRED)
    steps(scene, STEPS)
    saved = snapshot.take(scene)
    steps(scene, STEPS)
    end = states(scene)
    for count in (1, 3):
        for number in range(count):
            put(scene, 50 + number, 50 + number, CENTRED)
            steps(scene, 3)
        for number in reversed(range(count)):
            scene.remove(50 + number)
        steps(scene, 2)
        snapshot.restore(scene, saved)
        steps(scene, STEPS)
        assert states(scene) == end


def test_what_held_a_body_does_not_hold_the_one_in_its_place() -> None:
    scene = filled(3, CENTRED)
    steps(scene, 2)
    scene.add_constraint(ConstraintKind.FIXED, (2, 0), None, HERE, Pose((1.2, 0.0, 2.0)))
    scene.set_pair((0, 0), (2, 0), False)
    steps(scene, 2)
    scene.remove(2)
    put(scene, 2, 2, CENTRED)
    steps(scene, 200)
    record = scene.bodies[2]
    height = scene.world.data.qpos[record.qpos + 2]
    assert 0.0 < height < 0.3  # it fell, and lies on the ground


def test_a_thing_put_at_once_and_removed_before_a_step_leaves_nothing(
    compiles: list[int],
) -> None:
    scene = filled(3, CENTRED)
    steps(scene, 5)
    before, compiled = states(scene), len(compiles)
    put(scene, 7, 7, MESH)
    scene.remove(7)
    assert states(scene) == before
    assert len(compiles) == compiled


def test_total_mass_is_that_of_the_bodies_that_are_there() -> None:
    scene = filled(3, CENTRED)
    steps(scene, 2)
    for number in (10, 11, 12):
        put(scene, number, number, CENTRED)
        steps(scene, 2)
    for number in (12, 2):
        scene.remove(number)
    put(scene, 13, 13, CENTRED)
    steps(scene, 2)
    model = scene.world.model
    np.testing.assert_allclose(model.body_subtreemass[0], model.body_mass.sum(), rtol=1e-12)


def test_room_is_not_made_again_and_again_for_bodies_of_changing_kinds(
    compiles: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    rooms: list[int] = []
    make = SlotAllocation.reserve
    monkeypatch.setattr(
        SlotAllocation, "reserve", lambda self, *args: (rooms.append(1), make(self, *args))[1]
    )
    scene = filled(6, CENTRED)
    steps(scene, 1)
    for number in range(10, 50):
        put(scene, number, number, KINDS["meshes" if number % 2 else "primitives"])
        steps(scene, 1)
    assert 1 <= len(rooms) <= 3
    compiles.clear()
    for number in range(50, 90):
        put(scene, number, number, CENTRED)
        steps(scene, 1)
    assert len(compiles) <= 20
