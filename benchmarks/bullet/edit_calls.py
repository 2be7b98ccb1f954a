"""Calls that change what is in a world, each as scripts make it: between steps, or many at once."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.bullet.calls import FAMILY, arm_on_plane, boxes_on_plane, repeat
from benchmarks.bullet.registry import Module, Prepared, work

_LINK = 3
_HALF = (0.1, 0.1, 0.1)
_ZERO = (0.0, 0.0, 0.0)
_Call = Callable[[Module], Callable[[], object]]


def _edit(name: str, title: str, make: _Call, count: int = 500) -> None:
    @work(name, FAMILY, title, "us/call")
    def prepare(p: Module) -> Prepared:
        """A call, or a few, again and again."""
        return repeat(make(p), count)


def _new_mass(p: Module) -> Callable[[], object]:
    box, masses = boxes_on_plane(p)[7], [1.0, 2.0]

    def call() -> None:
        masses.reverse()
        p.changeDynamics(box, -1, mass=masses[0])

    return call


def _new_friction(p: Module) -> Callable[[], object]:
    arm, values = arm_on_plane(p), [0.5, 0.7]

    def call() -> None:
        values.reverse()
        p.changeDynamics(arm, _LINK, lateralFriction=values[0])

    return call


def _mass_and_step(p: Module) -> Callable[[], object]:
    arm, masses = arm_on_plane(p), [1.0, 2.0]

    def call() -> None:
        masses.reverse()
        p.changeDynamics(arm, _LINK, mass=masses[0])
        p.stepSimulation()

    return call


def _restitution(p: Module) -> Callable[[], object]:
    arm = arm_on_plane(p)
    return lambda: p.changeDynamics(arm, _LINK, restitution=0.5)


def _group(p: Module) -> Callable[[], object]:
    arm, groups = arm_on_plane(p), [0, 1]

    def call() -> None:
        groups.reverse()
        p.setCollisionFilterGroupMask(arm, _LINK, groups[0], groups[0])

    return call


def _pair_and_step(p: Module) -> Callable[[], object]:
    arm, on = arm_on_plane(p), [0, 1]

    def call() -> None:
        on.reverse()
        p.setCollisionFilterPair(0, arm, -1, _LINK, on[0])
        p.stepSimulation()

    return call


def _pairs_of_arm(p: Module) -> Callable[[], object]:
    arm = arm_on_plane(p)

    def call() -> None:
        for first in range(7):
            for second in range(first):
                p.setCollisionFilterPair(arm, arm, first, second, 0)

    return call


def _gravity_and_step(p: Module) -> Callable[[], object]:
    arm_on_plane(p)

    def call() -> None:
        p.setGravity(0.0, 0.0, -9.81)
        p.stepSimulation()

    return call


def _collide_after_reset(p: Module) -> Callable[[], object]:
    box = boxes_on_plane(p)[7]

    def call() -> None:
        p.resetBasePositionAndOrientation(box, (0.0, 0.0, 0.1), (0.0, 0.0, 0.0, 1.0))
        p.performCollisionDetection()

    return call


def _constraint_alone(p: Module) -> Callable[[], object]:
    shape = p.createCollisionShape(p.GEOM_BOX, halfExtents=_HALF)
    a, b = (p.createMultiBody(1.0, shape, -1, (k, 0.0, 0.0)) for k in range(2))
    p.stepSimulation()

    def call() -> None:
        p.removeConstraint(
            p.createConstraint(a, -1, b, -1, p.JOINT_FIXED, _ZERO, (0.5, 0.0, 0.0), _ZERO)
        )

    return call


def _come_and_go(p: Module) -> Callable[[], object]:
    boxes_on_plane(p)
    shape = p.createCollisionShape(p.GEOM_BOX, halfExtents=_HALF)

    def call() -> None:
        body = p.createMultiBody(1.0, shape, -1, (0.0, 0.0, 3.0))
        p.stepSimulation()
        p.removeBody(body)
        p.stepSimulation()

    return call


def _replace_oldest(p: Module) -> Callable[[], object]:
    boxes = boxes_on_plane(p)
    shape = p.createCollisionShape(p.GEOM_BOX, halfExtents=_HALF)

    def call() -> None:
        p.removeBody(boxes.pop(0))
        boxes.append(p.createMultiBody(1.0, shape, -1, (0.5 * (len(boxes) % 7), 5.0, 0.1)))
        p.stepSimulation()

    return call


def _visual_shape(p: Module) -> Callable[[], object]:
    color = (1.0, 0.0, 0.0, 1.0)
    return lambda: p.createVisualShape(p.GEOM_BOX, halfExtents=_HALF, rgbaColor=color)


_edit("changeDynamics_new_mass", "changeDynamics, another mass each time", _new_mass)
_edit("changeDynamics_new_friction", "changeDynamics, another friction each time", _new_friction)
_edit("changeDynamics_step", "changeDynamics, a mass of an arm, and a step", _mass_and_step, 50)
_edit("changeDynamics_restitution", "changeDynamics, restitution", _restitution)
_edit("setCollisionFilterGroupMask", "setCollisionFilterGroupMask, another each time", _group)
_edit("setCollisionFilterPair_step", "setCollisionFilterPair and a step", _pair_and_step, 20)
_edit("setCollisionFilterPair_self", "setCollisionFilterPair, 21 pairs of an arm", _pairs_of_arm, 5)
_edit("setGravity_step", "setGravity and a step of an arm", _gravity_and_step, 50)
_edit("collide_after_reset", "a box reset, performCollisionDetection", _collide_after_reset, 50)
_edit("createConstraint_alone", "createConstraint and removeConstraint", _constraint_alone, 50)
_edit("createVisualShape", "createVisualShape of a box", _visual_shape, 50)
_edit("come_and_go", "a box put above 30 others and removed, two steps", _come_and_go, 20)
_edit("replace_oldest", "one of 31 boxes removed, another put, a step", _replace_oldest, 20)


@work(
    "multibody_one_by_one",
    FAMILY,
    "50 boxes of their own size, a step after each",
    "us/call",
)
def one_by_one(p: Module) -> Prepared:
    """In a world that is emptied before; shapes, bodies and steps are part of the time."""

    def restart() -> None:
        p.resetSimulation()
        p.setGravity(0.0, 0.0, -9.81)
        p.loadURDF("plane.urdf")

    def chunk() -> None:
        for k in range(50):
            size = (0.05, 0.05, 0.05 + 0.0001 * k)
            shape = p.createCollisionShape(p.GEOM_BOX, halfExtents=size)
            p.createMultiBody(0.5, shape, -1, (0.2 * (k % 10), 0.2 * (k // 10), 0.3))
            p.stepSimulation()

    return Prepared(chunk, 50, restart=restart)


@work("load_and_reset", FAMILY, "resetSimulation, a plane and a cube, and a step", "us/call")
def load_and_reset(p: Module) -> Prepared:
    """The least that an environment does for an episode."""

    def call() -> None:
        p.resetSimulation()
        p.loadURDF("plane.urdf")
        p.loadURDF("cube_small.urdf")
        p.stepSimulation()

    return repeat(call, 5)


def _object(p: Module, number: int, position: tuple[float, float, float]) -> int:
    """Load one of the thousand objects of meshes."""
    return p.loadURDF(f"random_urdfs/{number:03d}/{number:03d}.urdf", basePosition=position)


@work("object_and_gone", FAMILY, "an object of a mesh comes beside an arm and goes", "us/call")
def object_and_gone(p: Module) -> Prepared:
    """Of a file that was read before; a step after each."""
    arm_on_plane(p)
    p.stepSimulation()

    def call() -> None:
        body = _object(p, 0, (0.6, 0.0, 1.5))
        p.stepSimulation()
        p.removeBody(body)
        p.stepSimulation()

    return repeat(call, 5)


@work("object_episodes", FAMILY, "five objects cleared away and five others put", "us/call")
def object_episodes(p: Module) -> Prepared:
    """Of twenty kinds of meshes, beside an arm; three steps after each."""
    arm_on_plane(p)
    p.stepSimulation()
    held: list[int] = []
    numbers = [0]

    def call() -> None:
        while held:
            p.removeBody(held.pop())
        for k in range(5):
            numbers[0] = (7 * numbers[0] + 3) % 20
            held.append(_object(p, numbers[0], (0.6, 0.1 * k, 0.3)))
            for _ in range(3):
                p.stepSimulation()

    return repeat(call, 2)


@work("goal_marker", FAMILY, "a marker without a collision shape, made anew", "us/call")
def goal_marker(p: Module) -> Prepared:
    """Beside an arm, with a step."""
    arm_on_plane(p)
    p.stepSimulation()
    held: list[int] = []

    def call() -> None:
        if held:
            p.removeBody(held.pop())
        shape = p.createVisualShape(p.GEOM_SPHERE, radius=0.05, rgbaColor=(1.0, 0.0, 0.0, 1.0))
        held.append(p.createMultiBody(0.0, -1, shape, (0.5, 0.0, 0.5)))
        p.stepSimulation()

    return repeat(call, 10)


@work("oldest_leaves", FAMILY, "the oldest of five objects of meshes leaves", "us/call")
def oldest_leaves(p: Module) -> Prepared:
    """And another one of ten kinds comes, beside an arm, with two steps."""
    arm_on_plane(p)
    p.stepSimulation()
    held: list[int] = []
    numbers = [0]

    def call() -> None:
        if len(held) > 4:
            p.removeBody(held.pop(0))
        numbers[0] = (numbers[0] + 1) % 10
        held.append(_object(p, numbers[0], (0.6, 0.1 * numbers[0], 0.3)))
        p.stepSimulation()
        p.stepSimulation()

    return repeat(call, 5)


@work("ant_episode", FAMILY, "resetSimulation, loadMJCF of an ant, and a step", "us/call")
def ant_episode(p: Module) -> Prepared:
    """A file whose joints have other names each time, as in PyBullet."""

    def call() -> None:
        p.resetSimulation()
        p.loadMJCF("mjcf/ant.xml")
        p.stepSimulation()

    return repeat(call, 5)
