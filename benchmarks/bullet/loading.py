"""Loading, and worlds that change while they run.

A body counts as loaded when a step has been made with it: what an engine puts off until then is
part of the time.
"""

from __future__ import annotations

import random

from benchmarks.bullet.registry import Module, Prepared, work

FAMILY = "Loading and editing"


def _load_kukas(p: Module, count: int) -> None:
    for k in range(count):
        p.loadURDF("kuka_iiwa/model.urdf", basePosition=(k % 10, k // 10, 0.0), useFixedBase=True)
    p.stepSimulation()


@work("load_50_kukas", FAMILY, "load 50 Kukas and step once", "ms/body")
def load_50_kukas(p: Module) -> Prepared:
    """In a process that has loaded one before."""
    _load_kukas(p, 1)
    return Prepared(lambda: _load_kukas(p, 50), 50, restart=p.resetSimulation)


@work("load_first_kuka", FAMILY, "load the first Kuka of a process and step once", "ms/body")
def load_first_kuka(p: Module) -> Prepared:
    """Meshes are read from disk (from its cache); only the first chunk is timed."""
    return Prepared(lambda: _load_kukas(p, 1), 1, restart=_Once())


def _load_landscape(p: Module) -> None:
    p.setGravity(0.0, 0.0, -9.81)
    p.loadURDF("samurai.urdf")
    p.stepSimulation()


@work("load_landscape", FAMILY, "load a landscape of 125 000 triangles and step once", "ms/body")
def load_landscape(p: Module) -> Prepared:
    """samurai.urdf, the first time in a process."""
    return Prepared(lambda: _load_landscape(p), 1, restart=_Once())


@work("landscape", FAMILY, "30 bodies that fall on 125 000 triangles, two seconds", "steps/s")
def landscape(p: Module) -> Prepared:
    """Balls, boxes and cylinders."""
    steps, half = 480, (0.05, 0.05, 0.05)

    def restart() -> None:
        p.resetSimulation()
        _load_landscape(p)
        kinds = (
            p.createCollisionShape(p.GEOM_SPHERE, radius=0.05),
            p.createCollisionShape(p.GEOM_BOX, halfExtents=half),
            p.createCollisionShape(p.GEOM_CYLINDER, radius=0.05, height=0.1),
        )
        for k in range(30):
            position = (0.4 * (k % 6) - 1.0, 0.4 * (k // 6) - 1.0, 0.4)
            p.createMultiBody(0.5, kinds[k % 3], basePosition=position)

    def chunk() -> None:
        for _ in range(steps):
            p.stepSimulation()

    return Prepared(chunk, steps, restart=restart, counts_contacts=True)


class _Once:
    """Ends the timing when a second chunk is about to start."""

    def __init__(self) -> None:
        self.is_done = False

    def __call__(self) -> None:
        if self.is_done:
            raise StopIteration
        self.is_done = True


@work("add_200_bodies", FAMILY, "add 200 bodies one by one, a step after each", "ms/body")
def add_200_bodies(p: Module) -> Prepared:
    """Boxes appear above a ground while the others fall."""

    def restart() -> None:
        p.resetSimulation()
        p.setGravity(0.0, 0.0, -9.81)
        p.loadURDF("plane.urdf")

    def chunk() -> None:
        box = p.createCollisionShape(p.GEOM_BOX, halfExtents=(0.05, 0.05, 0.05))
        for k in range(200):
            position = (0.2 * (k % 10), 0.2 * (k // 10 % 10), 0.3 + 0.2 * (k // 100))
            p.createMultiBody(0.5, box, basePosition=position)
            p.stepSimulation()

    return Prepared(chunk, 200, restart=restart, counts_contacts=True)


_OBJECTS = (
    "duck_vhacd.urdf", "teddy_vhacd.urdf", "lego/lego.urdf", "jenga/jenga.urdf",
    "domino/domino.urdf", *(f"random_urdfs/{k:03d}/{k:03d}.urdf" for k in range(5)),
)  # fmt: skip
_ROBOTS = ("r2d2.urdf", "kuka_iiwa/model.urdf", "racecar/racecar.urdf", "franka_panda/panda.urdf")


@work("random_boxes", FAMILY, "100 boxes of random sizes, five steps after each", "ms/body")
def random_boxes(p: Module) -> Prepared:
    """Shapes, bodies and steps are part of the time."""
    rng = random.Random(1)

    def chunk() -> None:
        for k in range(100):
            size = [rng.uniform(0.02, 0.06) for _ in range(3)]
            box = p.createCollisionShape(p.GEOM_BOX, halfExtents=size)
            p.createMultiBody(0.5, box, basePosition=(0.2 * (k % 10), 0.2 * (k // 10), 0.1))
            for _ in range(5):
                p.stepSimulation()

    return Prepared(chunk, 100, restart=lambda: _empty(p), counts_contacts=True)


@work(
    "bin_picking", FAMILY, "40 objects of ten kinds dropped into a tray, 20 steps each", "ms/body"
)
def bin_picking(p: Module) -> Prepared:
    """Most of them meshes; files, bodies and steps are part of the time."""
    rng = random.Random(1)

    def restart() -> None:
        _empty(p)
        p.loadURDF("tray/traybox.urdf")

    def chunk() -> None:
        for _ in range(40):
            position = rng.uniform(-0.1, 0.1), rng.uniform(-0.1, 0.1), 0.4
            p.loadURDF(rng.choice(_OBJECTS), position)
            for _ in range(20):
                p.stepSimulation()

    return Prepared(chunk, 40, restart=restart, counts_contacts=True)


@work("robots_one_by_one", FAMILY, "12 robots of four kinds, five steps after each", "ms/body")
def robots_one_by_one(p: Module) -> Prepared:
    """Files, bodies and steps are part of the time."""

    def chunk() -> None:
        for k in range(12):
            p.loadURDF(_ROBOTS[k % len(_ROBOTS)], (2.0 * k, 0.0, 0.5), useFixedBase=True)
            for _ in range(5):
                p.stepSimulation()

    return Prepared(chunk, 12, restart=lambda: _empty(p))


def _empty(p: Module) -> None:
    """A world with a ground."""
    p.resetSimulation()
    p.setGravity(0.0, 0.0, -9.81)
    p.loadURDF("plane.urdf")


def _moving_mesh(p: Module) -> int:
    shape = p.createCollisionShape(
        p.GEOM_MESH,
        fileName="duck.obj",
        meshScale=(0.1, 0.1, 0.1),
        flags=p.GEOM_FORCE_CONCAVE_TRIMESH,
    )
    return p.createMultiBody(1.0, shape, -1, (0.0, 0.0, 0.3))


@work("load_moving_mesh", FAMILY, "a duck of 4 212 triangles that moves, with a step", "ms/body")
def load_moving_mesh(p: Module) -> Prepared:
    """In a process that has read the file before."""
    p.loadURDF("plane.urdf")
    p.removeBody(_moving_mesh(p))
    bodies: list[int] = []

    def restart() -> None:
        while bodies:
            p.removeBody(bodies.pop())
        p.stepSimulation()

    def chunk() -> None:
        bodies.append(_moving_mesh(p))
        p.stepSimulation()

    return Prepared(chunk, 1, restart=restart)


@work("moving_mesh", FAMILY, "a duck of 4 212 triangles that falls, two seconds", "steps/s")
def moving_mesh(p: Module) -> Prepared:
    """A concave mesh on a plane of one box."""
    steps = 480

    def restart() -> None:
        p.resetSimulation()
        p.setGravity(0.0, 0.0, -9.81)
        p.loadURDF("plane.urdf")
        _moving_mesh(p)
        p.stepSimulation()

    def chunk() -> None:
        for _ in range(steps):
            p.stepSimulation()

    return Prepared(chunk, steps, restart=restart, counts_contacts=True)
