"""Calls that take a body id, of soft bodies, beside PyBullet."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import unibody.bullet
from tests.bullet.paired import both, connected
from tests.bullet.soft.cubes import cube_of_tetrahedra
from tests.support.duo import DATA
from unibody.errors import NotSupportedError

CLOTH = f"{DATA}/cloth_z_up.obj"
SPRINGS: dict[str, Any] = {
    "scale": 0.5, "mass": 1.0, "useBendingSprings": 1, "useMassSpring": 1,
    "springElasticStiffness": 40, "springDampingStiffness": 0.1, "frictionCoeff": 0.5,
    "collisionMargin": 0.04,
}  # fmt: skip
WORLDS = pytest.mark.parametrize("deformable", [True, False])

# Cloths that fly: errors of both are of first order in the step, and springs hardly pull.
FLIGHT = 1e-3


def _world(p: Any, *, deformable: bool) -> None:
    p.resetSimulation(p.RESET_USE_DEFORMABLE_WORLD if deformable else 0)
    p.setGravity(0, 0, -10)


def _cloth(p: Any, *, deformable: bool, pos: Any = (0, 0, 0.5)) -> int:
    _world(p, deformable=deformable)
    return p.loadSoftBody(CLOTH, basePosition=pos, **SPRINGS)


def _steps(p: Any, count: int) -> None:
    for _ in range(count):
        p.stepSimulation()


def _particles(p: Any, body: int) -> Any:
    return np.array(p.getMeshData(body, -1, flags=p.MESH_DATA_SIMULATION_MESH)[1])


def _rays(count: int, about: Any) -> tuple[Any, Any]:
    rng = np.random.default_rng(count)
    starts = rng.uniform(-2, 2, (count, 3)) + about
    middles = rng.uniform(-0.7, 0.7, (count, 3)) + about
    return starts.tolist(), (2 * middles - starts).tolist()


def _same_hits(theirs: Any, ours: Any) -> int:
    hits = 0
    for expected, found in zip(theirs, ours, strict=True):
        assert found[:2] == expected[:2]
        np.testing.assert_allclose(found[2], expected[2], atol=FLIGHT)
        np.testing.assert_allclose(found[3], expected[3], atol=4 * FLIGHT)  # ways are 4 m
        np.testing.assert_allclose(found[4], expected[4], atol=5e-3)
        hits += found[0] > 0
    return hits


@WORLDS
def test_rays_hit_cloth_from_both_sides_as_in_pybullet(deformable: bool) -> None:
    def play(p: Any) -> Any:
        _world(p, deformable=deformable)
        p.loadURDF(f"{DATA}/plane.urdf", [0, 0, -1])
        p.loadSoftBody(CLOTH, basePosition=[0, 0, 0.5], **SPRINGS)
        _steps(p, 12)
        starts, ends = _rays(60, [0, 0, 0.5])
        alone = [p.rayTest(start, end)[0] for start, end in zip(starts, ends, strict=True)]
        return p.rayTestBatch(starts, ends), alone

    (theirs, their_alone), (ours, our_alone) = both(play)
    assert _same_hits(theirs, ours) > 10
    _same_hits(their_alone, our_alone)


def test_rays_hit_solids_from_outside_and_inside_as_in_pybullet(tmp_path: Path) -> None:
    file = cube_of_tetrahedra(tmp_path, 3, 0.6)

    def play(p: Any) -> Any:
        _world(p, deformable=True)
        p.loadURDF(f"{DATA}/plane.urdf")
        p.loadSoftBody(
            file, basePosition=[0, 0, 1], mass=1, useNeoHookean=1, NeoHookeanMu=100,
            NeoHookeanLambda=100, NeoHookeanDamping=0.01,
        )  # fmt: skip
        _steps(p, 3)
        inside = p.rayTest([0.31, 0.29, 1.32], [0.36, 0.31, 5])
        return [*p.rayTestBatch(*_rays(60, [0.3, 0.3, 1.3])), *inside]

    theirs, ours = both(play)
    assert ours[-1][0] == 1
    assert _same_hits(theirs, ours) > 10


@pytest.mark.parametrize("mask", [0, 1, 2, 3, -2, -1])
def test_rays_hit_soft_bodies_by_their_collision_group(mask: int) -> None:
    def play(p: Any) -> Any:
        _world(p, deformable=True)
        p.loadURDF(f"{DATA}/plane.urdf")
        p.loadSoftBody(CLOTH, basePosition=[0, 0, 0.5], **SPRINGS)
        return p.rayTest([0.1, 0.2, 2], [0.1, 0.2, -1], collisionFilterMask=mask)[0][:3]

    theirs, ours = both(play)
    assert ours == pytest.approx(theirs)


def test_hits_of_a_ray_are_counted_by_distance_among_rigid_and_soft_bodies() -> None:
    with connected(unibody.bullet) as p:
        _world(p, deformable=True)
        plane = p.loadURDF(f"{DATA}/plane.urdf")
        cloths = [p.loadSoftBody(CLOTH, basePosition=[0, 0, z], **SPRINGS) for z in (1.0, 0.5)]
        ray = ([0.1, 0.2, 2], [0.1, 0.2, -1])
        found = [p.rayTest(*ray, reportHitNumber=n)[0][0] for n in range(4)]
        assert found == [*cloths, plane, -1]


def test_rays_from_a_soft_parent_stay_in_the_world() -> None:
    def play(p: Any) -> Any:
        cloth = _cloth(p, deformable=True)
        ray = ([[0.1, 0.2, 2]], [[0.1, 0.2, -1]])
        return p.rayTestBatch(*ray, parentObjectUniqueId=cloth, parentLinkIndex=-1)[0][:3]

    theirs, ours = both(play)
    assert ours == pytest.approx(theirs)


@WORLDS
def test_boxes_are_those_that_a_step_made_as_in_pybullet(deformable: bool) -> None:
    def play(p: Any) -> Any:
        p.setTimeStep(1 / 60)
        cloth = _cloth(p, deformable=deformable)
        p.setTimeStep(1 / 60)
        boxes = [p.getAABB(cloth)]
        for _ in range(3):
            p.stepSimulation()
            boxes.append(p.getAABB(cloth))
        p.resetBaseVelocity(cloth, [3, 0, 0])
        boxes.append(p.getAABB(cloth))
        p.resetBasePositionAndOrientation(cloth, [1, 2, 3], [0.7071068, 0, 0, 0.7071068])
        boxes.append(p.getAABB(cloth))
        p.stepSimulation()
        return [*boxes, p.getAABB(cloth)]

    theirs, ours = both(play)
    # A step moves it by millimetres: boxes of another moment would differ.
    np.testing.assert_allclose(ours, theirs, atol=1e-6)


@WORLDS
def test_boxes_that_overlap_are_those_of_soft_bodies_too(deformable: bool) -> None:
    def play(p: Any) -> Any:
        cloth = _cloth(p, deformable=deformable)
        _steps(p, 2)
        (x, _, z), (_, _, top) = p.getAABB(cloth)
        # PyBullet's broad phase is wider yet, by 0.25 m at first
        corners = [([x - 1, 0.3, z], [x - gap, 0.4, top]) for gap in (0.019, 0.3)]
        return [p.getOverlappingObjects(*box) for box in corners]

    theirs, ours = both(play)
    assert theirs == [((0, -1),), None]
    assert ours == theirs


@WORLDS
def test_cloth_answers_what_takes_a_body_as_in_pybullet(deformable: bool) -> None:
    def play(p: Any) -> Any:
        cloth = _cloth(p, deformable=deformable)
        calls: list[Callable[[], Any]] = [
            lambda: p.getLinkState(cloth, 0),
            lambda: p.getLinkState(cloth, -1),
            lambda: [p.getDynamicsInfo(cloth, link)[10:] for link in (-1, 0, 7)],
            lambda: p.getCollisionShapeData(cloth, -1),
            lambda: p.getTetraMeshData(cloth),
            lambda: p.getNumJoints(cloth),
            lambda: p.getJointInfo(cloth, 0),
            lambda: p.getJointState(cloth, 0),
            lambda: p.getContactPoints(cloth),
            lambda: p.getClosestPoints(cloth, cloth, 1.0),
            lambda: p.changeDynamics(cloth, -1, mass=2.0, collisionMargin=0.3),
            lambda: p.setCollisionFilterGroupMask(cloth, -1, 2, 0),
            lambda: p.createConstraint(cloth, -1, -1, -1, 5, [0] * 3, [0] * 3, [0] * 3),
        ]
        answers: list[Any] = []
        for call in calls:
            try:
                answers.append(call())
            except p.error as problem:
                answers.append(str(problem))
        return answers

    theirs, ours = both(play)
    assert ours == theirs


def test_a_soft_body_has_no_dynamics_of_joints() -> None:
    with connected(unibody.bullet) as p:
        cloth = _cloth(p, deformable=True)
        with pytest.raises(p.error, match="calculateMassMatrix"):
            p.calculateMassMatrix(cloth, [])
        with pytest.raises(p.error, match="calculateInverseDynamics"):
            p.calculateInverseDynamics(cloth, [], [], [])
        with pytest.raises(p.error, match="linkIndex"):
            p.getLinkStates(cloth, [0])


def test_tetrahedra_of_a_solid_have_its_particles_as_corners(tmp_path: Path) -> None:
    with connected(unibody.bullet) as p:
        _world(p, deformable=True)
        file = cube_of_tetrahedra(tmp_path, 2, 0.4)
        solid = p.loadSoftBody(file, mass=1, useNeoHookean=1)
        count, corners = p.getTetraMeshData(solid)
        assert count == len(corners)
        assert count % 4 == 0
        assert {tuple(corner) for corner in corners} == {tuple(x) for x in _particles(p, solid)}


@WORLDS
def test_changed_dynamics_leave_a_soft_body_as_it_was(deformable: bool) -> None:
    def heights(change: bool) -> Any:
        with connected(unibody.bullet) as p:
            cloth = _cloth(p, deformable=deformable, pos=(0, 0, 0.1))
            p.loadURDF(f"{DATA}/plane.urdf")
            if change:
                p.changeDynamics(cloth, -1, mass=3.0)
                p.changeDynamics(cloth, -1, collisionMargin=0.3)
                p.changeDynamics(cloth, -1, linearDamping=0.9, lateralFriction=0.0)
            _steps(p, 60)
            return _particles(p, cloth), p.getBaseVelocity(cloth)[0]

    plain, changed = heights(change=False), heights(change=True)
    np.testing.assert_array_equal(changed[0], plain[0])
    assert changed[1] == plain[1]


@WORLDS
def test_a_soft_body_that_is_put_elsewhere_goes_on_as_it_moved(deformable: bool) -> None:
    def play(p: Any) -> Any:
        cloth = _cloth(p, deformable=deformable)
        p.resetBaseVelocity(cloth, [1, 0, 0])
        _steps(p, 12)
        p.resetBasePositionAndOrientation(cloth, [1, 0, 1], [0.7071068, 0, 0, 0.7071068])
        _steps(p, 12)
        return _particles(p, cloth)

    theirs, ours = both(play)
    np.testing.assert_allclose(ours, theirs, atol=FLIGHT)


@WORLDS
@pytest.mark.parametrize("held", ["plane", "box"])
def test_pairs_that_do_not_collide_pass_through_one_another(deformable: bool, held: str) -> None:
    def play(p: Any) -> Any:
        _world(p, deformable=deformable)
        bodies = {
            "plane": p.loadURDF(f"{DATA}/plane.urdf"),
            "box": p.loadURDF(f"{DATA}/cube.urdf", [0, 0, 0.5], useFixedBase=1),
        }
        cloth = p.loadSoftBody(CLOTH, basePosition=[0, 0, 1.06], **SPRINGS)
        other = bodies.pop(held)
        p.setCollisionFilterPair(cloth, other, -1, -1, 0)
        if held == "box":
            p.setCollisionFilterPair(other, cloth, -1, -1, 0)
        else:
            p.removeBody(bodies["box"])
        _steps(p, 90)
        fallen = _particles(p, cloth)[:, 2].mean()
        p.setCollisionFilterPair(other, cloth, -1, -1, 1)
        return fallen

    theirs, ours = both(play)
    assert ours == pytest.approx(theirs, abs=0.01)


def test_a_pair_of_soft_bodies_cannot_be_taken_apart_in_the_deformable_world() -> None:
    with connected(unibody.bullet) as p:
        _world(p, deformable=True)
        first, second = (p.loadSoftBody(CLOTH, basePosition=[0, 0, z], **SPRINGS) for z in (1, 2))
        p.setCollisionFilterPair(first, second, -1, -1, 1)
        with pytest.raises(NotSupportedError, match="two soft bodies"):
            p.setCollisionFilterPair(first, second, -1, -1, 0)


@WORLDS
def test_a_force_on_a_particle_acts_for_a_step_as_in_pybullet(deformable: bool) -> None:
    def play(p: Any) -> Any:
        cloth = _cloth(p, deformable=deformable)
        _steps(p, 2)
        for _ in range(2):
            p.applyExternalForce(cloth, 12, [30, 0, 40], [0, 0, 0], p.WORLD_FRAME)
        p.applyExternalForce(cloth, 25, [30, 0, 40], [0, 0, 0], p.WORLD_FRAME)  # there is none
        p.applyExternalForce(cloth, -1, [30, 0, 40], [0, 0, 0], p.WORLD_FRAME)
        places = [_particles(p, cloth).mean(axis=0)]
        for _ in range(3):
            p.stepSimulation()
            places.append(_particles(p, cloth).mean(axis=0))
        return np.array(places)

    theirs, ours = both(play)
    # It moves by 1 mm in a step. Links are put right in another order: a hundredth of it.
    np.testing.assert_allclose(ours, theirs, atol=2e-5)


@WORLDS
def test_a_constraint_with_a_soft_child_holds_in_the_world_as_in_pybullet(deformable: bool) -> None:
    def play(p: Any) -> Any:
        cloth = _cloth(p, deformable=deformable, pos=(0, 0, 3))
        box = p.loadURDF(f"{DATA}/cube_small.urdf", [0, 0, 0.1])
        made = p.createConstraint(
            box, -1, cloth, 3, p.JOINT_POINT2POINT, [0] * 3, [0, 0, 0], [0.1, 0.2, 0.3]
        )
        _steps(p, 60)
        return made, np.round(p.getBasePositionAndOrientation(box)[0], 3).tolist()

    theirs, ours = both(play)
    assert ours == theirs


@WORLDS
def test_an_anchor_without_a_holder_holds_nothing_as_in_pybullet(deformable: bool) -> None:
    def play(p: Any) -> Any:
        cloth = _cloth(p, deformable=deformable)
        box = p.loadURDF(f"{DATA}/cube_small.urdf", [5, 0, 0.1])
        holders = [(cloth, -1), (77, -1), (box, 2), (box, -3)]
        made = [p.createSoftBodyAnchor(cloth, 0, *holder) for holder in holders]
        _steps(p, 12)
        places, count = _particles(p, cloth), p.getNumConstraints()
        for number in made:
            p.removeConstraint(number)
        return made, count, p.getNumConstraints(), np.round(places, 4).tolist()

    theirs, ours = both(play)
    assert ours == theirs


def _random_calls(seed: int) -> list[tuple[str, tuple[Any, ...]]]:
    """Names and arguments of calls of a cloth with the id 0."""
    rng = random.Random(seed)

    def three(size: float) -> list[float]:
        return [rng.uniform(-size, size) for _ in range(3)]

    def turn() -> list[float]:
        quat = np.array([rng.gauss(0, 1) for _ in range(4)])
        return (quat / np.linalg.norm(quat)).tolist()

    def ray() -> tuple[Any, Any]:
        start, middle = np.array(three(3.0)), np.array(three(0.8))
        return start.tolist(), (2 * middle - start).tolist()

    kinds: list[Callable[[], tuple[str, tuple[Any, ...]]]] = [
        lambda: ("stepSimulation", ()),
        lambda: ("stepSimulation", ()),
        lambda: ("resetBasePositionAndOrientation", (0, three(0.5), turn())),
        lambda: ("resetBaseVelocity", (0, three(1.0), three(1.0))),
        lambda: ("getAABB", (0,)),
        lambda: ("getBasePositionAndOrientation", (0,)),
        lambda: ("rayTest", ray()),
        lambda: ("getMeshData", (0, -1, -1, 1)),
        lambda: ("getDynamicsInfo", (0, rng.randrange(-1, 4))),
        lambda: ("getLinkState", (0, rng.randrange(4))),
        lambda: ("getCollisionShapeData", (0, rng.randrange(-1, 2))),
        lambda: ("getBodyInfo", (0,)),
        lambda: ("changeDynamics", (0, rng.randrange(-1, 3), rng.uniform(0, 3))),
        lambda: ("getClosestPoints", (0, 0, 1.0)),
        lambda: ("getContactPoints", (0,)),
        lambda: ("createSoftBodyAnchor", (0, rng.randrange(-2, 40), 0)),
        lambda: ("getNumConstraints", ()),
        lambda: ("removeConstraint", (rng.randrange(4),)),
        lambda: ("getJointState", (0, rng.randrange(-1, 2))),
    ]
    calls: list[tuple[str, tuple[Any, ...]]] = []
    while len(calls) < 80:
        calls.append(rng.choice(kinds)())
        if calls[-1][0].startswith("resetBasePosition"):
            calls.append(("stepSimulation", ()))  # till then PyBullet's rays may miss it
    return calls


def _answers(p: Any, calls: list[tuple[str, tuple[Any, ...]]]) -> list[Any]:
    found: list[Any] = []
    for name, arguments in calls:
        try:
            answer = getattr(p, name)(*arguments)
            # PyBullet leaves the rest as it was in memory
            found.append(answer[10:] if name == "getDynamicsInfo" else answer)
        except p.error as problem:
            found.append(str(problem).split(".")[0])
    return found


def _alike(expected: Any, found: Any) -> bool:
    """Whether answers are the same, numbers but for what cloths differ by."""
    if isinstance(expected, float):
        return isinstance(found, float) and abs(found - expected) < 2e-2
    if isinstance(expected, tuple):
        same = isinstance(found, tuple) and len(found) == len(expected)
        return same and all(map(_alike, expected, found))
    return bool(found == expected)


@WORLDS
@pytest.mark.parametrize("seed", range(6))
def test_random_calls_of_a_cloth_answer_as_in_pybullet(deformable: bool, seed: int) -> None:
    calls = _random_calls(seed)

    def play(p: Any) -> Any:
        _world(p, deformable=deformable)
        p.setGravity(0, 0, 0)
        p.loadSoftBody(CLOTH, **SPRINGS)
        return _answers(p, calls)

    theirs, ours = both(play)
    different = [
        (call, expected, found)
        for call, expected, found in zip(calls, theirs, ours, strict=True)
        if not _alike(expected, found)
    ]
    assert different == []
