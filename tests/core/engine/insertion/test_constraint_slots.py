"""Constraints made and removed in a running world: without a compile, and as if there was one."""

from __future__ import annotations

import numpy as np
import pytest

from unibody.core.assets.description import Asset, Inertial, Joint, JointType, Link, Pose
from unibody.core.engine.insertion import equality_kernel
from unibody.core.engine.records.options import BodyOptions, WorldOptions
from unibody.core.engine.scene import edits
from unibody.core.engine.scene.scene import Scene
from unibody.core.engine.snapshots import snapshot
from unibody.core.engine.spec.constraint import ConstraintKind, ConstraintRecord

HERE, ASIDE = Pose(), Pose((0.3, 0.1, -0.2))
KINDS = [ConstraintKind.POINT, ConstraintKind.FIXED, ConstraintKind.SLIDER, ConstraintKind.GEAR]


def arm() -> Asset:
    """Three links on two hinges."""
    inertial = Inertial(1.0, HERE, (0.01, 0.02, 0.03, 0.0, 0.0, 0.0))
    hinge = Joint("hinge", JointType.REVOLUTE, origin=Pose((0.0, 0.0, 0.5)), axis=(1.0, 0.0, 0.0))
    base = Link("base", -1, Joint(type=JointType.FLOATING), inertial)
    links = [Link(name, parent, hinge, inertial) for parent, name in enumerate(("upper", "lower"))]
    return Asset("arm", [base, *links])


def running_scene() -> Scene:
    scene = Scene(WorldOptions())
    for body_id in range(3):
        scene.add(body_id, arm(), BodyOptions(pose=Pose((float(body_id), 0.0, 1.0))))
    steps(scene, 3)
    return scene


def steps(scene: Scene, count: int) -> None:
    for _ in range(count):
        scene.world.step()


def hold(scene: Scene, kind: ConstraintKind, first: int, second: int | None) -> ConstraintRecord:
    link = 1 if kind is ConstraintKind.GEAR else 2
    child = None if second is None else (second, link)
    record = scene.add_constraint(kind, (first, link), child, HERE, ASIDE)
    record.max_force = 40.0
    if kind is ConstraintKind.SLIDER:
        record.axis = (0.0, 0.6, 0.8)
    return record


def story(scene: Scene) -> list[np.ndarray]:
    """Constraints of all kinds come, change and go; the coordinates after each of the edits."""
    seen: list[np.ndarray] = []

    def look() -> None:
        steps(scene, 5)
        seen.append(np.array(scene.world.data.qpos))

    held = [hold(scene, kind, k % 3, (k + 1) % 3) for k, kind in enumerate(KINDS)]
    look()
    held.append(hold(scene, ConstraintKind.POINT, 0, None))
    look()
    held[0].child_frame = Pose((0.5, 0.0, 0.0))
    scene.update_constraint(held[0])
    look()
    for index in (4, 1):
        scene.remove_constraint(held.pop(index).id)
        look()
    for kind in KINDS[::-1]:
        held.append(hold(scene, kind, 2, 0))
        look()
    for record in held:
        scene.remove_constraint(record.id)
        look()
    return seen


def test_a_running_world_goes_on_as_if_it_had_been_compiled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    in_place = story(running_scene())
    monkeypatch.setattr(Scene, "compiled", property(lambda _: None))
    assert np.array_equal(in_place, story(running_scene()))


def test_only_the_first_constraint_of_a_running_world_compiles_it() -> None:
    scene = running_scene()
    hold(scene, ConstraintKind.FIXED, 0, 1)
    steps(scene, 1)
    model = scene.world.model
    for _ in range(20):
        held = [hold(scene, kind, 1, 2) for kind in KINDS]
        steps(scene, 1)
        for record in reversed(held):
            scene.remove_constraint(record.id)
    assert scene.world.model is model


def test_more_constraints_than_there_is_room_for_all_hold() -> None:
    scene = running_scene()
    for _ in range(30):
        record = hold(scene, ConstraintKind.POINT, 0, None)
        steps(scene, 1)
    assert scene.world.data.eq_active.sum() == len(scene.constraints) == 30
    assert record.index == 29


def test_a_snapshot_from_before_a_constraint_is_restored_bit_by_bit() -> None:
    scene = running_scene()
    scene.remove_constraint(hold(scene, ConstraintKind.FIXED, 0, 1).id)
    saved = snapshot.take(scene)
    steps(scene, 10)
    expected = np.array(scene.world.data.qpos)
    record = hold(scene, ConstraintKind.FIXED, 0, 1)
    steps(scene, 10)
    scene.remove_constraint(record.id)
    snapshot.restore(scene, saved)
    steps(scene, 10)
    assert np.array_equal(scene.world.data.qpos, expected)


def test_a_body_that_goes_takes_its_constraints_with_it() -> None:
    scene = running_scene()
    hold(scene, ConstraintKind.FIXED, 0, 1)
    steps(scene, 1)
    hold(scene, ConstraintKind.POINT, 2, 0)
    kept = hold(scene, ConstraintKind.POINT, 1, None)
    scene.remove(0)
    steps(scene, 1)
    assert list(scene.constraints.values()) == [kept]
    assert scene.world.data.eq_active.sum() == 1


def test_compiled_code_writes_of_constraints_what_python_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def written() -> list[np.ndarray]:
        scene = running_scene()
        held = [hold(scene, kind, 0, 1) for kind in KINDS]
        steps(scene, 1)
        spare = hold(scene, ConstraintKind.FIXED, 1, 2)
        for record in (*held, spare):
            record.parent_frame = record.child_frame = Pose((0.1, 0.2, 0.3), (0.6, 0.0, 0.8, 0.0))
            record.max_force = 7.0
            scene.update_constraint(record)
        model, data = scene.world.model, scene.world.data
        ends = (model.eq_obj1id, model.eq_obj2id, model.eq_type, model.eq_objtype)
        arrays = (model.eq_data, model.eq_active0, data.eq_active, data.userdata, *ends)
        return [np.array(array) for array in arrays]

    compiled = written()
    monkeypatch.setattr(equality_kernel, "writer", lambda: lambda *arguments: None)
    for ours, theirs in zip(compiled, written(), strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("kind", KINDS)
def test_a_mass_that_changes_leaves_what_a_constraint_holds_together(kind: ConstraintKind) -> None:
    """Its frames stay, though MuJoCo works out anew what follows from masses."""
    scene = running_scene()
    hold(scene, kind, 0, 1)
    steps(scene, 50)
    before = np.array(scene.world.model.eq_data)
    record = scene.bodies[0]
    edits.set_inertial(scene, record, 1, 3.0, (0.1, 0.1, 0.1), record.links[1].com)
    steps(scene, 1)
    assert scene.world.model.body_mass[record.links[1].body] == 3.0
    np.testing.assert_array_equal(scene.world.model.eq_data, before)
