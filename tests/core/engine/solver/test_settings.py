"""When the solver may stop early, and that a pile does not show it."""

from __future__ import annotations

import numpy as np

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
from unibody.core.engine.records.options import BodyOptions, WorldOptions
from unibody.core.engine.scene.scene import Scene
from unibody.core.engine.solver.settings import LEAST_PILE, is_pile

SIDE = 0.1
INERTIAL = Inertial(0.5, Pose(), (8e-4, 8e-4, 8e-4, 0.0, 0.0, 0.0))
SHAPE = Shape(ShapeKind.BOX, (SIDE, SIDE, SIDE))
BOX = Link("box", -1, Joint(type=JointType.FLOATING), INERTIAL, [], [SHAPE])


def add_ground(scene: Scene) -> None:
    """Body 0, a plane."""
    ground = Link("ground", -1, Joint(), Inertial(), [], [Shape(ShapeKind.PLANE)])
    scene.add(0, Asset("ground", [ground]), BodyOptions(fixed=True))


def add_box(scene: Scene, number: int, position: tuple[float, float, float]) -> None:
    """A free box."""
    scene.add(number, Asset("box", [BOX]), BodyOptions(pose=Pose(position)))


def add_hinged(scene: Scene, number: int) -> None:
    """A base with a joint."""
    hinge = Joint(type=JointType.REVOLUTE, axis=(0.0, 0.0, 1.0))
    links = [BOX, Link("door", 0, hinge, INERTIAL, [], [])]
    scene.add(number, Asset("door", links), BodyOptions(pose=Pose((0.0, 0.0, 5.0))))


def row(count: int, options: WorldOptions | None = None) -> Scene:
    """Boxes side by side on the ground."""
    scene = Scene(options or WorldOptions(gravity=(0.0, 0.0, -9.81)))
    add_ground(scene)
    for number in range(1, count + 1):
        add_box(scene, number, (2.0 * SIDE * number, 0.0, 0.5 * SIDE))
    return scene


def falling_towers(tolerance: float) -> np.ndarray:
    """Positions of 48 boxes that fell on one another and slid apart, (48, 3) [m]."""
    scene = Scene(WorldOptions(gravity=(0.0, 0.0, -9.81), pile_tolerance=tolerance))
    add_ground(scene)
    chance = np.random.default_rng(1)
    for number in range(48):
        layer, place = divmod(number, 16)
        x, y = 1.3 * SIDE * np.array(divmod(place, 4)) + chance.uniform(-0.02, 0.02, 2)
        add_box(scene, number + 1, (float(x), float(y), SIDE * (0.7 + 1.3 * layer)))
    world = scene.world
    assert is_pile(world.model)
    for _ in range(240):
        world.step()
    return world.data.qpos.reshape(-1, 7)[:, :3].copy()


def test_a_pile_that_stops_early_lies_where_an_exact_solve_puts_it() -> None:
    """After a second of impacts and sliding; 0.1 mm is a thousandth of a side."""
    early, exact = falling_towers(WorldOptions().pile_tolerance), falling_towers(1e-10)
    np.testing.assert_allclose(early, exact, atol=1e-4)


def test_only_many_free_bodies_are_a_pile() -> None:
    """A joint among them makes the solver exact again."""
    options = WorldOptions()
    few = row(LEAST_PILE - 1).world.model
    assert not is_pile(few)
    assert few.opt.tolerance == options.solver_tolerance
    scene = row(LEAST_PILE)
    assert scene.world.model.opt.tolerance == options.pile_tolerance
    add_hinged(scene, LEAST_PILE + 1)
    assert scene.world.model.opt.tolerance == options.solver_tolerance
