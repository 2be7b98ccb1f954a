"""Random calls on ``unibody.newton``: builders that become models, which step, or are refused.

Every tenth call makes a model of what the nine before it described, and steps it.
"""

from __future__ import annotations

import inspect
import math
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import warp as wp

from tests.fuzz.calls import NotFiniteError, hostile
from unibody import newton
from unibody.newton import solvers
from unibody.newton.builder.tables import COLUMNS

SEQUENCE = 10  # calls, the last one of which finalizes
_SPOILED, _WRITES, _GIVEN = 0.08, 0.06, 0.3  # shares: of calls, of calls, of optional arguments
_STEPS, _DT = 2, 1e-3
_LEFT_OUT = {
    "add_mjcf", "add_urdf", "add_usd",  # `tests.fuzz` gives files to their readers
    "finalize", "find_shape_contact_pairs", "count", "label_of",
}  # fmt: skip
_FREQUENT = (
    "add_body", "add_link", "add_shape_box", "add_shape_sphere", "add_shape_capsule",
    "add_joint_revolute", "add_joint_fixed", "add_articulation", "add_particle", "add_builder",
    "add_ground_plane", "begin_world", "end_world", "replicate",
)  # fmt: skip
_SOLVERS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("SolverMuJoCo", {"use_mujoco_cpu": True}),
    ("SolverXPBD", {"iterations": 2}),
    ("SolverSemiImplicit", {}),
    ("SolverFeatherstone", {}),
    ("SolverVBD", {"iterations": 2}),
)
_TETRAHEDRON = ([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2])
_COUNTED = {
    "body": "body", "body1": "body", "body2": "body", "parent": "body", "child": "body",
    "joint": "joint", "joint0": "joint", "joint1": "joint", "joint2": "joint",
    "reference_joint": "joint", "shape_a": "shape", "shape_b": "shape", "i": "particle",
    "j": "particle", "k": "particle", "l": "particle",
}  # fmt: skip
_PLACES = ("xform", "parent_xform", "child_xform", "relpose")
_POINTS = ("pos", "vel", "com", "anchor", "spacing")
_MANY = ("add_edges", "add_triangles", "add_particles")


class World:
    """A builder, and what the next calls on it may take."""

    errors = (RuntimeError, AttributeError)

    def __init__(self) -> None:
        wp.config.quiet = True  # Warp tells of each kernel that it loads
        self.calls = 0
        self.builder = newton.ModelBuilder()
        self.mesh = newton.Mesh(*_TETRAHEDRON)

    def call(self, chance: random.Random) -> tuple[str, Callable[[], object]]:
        """A call on the builder, or that which makes a model of it."""
        self.calls += 1
        if self.calls % SEQUENCE == 0:
            return self._stepping(chance)
        if chance.random() < _WRITES:
            return self._writing(chance)
        names = _FREQUENT if chance.random() < 0.6 else _methods()
        name = chance.choice(names)
        function = getattr(self.builder, name)
        named: dict[str, Any] = {}
        parameters = [p for p in inspect.signature(function).parameters.values() if p.name != "kw"]
        fits = [p for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
        spoiled = chance.choice(fits).name if fits and chance.random() < _SPOILED else ""
        for parameter in fits:
            if parameter.name == spoiled:
                named[parameter.name] = hostile(chance)
            elif parameter.default is parameter.empty or chance.random() < _GIVEN:
                value = self._plausible(name, parameter, chance)
                if value is not parameter.empty:
                    named[parameter.name] = value
        words = ", ".join(f"{key}={_short(value)}" for key, value in named.items())
        return f"{name}({words})", lambda: function(**named)

    def _writing(self, chance: random.Random) -> tuple[str, Callable[[], object]]:
        """A list of the builder, changed as scripts do it."""
        filled = [c.name for c in COLUMNS if getattr(self.builder, c.name)]
        if not filled:
            return self.call(chance)
        name = chance.choice(filled)
        rows: Any = getattr(self.builder, name)
        row = chance.randrange(len(rows))
        usual = rows[row]
        if isinstance(usual, int | float):
            value: Any = chance.choice(
                (-1, 0, 1, 2, 7, -5, 0.5, -1.0, math.nan, math.inf, 10**6, len(rows))
            )
        else:
            value = hostile(chance)

        def write() -> None:
            rows[row] = value

        return f"{name}[{row}] = {_short(value)}", write

    def _plausible(self, method: str, parameter: inspect.Parameter, chance: random.Random) -> Any:
        """A value that may fit; ``empty`` leaves the argument out."""
        name = parameter.name
        if name in _COUNTED:
            return self._index(_COUNTED[name], method, chance)
        if name in _PLACES:
            half = chance.choice((0.0, 0.3, math.pi / 4))
            turn = (math.sin(half), 0.0, 0.0, math.cos(half))
            return ((chance.uniform(-1, 1), 0.2, chance.uniform(0, 2)), turn)
        if name in _POINTS:
            point = tuple(chance.uniform(-1, 1) for _ in range(3))
            return [point, point] if method == "add_particles" else point
        made = self._made(method, name, chance)
        if made is not None:
            return made
        if isinstance(parameter.default, bool):
            return chance.random() < 0.5
        if isinstance(parameter.default, float):
            return chance.choice((0.0, 0.1, 1.0, parameter.default, 10.0))
        if parameter.default is parameter.empty:
            values = (0.1, 1.0)
            return [1.0, 1.0] if method in _MANY else chance.choice(values)
        return parameter.empty

    def _index(self, entity: str, method: str, chance: random.Random) -> Any:
        count = self.builder.count(entity)
        low = -1 if chance.random() < 0.3 else 0
        one = lambda: chance.randrange(low, max(count + (chance.random() < 0.03), low + 1))  # noqa: E731
        return [one(), one()] if method in _MANY else one()

    def _made(self, method: str, name: str, chance: random.Random) -> Any:
        """Arguments that are no plain numbers."""
        builder = self.builder
        joints = builder.joint_count
        dof = newton.ModelBuilder.JointDofConfig
        makers: dict[str, Callable[[], Any]] = {
            "joints": lambda: list(range(max(joints - chance.randrange(1, 4), 0), joints)),
            "builder": lambda: _robot(chance),
            "num_worlds": lambda: chance.randrange(4),
            "mesh": lambda: self.mesh, "src": lambda: self.mesh,
            "type": lambda: chance.choice(list(newton.GeoType)),
            "joint_type": lambda: chance.choice(list(newton.JointType)),
            "constraint_type": lambda: chance.choice(list(newton.EqType)),
            "axis": lambda: chance.choice(("x", newton.Axis.Y, 2, (0.0, 0.6, 0.8), (0, 0, 0))),
            "linear_axes": lambda: [dof(axis=a) for a in range(chance.randrange(4))],
            "angular_axes": lambda: [dof(axis=a) for a in range(chance.randrange(4))],
            "scale": lambda: chance.choice((1.0, 0.5)) if "cloth" in method or "soft" in method
            else (0.5, 1.0, 0.3),
            "rot": lambda: (0.0, 0.0, 0.0, 1.0),
            "plane": lambda: (0.0, 0.0, 1.0, chance.uniform(-1, 1)),
            "dim_x": lambda: chance.randrange(4), "dim_y": lambda: chance.randrange(1, 4),
            "dim_z": lambda: chance.randrange(1, 3),
            "vertices": lambda: _TETRAHEDRON[0],
            "indices": lambda: [0, 1, 2, 3] if "soft" in method else [0, 1, 2, 0, 2, 3],
            "positions": lambda: [(0.1 * n, 0.0, 1.0) for n in range(chance.randrange(5))],
            "node_positions": lambda: [(0.1 * n, 0.0, 1.0) for n in range(4)],
            "edges": lambda: [(0, 1), (1, 2), (1, 3)],
            "bodies": lambda: [self._index("body", "", chance) for _ in range(4)],
            "inertia": lambda: np.diag([0.1, 0.2, chance.choice((0.15, 5.0))]),
            "cfg": lambda: newton.ModelBuilder.ShapeConfig(
                density=chance.choice((0.0, 100.0)), collision_group=chance.choice((-1, 0, 1))
            ),
            "particle_color_groups": lambda: [list(range(builder.particle_count))],
            "attribute": lambda: newton.ModelBuilder.CustomAttribute(
                f"own_{chance.randrange(3)}", wp.float32,
                chance.choice(list(newton.Model.AttributeFrequency)),
            ),
            "heightfield": lambda: newton.Heightfield(np.zeros((3, 4), np.float32), 3, 4),
            "gravity": lambda: (0.0, 0.0, chance.uniform(-10, 0)),
            "key": lambda: chance.choice(("a", "b", "own_1")),
            "frequencies": lambda: [newton.Model.AttributeFrequency.BODY],
            "frequency": lambda: newton.ModelBuilder.CustomFrequency("pair", namespace="mine"),
        }  # fmt: skip
        return makers[name]() if name in makers else None

    def _stepping(self, chance: random.Random) -> tuple[str, Callable[[], object]]:
        """Make a model, and let a solver step it; the next call begins a new builder."""
        builder, self.builder = self.builder, _robot(chance)
        name, options = chance.choice(_SOLVERS)

        def run() -> None:
            if name == "SolverVBD":
                builder.color()
            model = builder.finalize(device="cpu")
            solver = getattr(solvers, name)(model, **options)
            state, following = model.state(), model.state()
            contacts = model.contacts()
            for _ in range(_STEPS):
                state.clear_forces()
                model.collide(state, contacts)
                solver.step(state, following, model.control(), contacts, _DT)
                state, following = following, state
            _check(state)

        return f"finalize, and {_STEPS} steps of {name}", run

    def step(self) -> None:
        """Nothing: models are stepped by a call."""

    def close(self) -> None:
        """Nothing is left to give back."""


def _check(state: Any) -> None:
    for name in ("body_q", "body_qd", "particle_q", "particle_qd", "joint_q", "joint_qd"):
        values = getattr(state, name, None)
        if values is not None and not np.isfinite(values.numpy()).all():
            raise NotFiniteError(f"{name} after {_STEPS} steps")


def _robot(chance: random.Random) -> Any:
    """A builder with two bodies on a hinge, a particle, or nothing."""
    robot = newton.ModelBuilder()
    kind = chance.randrange(3)
    if kind == 0:
        base, tip = robot.add_link(mass=1.0), robot.add_link()
        robot.add_shape_box(tip, hx=0.1, hy=0.1, hz=0.1)
        robot.add_shape_sphere(base, radius=0.1)
        joints = [robot.add_joint_free(base), robot.add_joint_revolute(base, tip, axis="y")]
        robot.add_articulation(joints)
    elif kind == 1:
        robot.add_particle((0.0, 0.0, 1.0), (0.0, 0.0, 0.0), 1.0)
    return robot


def _methods() -> tuple[str, ...]:
    found = inspect.getmembers(newton.ModelBuilder, inspect.isfunction)
    return tuple(name for name, _ in found if name[0] != "_" and name not in _LEFT_OUT)


def _short(value: object) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) < 100 else f"{text[:100]}..."
