"""Single calls that make, change and clear a world."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.bullet.calls import FAMILY, repeat
from benchmarks.bullet.registry import Module, Prepared, work

BODIES = 50


def _setting(name: str, title: str, call: Callable[[Module], object]) -> None:
    @work(name, FAMILY, title, "us/call")
    def prepare(p: Module) -> Prepared:
        """A setting of a world with one body."""
        p.loadURDF("plane.urdf")
        p.stepSimulation()
        return repeat(lambda: call(p))


_setting("setGravity", "setGravity", lambda p: p.setGravity(0.0, 0.0, -9.81))
_setting("setTimeStep", "setTimeStep", lambda p: p.setTimeStep(0.004))
_setting(
    "setPhysicsEngineParameter",
    "setPhysicsEngineParameter, iterations",
    lambda p: p.setPhysicsEngineParameter(numSolverIterations=50),
)
_setting("setRealTimeSimulation", "setRealTimeSimulation", lambda p: p.setRealTimeSimulation(0))
_setting(
    "setAdditionalSearchPath",
    "setAdditionalSearchPath",
    lambda p: p.setAdditionalSearchPath("/tmp"),
)
_setting(
    "configureDebugVisualizer",
    "configureDebugVisualizer",
    lambda p: p.configureDebugVisualizer(p.COV_ENABLE_GUI, 0),
)
_setting("isConnected", "isConnected", lambda p: p.isConnected())
_setting("getNumBodies", "getNumBodies", lambda p: p.getNumBodies())


@work("stepSimulation_empty", FAMILY, "stepSimulation of an empty world", "us/call")
def empty_step(p: Module) -> Prepared:
    """Nothing but the cost of a step."""
    return repeat(p.stepSimulation)


@work("resetSimulation", FAMILY, "resetSimulation of an empty world", "us/call")
def reset(p: Module) -> Prepared:
    """Clear what is empty."""
    return repeat(p.resetSimulation, 50)


@work("connect", FAMILY, "connect and disconnect", "us/call")
def connect(p: Module) -> Prepared:
    """A second client."""
    return repeat(lambda: p.disconnect(p.connect(p.DIRECT)), 20)


@work("createCollisionShape", FAMILY, "createCollisionShape and removeCollisionShape", "us/call")
def collision_shape(p: Module) -> Prepared:
    """A box."""
    half = (0.1, 0.2, 0.3)

    def call() -> None:
        p.removeCollisionShape(p.createCollisionShape(p.GEOM_BOX, halfExtents=half))

    return repeat(call)


@work("createMultiBody", FAMILY, "createMultiBody and removeBody, 50 of them and a step", "us/call")
def multi_body(p: Module) -> Prepared:
    """Boxes apart from each other; the step is part of the time."""
    shape = p.createCollisionShape(p.GEOM_BOX, halfExtents=(0.1, 0.1, 0.1))

    def chunk() -> None:
        made = [p.createMultiBody(1.0, shape, -1, (k, 0.0, 0.0)) for k in range(BODIES)]
        p.stepSimulation()
        for body in made:
            p.removeBody(body)

    return Prepared(chunk, BODIES)


@work("loadURDF", FAMILY, "loadURDF of a cube and removeBody, 50 of them and a step", "us/call")
def load_cube(p: Module) -> Prepared:
    """Cubes apart from each other; the step is part of the time."""

    def chunk() -> None:
        made = [p.loadURDF("cube_small.urdf", (k, 0.0, 0.0)) for k in range(BODIES)]
        p.stepSimulation()
        for body in made:
            p.removeBody(body)

    return Prepared(chunk, BODIES)


@work("createConstraint", FAMILY, "createConstraint and removeConstraint, with a step", "us/call")
def constraint(p: Module) -> Prepared:
    """Two boxes held together and let go."""
    shape = p.createCollisionShape(p.GEOM_BOX, halfExtents=(0.1, 0.1, 0.1))
    a, b = (p.createMultiBody(1.0, shape, -1, (k, 0.0, 0.0)) for k in range(2))
    zero = (0.0, 0.0, 0.0)

    def call() -> None:
        held = p.createConstraint(a, -1, b, -1, p.JOINT_FIXED, zero, (0.5, 0.0, 0.0), zero)
        p.stepSimulation()
        p.removeConstraint(held)

    return repeat(call, 20)
