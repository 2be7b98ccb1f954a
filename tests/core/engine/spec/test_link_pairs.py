"""Pairs of links and collision groups that are changed in a running world."""

from __future__ import annotations

import itertools
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
from unibody.core.engine.contacts.arrays import detect_contacts
from unibody.core.engine.records.collision_filters import MAX_CLASSES
from unibody.core.engine.records.options import BodyOptions
from unibody.core.engine.scene.scene import Scene
from unibody.errors import EngineError

BALL = Shape(ShapeKind.SPHERE, (0.2,))
INERTIAL = Inertial(1.0, Pose(), (0.01, 0.01, 0.01, 0.0, 0.0, 0.0))
LINKS = range(4)


def chain(links: int) -> Asset:
    """Balls that overlap their neighbours by half, on hinges."""
    joints = [Joint(type=JointType.FLOATING)]
    joints += [Joint(type=JointType.REVOLUTE, origin=Pose((0.2, 0, 0)), axis=(0, 1, 0))] * links
    parts = enumerate(joints[:links])
    return Asset("chain", [Link(f"l{n}", n - 1, j, INERTIAL, [], [BALL]) for n, j in parts])


@pytest.fixture
def scene() -> Scene:
    """Two chains across each other, after a step."""
    scene = Scene()
    for number in range(2):
        pose = Pose((0.0, 0.1 * number, 0.1))
        scene.add(number, chain(len(LINKS)), BodyOptions(pose=pose))
    scene.world.step()
    return scene


def touching(scene: Scene) -> set[tuple[Any, ...]]:
    """The pairs of ends that touch now."""
    scene.world.collide()
    world = scene.world
    ends: list[set[tuple[int, int]]] = []
    for pair in world.model.geom_bodyid[world.data.contact.geom]:
        ends.append({(int(world.owner_body[b]), int(world.owner_link[b]) + 1) for b in pair})
    return {tuple(sorted(pair)) for pair in ends}


def counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Grows by one with each compile."""
    compiles: list[int] = []
    compiled = Scene._compile
    monkeypatch.setattr(Scene, "_compile", lambda self: (compiles.append(1), compiled(self)))
    return compiles


ENDS = [(body, link) for body in range(2) for link in LINKS]


@pytest.mark.parametrize("pair", [((0, 1), (1, 1)), ((0, 1), (0, 3)), ((1, 2), (0, 2))])
def test_a_pair_that_is_switched_off_while_the_world_runs_is_the_only_one_to_pass(
    scene: Scene, pair: tuple[Any, Any]
) -> None:
    before = touching(scene)
    assert tuple(sorted(pair)) in before
    scene.set_pair(*pair, False)
    assert touching(scene) == before - {tuple(sorted(pair))}
    scene.set_pair(*pair, True)
    assert touching(scene) == before


def test_pairs_switched_while_the_world_runs_are_those_of_a_compile(scene: Scene) -> None:
    rng = np.random.default_rng(0)
    pairs = list(itertools.combinations(ENDS, 2))
    for _ in range(40):
        scene.set_pair(*pairs[rng.integers(len(pairs))], bool(rng.integers(2)))
        if rng.integers(3) == 0:
            scene.world.step()
    running = touching(scene)
    scene._edited()
    assert touching(scene) == running
    scene._written.rewrite()
    scene._edited()
    assert touching(scene) == running


def test_switching_pairs_compiles_once_at_most(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiles = counted(monkeypatch)
    for enabled in (False, True) * 3:
        for pair in itertools.combinations(ENDS, 2):
            scene.set_pair(*pair, enabled)
        scene.world.step()
    assert len(compiles) <= 1


def test_pairs_of_a_body_that_was_removed_do_not_pass_to_its_successor(scene: Scene) -> None:
    scene.set_pair((0, 1), (1, 1), False)
    scene.world.step()
    scene.set_pair((0, 2), (1, 2), False)
    scene.remove(1)
    scene.add(1, chain(len(LINKS)), BodyOptions(pose=Pose((0.0, 0.1, 0.1))))
    assert {((0, 1), (1, 1)), ((0, 2), (1, 2))} <= touching(scene)


def test_groups_that_are_changed_while_the_world_runs_hold_at_once_and_need_no_compile(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, compiles = touching(scene), counted(monkeypatch)
    scene.set_filter(scene.bodies[0], 1, 0, 0)
    apart = {pair for pair in before if (0, 1) in pair}
    assert apart
    assert touching(scene) == before - apart
    scene.set_filter(scene.bodies[0], 1, 1, -1)
    assert touching(scene) == before
    assert not compiles


def test_one_group_too_many_is_refused_and_changes_nothing() -> None:
    scene = Scene()
    scene.add(0, chain(MAX_CLASSES + 1), BodyOptions())
    for link in range(MAX_CLASSES - 1):
        scene.set_filter(scene.bodies[0], link, 1 << link, 7)
    scene.world.step()
    before = touching(scene)
    with pytest.raises(EngineError, match="at most 31"):
        for link in (MAX_CLASSES - 1, MAX_CLASSES):
            scene.set_filter(scene.bodies[0], link, 2**40 << link, 3)
    changed = [state.group for state in scene.bodies[0].links]
    assert len(set(changed)) <= MAX_CLASSES
    scene.world.step()
    assert touching(scene) - before == set()


def test_contacts_that_are_looked_for_twice_know_of_pairs_and_groups_switched_in_between(
    scene: Scene,
) -> None:
    def found() -> int:
        return detect_contacts(scene.world).count

    first = found()
    assert found() == first
    scene.set_pair((0, 1), (1, 1), False)
    second = found()
    assert second < first
    scene.set_filter(scene.bodies[0], 2, 0, 0)
    assert found() < second
