"""Who collides with whom is decided as in PyBullet."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.support.duo import GRAVITY, both, box, ground, sphere

# A body that is not stopped falls 0.7 m and more; one that is stays where it stands.
FALL = 0.3
CLASSES = ((1, 1), (1, 2), (2, 1), (3, 4), (4, 7), (0, -1), (1, 0), (6, -1))


def landed(p: Any, bodies: list[int], steps: int = 120) -> list[bool]:
    """Which bodies still are about where they were after half a second."""
    p.setGravity(0, 0, -GRAVITY)
    before = [p.getBasePositionAndOrientation(body)[0][2] for body in bodies]
    for _ in range(steps):
        p.stepSimulation()
    after = [p.getBasePositionAndOrientation(body)[0][2] for body in bodies]
    return [abs(a - b) < FALL for a, b in zip(after, before, strict=True)]


@pytest.mark.parametrize("mode", [None, 0, 1])
def test_groups_and_masks_combine_as_in_pybullet(mode: int | None) -> None:
    def script(p: Any) -> Any:
        if mode is not None:
            p.setPhysicsEngineParameter(collisionFilterMode=mode)
        bodies: list[int] = []
        for row, lower in enumerate(CLASSES):
            for column, upper in enumerate(CLASSES):
                place = (3.0 * row, 3.0 * column)
                plate = box(p, (*place, 0), 0, (1, 1, 0.1))
                ball = sphere(p, (*place, 0.21))
                p.setCollisionFilterGroupMask(plate, -1, *lower)
                p.setCollisionFilterGroupMask(ball, -1, *upper)
                bodies.append(ball)
        return landed(p, bodies)

    theirs, ours = both(script)
    assert 0 < theirs.sum() < len(theirs)
    np.testing.assert_array_equal(ours, theirs)


def test_immovable_bodies_and_movable_ones_have_pybullets_default_groups() -> None:
    def script(p: Any) -> Any:
        ground(p)
        bodies = [sphere(p, (float(n), 0, 0.1)) for n in range(4)]
        p.setCollisionFilterGroupMask(bodies[0], -1, 1, 1)  # meets movable bodies only
        p.setCollisionFilterGroupMask(bodies[1], -1, 1, 2)  # meets immovable ones
        p.setCollisionFilterGroupMask(bodies[2], -1, 2, -1)  # counts as immovable
        return landed(p, bodies)

    theirs, ours = both(script)
    np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("again", [False, True])
def test_a_pair_can_be_switched_off_and_on_as_in_pybullet(again: bool) -> None:
    def script(p: Any) -> Any:
        floor = ground(p)
        first, second = sphere(p, (0, 0, 0.1)), sphere(p, (1, 0, 0.1))
        p.setCollisionFilterPair(floor, first, -1, -1, 0)
        if again:
            p.setCollisionFilterPair(floor, first, -1, -1, 1)
        return landed(p, [first, second])

    theirs, ours = both(script)
    np.testing.assert_array_equal(ours, theirs)
    assert ours.tolist() == [again, True]


def test_a_pair_that_is_switched_on_collides_whatever_its_groups_as_in_pybullet() -> None:
    def script(p: Any) -> Any:
        floor = ground(p)
        first, second = sphere(p, (0, 0, 0.1)), sphere(p, (1, 0, 0.1))
        for body in (first, second):
            p.setCollisionFilterGroupMask(body, -1, 0, 0)
        p.setCollisionFilterPair(floor, first, -1, -1, 1)
        return landed(p, [first, second])

    theirs, ours = both(script)
    np.testing.assert_array_equal(ours, theirs)


CHAIN = """<robot name="chain"><link name="a">{body}</link><link name="b">{body}</link>
<link name="c">{body}</link>
<joint name="ab" type="prismatic"><parent link="a"/><child link="b"/><origin xyz="0 0 0.15"/>
<axis xyz="0 0 1"/><limit lower="-9" upper="9" effort="1" velocity="1"/></joint>
<joint name="bc" type="prismatic"><parent link="{parent}"/><child link="c"/>
<origin xyz="0 0 {height}"/>
<axis xyz="0 0 1"/><limit lower="-9" upper="9" effort="1" velocity="1"/></joint></robot>"""
BALL = """<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>
</inertial><collision><geometry><sphere radius="0.1"/></geometry></collision>"""
SELF_COLLISION = (
    (),
    ("URDF_USE_SELF_COLLISION",),
    ("URDF_USE_SELF_COLLISION", "URDF_USE_SELF_COLLISION_EXCLUDE_PARENT"),
    ("URDF_USE_SELF_COLLISION", "URDF_USE_SELF_COLLISION_EXCLUDE_ALL_PARENTS"),
    ("URDF_USE_SELF_COLLISION_EXCLUDE_PARENT",),
)


@pytest.mark.parametrize("names", SELF_COLLISION, ids=lambda names: "+".join(names) or "none")
@pytest.mark.parametrize("overlap", ["parent", "grandparent", "sibling"])
def test_links_of_one_body_collide_by_the_flags_as_in_pybullet(
    names: tuple[str, ...], overlap: str, tmp_path: Any
) -> None:
    # Three balls of radius 0.1 on a line; two of them overlap by 0.05.
    parent, height = {
        "parent": ("b", 0.9),  # a and b overlap
        "grandparent": ("b", -0.3),  # c overlaps a from below
        "sibling": ("a", 0.3),  # b and c, both children of a
    }[overlap]
    file = tmp_path / "chain.urdf"
    file.write_text(CHAIN.format(body=BALL, parent=parent, height=height), encoding="utf-8")

    def script(p: Any) -> Any:
        flags = sum(getattr(p, name) for name in names)
        body = p.loadURDF(str(file), useFixedBase=True, flags=flags)
        for joint in range(2):
            p.setJointMotorControl2(body, joint, p.VELOCITY_CONTROL, force=0)
        for _ in range(60):
            p.stepSimulation()
        return [p.getJointState(body, joint)[0] for joint in range(2)]

    theirs, ours = both(script)
    # Pushed apart or not; how fast is a matter of the solver.
    np.testing.assert_array_equal(np.abs(ours) > 0.005, np.abs(theirs) > 0.005)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=0.005)


@pytest.mark.parametrize("kind", ["box on plane", "box on box", "box on a free box", "ball"])
def test_a_pair_that_was_let_through_moves_as_any_other(kind: str) -> None:
    def script(p: Any, *, alone: bool) -> Any:
        p.setGravity(0, 0, -GRAVITY)
        ground(p)
        below, height = 0, 0.1
        if kind.startswith("box on") and kind != "box on plane":
            below = box(p, (0, 0, 0.1), 3.0 if "free" in kind else 0.0, (0.5, 0.5, 0.1))
            height = 0.3
        make = sphere if kind == "ball" else box
        above = make(p, (0.05, 0, height + 0.002))
        if alone:
            p.setCollisionFilterGroupMask(above, -1, 16, 0)
            p.setCollisionFilterGroupMask(below, -1, 8, 3 if below else 0)
            p.setCollisionFilterPair(below, above, -1, -1, 1)
        p.changeDynamics(above, -1, rollingFriction=0.01, spinningFriction=0.02)
        p.resetBaseVelocity(above, (0.3, 0.1, 0), (0, 0, 1))
        rows: list[Any] = []
        for _ in range(120):
            p.stepSimulation()
            rows.append(p.getBasePositionAndOrientation(above)[0])
        place, turn = p.getBasePositionAndOrientation(above)
        points = p.getContactPoints(below, above)
        return np.array([*np.ravel(rows), *place, *turn, len(points)])

    together = both(lambda p: script(p, alone=False))[1]
    theirs, ours = both(lambda p: script(p, alone=True))
    assert ours[-1] == theirs[-1]
    # contacts come in another order, which the solver's tolerance of 1e-8 shows
    np.testing.assert_allclose(ours, together, rtol=0, atol=1e-6)
