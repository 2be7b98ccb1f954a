"""Models that a scene takes over from one that was built up in the same way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.core.engine.insertion.test_reserved_slots import CENTRED, HERE, MESH, add, thing
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
from unibody.core.engine.model_cache.in_memory import CompiledModels
from unibody.core.engine.records.options import BodyOptions, WorldOptions
from unibody.core.engine.scene import edits
from unibody.core.engine.scene.model_source import ModelSource
from unibody.core.engine.scene.scene import Scene
from unibody.core.engine.spec.constraint import ConstraintKind

STEPS = 30
GRAVITY = (0.0, 0.0, -9.81)
GROUND = Asset("ground", [Link("g", -1, Joint(), Inertial(), [], [Shape(ShapeKind.PLANE)])])


def _arm() -> Asset:
    hinge = Joint("hinge", JointType.REVOLUTE, axis=(0.0, 1.0, 0.0), lower=-1.0, upper=1.0)
    part = Inertial(1.0, Pose((0.1, 0.0, 0.0)), (0.01, 0.02, 0.02, 0.0, 0.0, 0.0))
    bar = [Shape(ShapeKind.BOX, (0.2, 0.05, 0.05), pose=Pose((0.1, 0.0, 0.0)))]
    links = [Link("base", -1, Joint(type=JointType.FLOATING), part, [], bar)]
    return Asset("arm", [*links, Link("hand", 0, hinge, part, [], bar)])


ARM, STONE = _arm(), thing(MESH, 0, HERE)
Build = Callable[[Scene], object]


def _at_once(scene: Scene) -> None:
    scene.add(0, GROUND, BodyOptions(fixed=True))
    for number in range(1, 6):
        add(scene, number, CENTRED, HERE)


def _robot(scene: Scene) -> None:
    scene.add(0, GROUND, BodyOptions(fixed=True))
    scene.add(1, ARM, BodyOptions(pose=Pose((0.0, 0.0, 0.4)), group=2))
    scene.add(2, STONE, BodyOptions(pose=Pose((0.5, 0.0, 0.5))))


def _one_by_one(scene: Scene) -> None:
    scene.add(0, GROUND, BodyOptions(fixed=True))
    for number in range(1, 40):
        add(scene, number, CENTRED, HERE)
        scene.world.step()


def _come_and_go(scene: Scene) -> None:
    _one_by_one(scene)
    for number in (3, 39, 38, 7):
        scene.remove(number)
        scene.world.step()


def _held(scene: Scene) -> None:
    _robot(scene)
    hook = scene.add_constraint(ConstraintKind.POINT, (1, 0), None, Pose(), Pose((0.0, 0.0, 0.6)))
    hook.max_force = 30.0
    scene.update_constraint(hook)
    scene.add_constraint(ConstraintKind.FIXED, (1, 1), (2, 0), Pose(), Pose((0.1, 0.0, 0.0)))


BUILDS = {
    "at once": _at_once, "robot": _robot, "held": _held, "one by one": _one_by_one,
    "come and go": _come_and_go,
}  # fmt: skip


def _scene(models: CompiledModels | None = None) -> Scene:
    return Scene(WorldOptions(gravity=GRAVITY, speed_limits=True), models)


def _arrays(owner: Any) -> dict[str, bytes]:
    """All arrays of an MjModel or MjData, but those of names."""
    names = [name for name in dir(owner) if not name.startswith(("_", "names"))]
    values = {name: getattr(owner, name) for name in names if name not in ("contact", "signature")}
    return {k: v.tobytes() for k, v in values.items() if isinstance(v, np.ndarray)}


def _run(scene: Scene) -> list[bytes]:
    """What happens in a number of steps."""
    states: list[bytes] = []
    for _ in range(STEPS):
        scene.world.step()
        states.append(scene.world.data.qpos.tobytes() + scene.world.data.qvel.tobytes())
    return states


@pytest.mark.parametrize("build", BUILDS.values(), ids=BUILDS)
def test_a_world_of_models_that_were_there_is_to_the_bit_one_that_was_compiled(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = _scene(CompiledModels())
    build(first)
    _run(first)
    second, fresh = _scene(first.give_models()), _scene()
    with monkeypatch.context() as patch:
        patch.setattr(ModelSource, "_make", None)  # nothing is compiled
        build(second)
        model, data = second.world.model, second.world.data
    build(fresh)
    assert _arrays(model) == _arrays(fresh.world.model)
    assert _arrays(data) == _arrays(fresh.world.data)
    assert _run(second) == _run(fresh)


def test_what_was_changed_in_a_running_world_is_not_in_the_next_one() -> None:
    first = _scene(CompiledModels())
    _robot(first)
    first.world.step()
    arm = first.bodies[1]
    edits.set_inertial(first, arm, 1, 5.0, (0.1, 0.1, 0.1), arm.links[1].com)
    edits.set_friction(first, arm, 0, (0.0, 0.0, 0.0))
    edits.set_joint_limits(first, arm, 1, -0.1, 0.1)
    first.set_pair((1, 0), (0, 0), False)
    first.options.gravity = (0.0, 0.0, 0.0)
    first.apply_options()
    first.world.data.qfrc_applied[:] = 1.0
    _run(first)
    second, fresh = _scene(first.give_models()), _scene()
    for scene in (second, fresh):
        _robot(scene)
    assert _run(second) == _run(fresh)


def _heavier(scene: Scene) -> None:
    edits.set_inertial(scene, scene.bodies[1], 1, 9.0, (0.1, 0.1, 0.1), Pose((0.1, 0.0, 0.0)))


def _other_size(scene: Scene) -> None:
    scene.remove(2)
    scene.add(2, thing([Shape(ShapeKind.SPHERE, (0.2,))], 0, HERE), BodyOptions())


CHANGES: dict[str, Build] = {
    "a mass": _heavier,
    "friction": lambda scene: edits.set_friction(scene, scene.bodies[1], 1, (0.0, 0.0, 0.0)),
    "damping": lambda scene: edits.set_joint_damping(scene, scene.bodies[1], 1, 0.5),
    "limits": lambda scene: edits.set_joint_limits(scene, scene.bodies[1], 1, -0.01, 0.01),
    "a shape": _other_size,
    "a pair": lambda scene: scene.set_pair((1, 0), (0, 0), False),
    "another body": lambda scene: add(scene, 3, CENTRED, HERE),
    "a constraint": lambda scene: scene.add_constraint(
        ConstraintKind.POINT, (2, 0), None, Pose(), Pose((0.0, 0.0, 2.0))
    ),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
@pytest.mark.parametrize("late", [False, True], ids=["before a step", "after one"])
def test_a_world_that_is_built_otherwise_is_not_taken_for_the_one_before(
    change: Build, late: bool
) -> None:
    first = _scene(CompiledModels())
    _robot(first)
    _run(first)
    second, fresh = _scene(first.give_models()), _scene()
    for scene in (second, fresh):
        _robot(scene)
        if late:
            scene.world.step()
        change(scene)
    assert _run(second) == _run(fresh)


def test_constraints_between_others_or_with_other_frames_are_not_those_of_before() -> None:
    first = _scene(CompiledModels())
    _held(first)
    _run(first)
    for ends, frame in (((2, 0), (0.0, 0.0, 0.6)), ((1, 0), (0.0, 0.0, 0.9))):
        first, fresh = _scene(first.give_models()), _scene()
        for scene in (first, fresh):
            _robot(scene)
            scene.add_constraint(ConstraintKind.POINT, ends, None, Pose(), Pose(frame))
            scene.add_constraint(ConstraintKind.FIXED, (1, 1), (2, 0), Pose(), Pose())
        assert _run(first) == _run(fresh)


def test_a_scene_that_gave_its_models_away_does_not_touch_those_of_its_heir() -> None:
    first = _scene(CompiledModels())
    _robot(first)
    second = _scene(first.give_models())
    _robot(second)
    fresh = _scene()
    _robot(fresh)
    assert first.world.model is not second.world.model
    _run(first)
    assert _run(second) == _run(fresh)


def test_few_models_are_kept() -> None:
    models = CompiledModels()
    for number in range(30):
        scene = _scene(models)
        scene.add(0, thing(CENTRED, number, HERE), BodyOptions())
        scene.world.step()
        models = scene.give_models()
    assert len(models._kept) <= 12
