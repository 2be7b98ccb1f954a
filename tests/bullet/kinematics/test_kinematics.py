"""Inverse kinematics, Jacobians, mass matrices and inverse dynamics equal PyBullet's."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pybullet
import pybullet_data
import pytest

import unibody.bullet as unibody_bullet
from unibody.bullet.clients.registry import clients
from unibody.errors import NotSupportedError

SIDES: tuple[Any, Any] = (unibody_bullet, pybullet)
ROBOTS = ("kuka_iiwa/model.urdf", "franka_panda/panda.urdf", "laikago/laikago.urdf", "r2d2.urdf")
# Same formulas in float64 on both sides; 20 iterations may enlarge rounding a little.
EXACT = 1e-9
# With little damping, or a null space that pushes back hard at a limit, iterations enlarge the
# rounding of the angle to single precision; with less damping and more iterations than here
# PyBullet's own answer moves by more than this when its start moves by 1e-15.
ITERATED = 1e-6
# Hulls of mesh files, read as float32 by PyBullet, decide about inertias: relative.
INERTIA = 1e-6
ROUNDS = 10


@dataclass
class Robot:
    """One robot on both sides, in the same random pose."""

    bodies: tuple[int, int]
    joints: list[int]
    fixed: bool
    rng: np.random.Generator
    q: list[float] = field(default_factory=list)

    @property
    def links(self) -> int:
        return pybullet.getNumJoints(self.bodies[1])

    @property
    def base(self) -> int:
        return 0 if self.fixed else 6

    def move(self) -> None:
        self.q = self.vector(len(self.joints))
        for joint, angle in zip(self.joints, self.q, strict=True):
            for side, body in zip(SIDES, self.bodies, strict=True):
                side.resetJointState(body, joint, angle)

    def vector(self, size: int) -> list[float]:
        return self.rng.uniform(-1.0, 1.0, size).tolist()

    def quat(self) -> list[float]:
        quat = self.rng.normal(size=4)
        return (quat / np.linalg.norm(quat)).tolist()

    def near(self) -> list[float]:
        return (np.array(START) + self.rng.normal(size=3) * 0.4).tolist()

    def link(self) -> int:
        return int(self.rng.integers(self.links))

    def results(self, name: str, *args: Any, **options: Any) -> tuple[Any, Any]:
        values = [
            np.array(getattr(side, name)(body, *args, **options))
            for side, body in zip(SIDES, self.bodies, strict=True)
        ]
        return values[0], values[1]


START = (0.1, 0.2, 1.0)


@pytest.fixture(autouse=True)
def _clients() -> Iterator[None]:
    for side in SIDES:
        assert side.connect(side.DIRECT) == 0
        side.setAdditionalSearchPath(pybullet_data.getDataPath())
        side.setGravity(0.3, -0.2, -9.81)
    yield
    for side in SIDES:
        side.disconnect()


def load(file: str, *, fixed: bool, seed: int = 0, quat: Any = None) -> Robot:
    rng = np.random.default_rng(seed)
    orientation = rng.normal(size=4) if quat is None else np.array(quat)
    orientation = (orientation / np.linalg.norm(orientation)).tolist()
    bodies = [side.loadURDF(file, START, orientation, useFixedBase=fixed) for side in SIDES]
    joints = [
        i
        for i in range(pybullet.getNumJoints(bodies[1]))
        if pybullet.getJointInfo(bodies[1], i)[2] != pybullet.JOINT_FIXED
    ]
    fixed = fixed or pybullet.getDynamicsInfo(bodies[1], -1)[0] == 0.0
    robot = Robot((bodies[0], bodies[1]), joints, fixed, rng)
    robot.move()
    return robot


@pytest.fixture(params=[(f, b) for f in ROBOTS for b in (True, False)], ids=str)
def robot(request: pytest.FixtureRequest) -> Robot:
    file, fixed = request.param
    return load(file, fixed=fixed)


def differ(values: tuple[Any, Any]) -> float:
    found, expected = values
    assert found.shape == expected.shape
    return float(abs(found - expected).max())


IK_CASES: dict[str, Callable[[Robot, int], tuple[tuple[Any, ...], dict[str, Any], float]]] = {
    "position": lambda r, n: ((r.near(),), {}, EXACT),
    "orientation": lambda r, n: ((r.near(), r.quat()), {}, EXACT),
    "unfinished": lambda r, n: ((r.near(), r.quat()), {"maxNumIterations": 3}, EXACT),
    "null space": lambda r, n: ((r.near(), r.quat(), *_null(n)), {}, ITERATED),
    "null space, no turn": lambda r, n: (
        (r.near(),),
        dict(
            zip(("lowerLimits", "upperLimits", "jointRanges", "restPoses"), _null(n), strict=True)
        ),
        ITERATED,
    ),
    "damping": lambda r, n: (
        (r.near(), r.quat()),
        {"jointDamping": np.linspace(0.1, 2.0, n).tolist(), "maxNumIterations": 50},
        EXACT,
    ),
    "little damping": lambda r, n: (
        (r.near(), r.quat()),
        {"jointDamping": [0.05] * n, "residualThreshold": 1e-8},
        ITERATED,
    ),
    "own start": lambda r, n: ((r.near(), r.quat()), {"currentPositions": r.vector(n)}, EXACT),
    "scaled quaternion": lambda r, n: ((r.near(), [3 * x for x in r.quat()]), {}, EXACT),
}


def _null(n: int) -> tuple[list[float], ...]:
    return [-0.5] * n, [0.5] * n, [1.0] * n, np.linspace(-0.3, 0.3, n).tolist()


@pytest.mark.parametrize("case", IK_CASES)
def test_inverse_kinematics_equals_pybullets_finished_or_not(robot: Robot, case: str) -> None:
    for _ in range(ROUNDS):
        robot.move()
        arguments, options, tolerance = IK_CASES[case](robot, len(robot.joints))
        values = robot.results("calculateInverseKinematics", robot.link(), *arguments, **options)
        assert differ(values) < tolerance


def test_inverse_kinematics_for_several_links_equals_pybullets(robot: Robot) -> None:
    for _ in range(ROUNDS):
        robot.move()
        links = [robot.link(), robot.link(), robot.link()]
        targets = [robot.near() for _ in links]
        assert differ(robot.results("calculateInverseKinematics2", links, targets)) < EXACT


def test_a_solution_brings_the_link_to_its_target() -> None:
    robot = load("kuka_iiwa/model.urdf", fixed=True, quat=(0, 0, 0, 1))
    body, p = robot.bodies[0], unibody_bullet
    target, quat = (0.5, 0.4, 1.6), p.getQuaternionFromEuler((0.0, 3.0, 0.2))
    solution = p.calculateInverseKinematics(
        body, 6, target, quat, maxNumIterations=1000, residualThreshold=1e-9
    )
    for joint, angle in enumerate(solution):
        p.resetJointState(body, joint, angle)
    state = p.getLinkState(body, 6)
    assert state[4] == pytest.approx(target, abs=1e-6)
    assert abs(np.dot(state[1], quat)) == pytest.approx(1.0, abs=1e-6)


def test_jacobians_equal_pybullets(robot: Robot) -> None:
    size = len(robot.joints)
    for link in range(-1, robot.links):
        point = robot.vector(3) if link % 2 else [0.0, 0.0, 0.0]
        state = [robot.vector(size) for _ in range(3)]
        assert differ(robot.results("calculateJacobian", link, point, *state)) < EXACT


def test_mass_matrices_equal_pybullets(robot: Robot) -> None:
    for _ in range(ROUNDS):
        found, expected = robot.results("calculateMassMatrix", robot.vector(len(robot.joints)))
        assert abs(found - expected).max() < INERTIA * abs(expected).max()


def test_inverse_dynamics_equals_pybullets_with_a_turned_base(robot: Robot) -> None:
    size = robot.base + len(robot.joints)
    for _ in range(ROUNDS):
        pose = [] if robot.fixed else robot.vector(3) + robot.quat()
        q = pose + robot.vector(len(robot.joints))
        arguments = (q, robot.vector(size), robot.vector(size))
        found, expected = robot.results("calculateInverseDynamics", *arguments)
        assert abs(found - expected).max() < INERTIA * abs(expected).max()


@pytest.mark.parametrize("pitch", [np.pi / 2, -np.pi / 2])
def test_inverse_dynamics_equals_pybullets_where_euler_angles_degenerate(pitch: float) -> None:
    robot = load("r2d2.urdf", fixed=False)
    quat = pybullet.getQuaternionFromEuler((0.3, pitch, 0.2))
    size = 6 + len(robot.joints)
    q = [0.0, 0.0, 0.0, *quat, *robot.vector(len(robot.joints))]
    found, expected = robot.results("calculateInverseDynamics", q, [0.0] * size, [0.0] * size)
    assert abs(found - expected).max() < INERTIA * abs(expected).max()


def test_a_changed_mass_is_seen_by_the_next_call() -> None:
    p, body = unibody_bullet, load("kuka_iiwa/model.urdf", fixed=True).bodies[0]
    before = p.calculateMassMatrix(body, [0.1] * 7)
    p.changeDynamics(body, 6, mass=5.0)
    after = p.calculateMassMatrix(body, [0.1] * 7)
    assert after[1][1] > before[1][1] + 1.0


def test_the_state_of_the_world_stays_as_it_was() -> None:
    robot = load("laikago/laikago.urdf", fixed=False)
    p, body, n = unibody_bullet, robot.bodies[0], len(robot.joints)
    p.stepSimulation()
    before = p.getJointStates(body, robot.joints), p.getBasePositionAndOrientation(body)
    p.calculateInverseKinematics(body, 3, (0.0, 0.0, 0.0))
    p.calculateJacobian(body, 3, (0.0, 0.0, 0.0), [0.3] * n, [0.0] * n, [0.0] * n)
    p.calculateMassMatrix(body, [0.3] * n)
    assert before == (p.getJointStates(body, robot.joints), p.getBasePositionAndOrientation(body))


def test_arrays_are_taken_as_well_as_lists() -> None:
    robot = load("kuka_iiwa/model.urdf", fixed=True)
    p, body, q = unibody_bullet, robot.bodies[0], np.linspace(0.0, 1.0, 7)
    point = np.array((0.1, 0.0, 0.0))
    jacobian = p.calculateJacobian(body, 6, point, q, q, q)
    assert jacobian == p.calculateJacobian(body, 6, point.tolist(), *[q.tolist()] * 3)
    assert p.calculateMassMatrix(body, q) == p.calculateMassMatrix(body, q.tolist())
    solution = p.calculateInverseKinematics(body, 6, point, currentPositions=q)
    assert solution == p.calculateInverseKinematics(body, 6, (0.1, 0, 0), currentPositions=list(q))
    assert all(type(x) is float for row in (*jacobian[0], solution) for x in row)


def test_the_number_of_degrees_of_freedom_equals_pybullets() -> None:
    for file in (*ROBOTS, "humanoid/humanoid.urdf", "cube_small.urdf"):
        counts = [side.computeDofCount(side.loadURDF(file)) for side in SIDES]
        assert counts[0] == counts[1]
    assert unibody_bullet.computeDofCount(99) == pybullet.computeDofCount(99) == 0


Z = [0.0] * 7
P = (0.3, 0.3, 0.3)
REFUSALS: dict[str, Callable[[Any, int], Any]] = {
    "position of two": lambda p, b: p.calculateInverseKinematics(b, 6, (1, 2)),
    "no position": lambda p, b: p.calculateInverseKinematics(b, 6, None),
    "link beyond": lambda p, b: p.calculateInverseKinematics(b, 7, P),
    "body beyond": lambda p, b: p.calculateInverseKinematics(77, 6, P),
    "start too short": lambda p, b: p.calculateInverseKinematics(b, 6, P, currentPositions=[1.0]),
    "no client": lambda p, b: p.calculateInverseKinematics(b, 6, P, physicsClientId=9),
    "no targets": lambda p, b: p.calculateInverseKinematics2(b, [], []),
    "one link beyond": lambda p, b: p.calculateInverseKinematics2(b, [6, 9], [P, P]),
    "jacobian, short": lambda p, b: p.calculateJacobian(b, 6, (0, 0, 0), Z, Z, [0.0]),
    "jacobian, point of two": lambda p, b: p.calculateJacobian(b, 6, (0, 0), Z, Z, Z),
    "jacobian, none": lambda p, b: p.calculateJacobian(b, 6, (0, 0, 0), Z, None, Z),
    "jacobian, body": lambda p, b: p.calculateJacobian(77, 6, (0, 0, 0), Z, Z, Z),
    "mass matrix, body": lambda p, b: p.calculateMassMatrix(77, Z),
    "dynamics, sizes": lambda p, b: p.calculateInverseDynamics(b, Z, Z, [0.0]),
    "dynamics, short": lambda p, b: p.calculateInverseDynamics(b, [0.0], [0.0], [0.0]),
    "dynamics, body": lambda p, b: p.calculateInverseDynamics(77, Z, Z, Z),
}


@pytest.mark.parametrize("case", REFUSALS)
def test_a_wrong_argument_is_refused_with_pybullets_message(case: str) -> None:
    body = load("kuka_iiwa/model.urdf", fixed=True).bodies
    messages = []
    for side, body_id in zip(SIDES, body, strict=True):
        # where PyBullet sets its error but returns a value, Python wraps it in a SystemError
        with pytest.raises((side.error, SystemError)) as caught:
            REFUSALS[case](side, body_id)
        wrapped = isinstance(caught.value, SystemError)
        messages.append(str(caught.value.__cause__ if wrapped else caught.value))
    assert messages[0] == messages[1]


def test_the_older_name_of_the_body_is_taken_and_a_missing_argument_named() -> None:
    robot = load("kuka_iiwa/model.urdf", fixed=True)
    values = [
        np.array(
            side.calculateInverseKinematics(
                bodyIndex=body, endEffectorLinkIndex=6, targetPosition=P
            )
        )
        for side, body in zip(SIDES, robot.bodies, strict=True)
    ]
    assert differ((values[0], values[1])) < EXACT
    forces = unibody_bullet.calculateInverseDynamics(
        bodyIndex=robot.bodies[0], objPositions=Z, objVelocities=Z, objAccelerations=Z
    )
    assert forces == unibody_bullet.calculateInverseDynamics(robot.bodies[0], Z, Z, Z)
    with pytest.raises(TypeError, match=r"argument 'targetPosition' \(pos 3\)"):
        unibody_bullet.calculateInverseKinematics(robot.bodies[0], 6)
    with pytest.raises(TypeError, match=r"argument 'bodyUniqueId' \(pos 1\)"):
        unibody_bullet.calculateInverseDynamics()


def test_jacobians_of_bodies_with_spherical_joints_are_refused_with_pybullets_message() -> None:
    for side in SIDES:
        body = side.loadURDF("humanoid/humanoid.urdf")
        with pytest.raises(side.error, match="Spherirical joints are not supported in the"):
            side.calculateJacobian(body, 1, (0, 0, 0), Z, Z, Z)


def test_limits_of_the_wrong_size_and_short_damping_are_left_out_as_in_pybullet(
    capfd: pytest.CaptureFixture[str],
) -> None:
    robot = load("kuka_iiwa/model.urdf", fixed=True)
    options = {"lowerLimits": [0.1], "jointDamping": [0.1] * 3}
    values = robot.results("calculateInverseKinematics", 6, P, **options)
    assert differ(values) < EXACT
    assert "not using joint damping" in capfd.readouterr().out


def test_a_link_that_does_not_exist_has_a_jacobian_of_zeros_as_in_pybullet() -> None:
    robot = load("kuka_iiwa/model.urdf", fixed=True)
    found, expected = robot.results("calculateJacobian", 7, (0, 0, 0), Z, Z, Z)
    assert found.shape == expected.shape
    assert not found.any()
    assert not expected.any()


@pytest.mark.parametrize(
    "call",
    [
        lambda p, b: p.calculateInverseKinematics(b, 6, P, solver=p.IK_SDLS),
        lambda p, b: p.calculateInverseKinematics2(b, [6, 3], [P, P], *_null(7)),
        lambda p, b: p.calculateMassMatrix(p.loadURDF("humanoid/humanoid.urdf"), [0.0] * 28),
    ],
)
def test_what_cannot_be_computed_is_refused_and_never_ignored(call: Any) -> None:
    body = load("kuka_iiwa/model.urdf", fixed=True).bodies[0]
    with pytest.raises(NotSupportedError):
        call(unibody_bullet, body)


def test_a_body_that_is_gone_takes_its_arrays_along() -> None:
    p = unibody_bullet
    body = load("kuka_iiwa/model.urdf", fixed=True).bodies[0]
    p.calculateMassMatrix(body, Z)
    chain = weakref.ref(clients[0].bodies[body].chain.chain)
    assert chain() is not None
    p.removeBody(body)
    gc.collect()
    assert chain() is None


def test_a_changed_mass_counts_in_the_next_call() -> None:
    p = unibody_bullet
    body = load("kuka_iiwa/model.urdf", fixed=True).bodies[0]
    before = p.calculateMassMatrix(body, Z)
    p.changeDynamics(body, 6, mass=5.0)
    heavier = p.calculateMassMatrix(body, Z)
    p.changeDynamics(body, 6, localInertiaDiagonal=(1.0, 1.0, 1.0))
    assert before[0][0] < heavier[0][0] < p.calculateMassMatrix(body, Z)[0][0]
