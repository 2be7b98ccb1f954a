"""Hostile calls on ``unibody.bullet``."""

from __future__ import annotations

import inspect
import math
import random
import re
from collections.abc import Callable
from typing import Any

import unibody.bullet as p
from tests.fuzz.calls import NotFiniteError, hostile
from tests.support.duo import DATA
from unibody.bullet.forms.absent import coverage

# Windows and servers; what waits for a clock; what is meant to take as long as it is told to.
LEFT_OUT = {"error", "connect", "setTimeOut", "disconnect", "setRealTimeSimulation", "vhacd"}
_SOFT = 4  # the soft body
_FILES = (
    "cloth_z_up.obj", "cube_small.urdf", "nothing.urdf", "made.bullet", "cube.obj", "a.log",
    "tex256.png",
)  # fmt: skip
_PLAUSIBLE: tuple[tuple[str, Callable[[random.Random], object]], ...] = (
    (r"physicsClientId", lambda _: 0),
    (r"jointIndices|endEffectorLinkIndices|linkIndices", lambda r: r.choice(([0], [0, 1], [1]))),
    (r"(?i)parentLink|linkIndex|jointIndex|endEffectorLink|GearAux", lambda r: r.randrange(-1, 2)),
    (r"(?i)constraintUniqueId", lambda r: 1),
    (r"(?i)shape(UniqueId|Index)|textureUniqueId|itemUniqueId", lambda r: r.randrange(-1, 3)),
    (r"nodeIndex", lambda r: r.randrange(25)),
    (r"softBodyBodyUniqueId", lambda r: r.choice((_SOFT, _SOFT, _SOFT, r.randrange(6)))),
    (r"(?i)body|object(UniqueId)?[AB]?$|unique_?id|stateId|loggingId", lambda r: r.randrange(5)),
    (r"(?i)width|height|pixel", lambda r: r.choice((1, 8, 16))),
    (r"(?i)matrix", lambda r: [1.0, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1, -1, 0, 0, -1, 0]),
    (r"(?i)or(ie)?nt?(ation|s|obj)?$|quat", lambda r: [0.0, 0.0, 0.6, 0.8]),
    (r"(?i)rgba|color", lambda r: r.choice(([1, 0, 0, 1], [0.5, 0.5, 0.5]))),
    (r"(?i)file|name|path", lambda r: r.choice(_FILES)),
    (r"(?i)flags|mode|type|enable|option|frame", lambda r: r.choice((0, 1, 2, 3, 4, 8))),
    (
        r"(?i)positions|velocities|accelerations|values|forces",
        lambda r: r.choice(([0.1], 0.1, [0.1, 0.2])),
    ),
    (r"(?i)limits|ranges|poses|damping", lambda r: [0.1, 0.2]),
    (
        r"(?i)pos|xyz|extents|vel|axis|axes|point|pivot|target|normal|obj$|from|to$|scale",
        lambda r: [0.1, 0.2, 0.3],
    ),
)  # fmt: skip


class World:
    """A plane, a box, an arm of two joints, a ball, a cloth; a constraint and an anchor.

    Worlds of soft bodies and others come by turns.
    """

    errors = (p.error,)

    def __init__(self) -> None:
        self.calls = functions()
        self.worlds = 0
        self.begin()

    def begin(self) -> None:
        """Make the bodies, in client 0."""
        while p.isConnected(0):
            p.disconnect(0)
        assert p.connect(p.DIRECT) == 0
        self.worlds += 1
        if self.worlds % 2:  # by turns one of soft bodies, and one that was not made for them
            p.resetSimulation(p.RESET_USE_DEFORMABLE_WORLD)
        p.setAdditionalSearchPath(DATA)
        p.setGravity(0, 0, -10)
        plane = p.createCollisionShape(p.GEOM_PLANE)
        box = p.createCollisionShape(p.GEOM_BOX, halfExtents=[0.2, 0.2, 0.2])
        drawn = p.createVisualShape(p.GEOM_SPHERE, radius=0.2)
        p.createMultiBody(0, plane)
        p.createMultiBody(1, box, drawn, [0, 0, 0.5])
        p.createMultiBody(
            1, box, -1, [2, 0, 1], linkMasses=[1, 1], linkCollisionShapeIndices=[box, -1],
            linkVisualShapeIndices=[-1, drawn], linkPositions=[[0, 0, 0.5]] * 2,
            linkOrientations=[[0, 0, 0, 1]] * 2, linkInertialFramePositions=[[0, 0, 0]] * 2,
            linkInertialFrameOrientations=[[0, 0, 0, 1]] * 2, linkParentIndices=[0, 1],
            linkJointTypes=[p.JOINT_REVOLUTE, p.JOINT_PRISMATIC], linkJointAxis=[[0, 1, 0]] * 2,
        )  # fmt: skip
        ball = p.createCollisionShape(p.GEOM_SPHERE, radius=0.2)
        p.createMultiBody(1, ball, -1, [0, 3, 1])
        p.createConstraint(3, -1, -1, -1, p.JOINT_POINT2POINT, [0, 0, 0], [0, 0, 0], [0, 3, 1])
        cloth = p.loadSoftBody(
            f"{DATA}/cloth_z_up.obj", [0, 0, 0.8], scale=0.2, useMassSpring=1,
            useBendingSprings=1, springElasticStiffness=40, useSelfCollision=1,
        )  # fmt: skip
        assert cloth == _SOFT
        p.createSoftBodyAnchor(cloth, 3, 1, -1)
        p.saveState()

    def call(self, chance: random.Random) -> tuple[str, Callable[[], object]]:
        """A call whose arguments are most of them nearly right."""
        name = chance.choice(list(self.calls))
        function, parameters = self.calls[name]
        named: dict[str, Any] = {}
        spoiled = chance.choice(parameters).name if parameters else ""
        if spoiled == "physicsClientId" and chance.random() < 0.8:
            spoiled = parameters[0].name
        for parameter in parameters:
            optional = parameter.default is not parameter.empty
            if parameter.name == spoiled or chance.random() < 0.03:
                named[parameter.name] = hostile(chance)
            elif not optional or chance.random() < 0.25:
                named[parameter.name] = _plausible(parameter, chance)
        words = ", ".join(f"{key}={_short(value)}" for key, value in named.items())
        return f"p.{name}({words})", lambda: function(**named)

    def step(self) -> None:
        """Make a step and look at all bodies."""
        if not p.isConnected(0):
            self.begin()
        p.setPhysicsEngineParameter(numSubSteps=0)  # each of them takes its time
        p.stepSimulation()
        for number in range(p.getNumBodies()):
            body = p.getBodyUniqueId(number)
            rows = [*p.getBasePositionAndOrientation(body), *p.getBaseVelocity(body)]
            rows += [p.getJointState(body, joint)[:2] for joint in range(p.getNumJoints(body))]
            if not all(math.isfinite(value) for row in rows for value in row):
                raise NotFiniteError(f"body {body} is at {rows}")

    def close(self) -> None:
        """Disconnect."""
        for client in range(8):
            if p.isConnected(client):
                p.disconnect(client)


def functions() -> dict[str, tuple[Callable[..., Any], list[inspect.Parameter]]]:
    """Every public function with its parameters."""
    made = {}
    for name, entry in coverage()[0].items():
        if entry.status == "absent" or name in LEFT_OUT:
            continue
        function = getattr(p, name)
        parameters = inspect.signature(function).parameters.values()
        plain = [one for one in parameters if one.kind is one.POSITIONAL_OR_KEYWORD]
        made[name] = function, plain
    return made


def _plausible(parameter: inspect.Parameter, chance: random.Random) -> object:
    for pattern, make in _PLAUSIBLE:
        if re.search(pattern, parameter.name):
            return make(chance)
    kind = getattr(parameter.annotation, "__name__", str(parameter.annotation))
    if kind == "str":
        return "text"
    if kind == "int":
        return chance.choice((0, 1, 2))
    return chance.choice((0.5, 1.0, 0.0, 2.0)) if kind == "float" else [0.1, 0.2, 0.3]


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) < 100 else f"{text[:100]}..."
