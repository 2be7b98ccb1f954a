"""Random sequences of valid calls, made on PyBullet and on unibody.bullet, compared call by call.

``python -m tests.bullet.sequences 500`` plays that many sequences of fifty calls and prints what
differs. Bodies are kept apart in the air, since contacts are compared by other tests, and after
every step ours continue from PyBullet's state: each step is compared on its own.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from math import isnan
from typing import Any, NamedTuple

import pybullet
import pybullet_data

import unibody.bullet as unibody_bullet

SIDES: tuple[Any, Any] = (pybullet, unibody_bullet)
CALLS = 50
ARM_JOINTS = 7
SPACING = 4.0  # m between bodies; more than the reach of the arm
HEIGHT = 6.0  # m

_ABOUT_GEARS = 11  # place of the first field of getConstraintInfo that is

# Float64 formulas on both sides, of lengths up to 20 m.
EXACT = 1e-7
# PyBullet returns the frames of links rounded to float32, at up to 20 m.
FRAME = 1e-6
# Bullet adds up to 2 mm to boxes, and finds hits and closest points of round shapes by iteration.
BOX = 5e-3
RAY = 2e-2  # which moves the normals of round shapes most
CLOSEST = 3e-3
# Beside a ray, to see whether it meets an edge; round shapes of 0.1 m turn by a fiftieth there.
_BESIDE, _TURNED = 2e-3, 5e-2
# One step, with so many iterations of Bullet's solver that it has converged.
STEP = 1e-3


class Call(NamedTuple):
    """One call: the function's name, its arguments, and how close results have to be."""

    name: str
    args: tuple[Any, ...]
    tolerance: float = EXACT
    named: dict[str, Any] = {}  # noqa: RUF012 - never changed


class Difference(NamedTuple):
    """A call whose results differ."""

    call: Call
    expected: Any
    found: Any


class Player:
    """The same scene on both sides, and the calls made so far.

    Args:
        draw: Source of all random choices.
    """

    def __init__(self, draw: random.Random) -> None:
        self.draw = draw
        self.bodies: list[int] = []
        self.constraints: list[int] = []
        self.states: list[tuple[int, int]] = []  # state, number of bodies and constraints at it
        self.edits = 0
        self.history: list[Call] = []
        self.settled = False  # poses have been seen by collision detection
        self.compared = 0
        for p in SIDES:
            p.resetSimulation()
            p.setTimeStep(1 / 240)  # which a reset leaves as it is
            p.setPhysicsEngineParameter(numSolverIterations=1000, solverResidualThreshold=0)
            p.setAdditionalSearchPath(pybullet_data.getDataPath())
            p.setGravity(0.0, 0.0, -9.81)
            self.plane = p.loadURDF("plane.urdf")
            self.arm = p.loadURDF(
                "kuka_iiwa/model.urdf", basePosition=(0.0, 0.0, HEIGHT), useFixedBase=True
            )
            for joint in range(ARM_JOINTS):  # Bullet's explicit damping is unstable for this arm
                p.changeDynamics(self.arm, joint, jointDamping=0.0)
        self.add_body()
        self.add_body()
        self.do(Call("stepSimulation", ()))

    # --- playing -------------------------------------------------------------------------------

    def do(self, call: Call) -> Any:
        """Make a call on both sides and compare; return PyBullet's result.

        Raises:
            AssertionError: The results differ; the message has the call and both.
        """
        self.history.append(call)
        expected, found = (self._outcome(p, call) for p in SIDES)
        self.compared += 1
        if not same(expected, found, call.tolerance):
            raise AssertionError(Difference(call, expected, found))
        return expected

    @staticmethod
    def _outcome(p: Any, call: Call) -> Any:
        try:
            return getattr(p, call.name)(*call.args, **call.named)
        except (pybullet.error, unibody_bullet.error) as problem:
            return f"error: {problem}"

    def add_body(self) -> None:
        """A box, ball, cylinder or capsule in the air."""
        d = self.draw
        place = (SPACING * (len(self.bodies) + 1), d.uniform(-0.5, 0.5), HEIGHT)
        kind, mass = d.choice([2, 3, 4, 7]), d.uniform(0.5, 3.0)
        size = (d.uniform(0.1, 0.4), d.uniform(0.1, 0.4), d.uniform(0.1, 0.4))
        named: dict[str, Any] = {"radius": size[0], "halfExtents": size}
        named["height"] = size[1]
        shape = self.do(Call("createCollisionShape", (kind,), named=named))
        self.bodies.append(self.do(Call("createMultiBody", (mass, shape, -1, place, self.turn()))))
        self.edits += 1
        self.settled = False

    # --- choices -------------------------------------------------------------------------------

    def vector(self, size: float) -> tuple[float, float, float]:
        """Three numbers up to a size."""
        x, y, z = (self.draw.uniform(-size, size) for _ in range(3))
        return (x, y, z)

    def turn(self) -> tuple[float, ...]:
        """A unit quaternion."""
        values = [self.draw.gauss(0.0, 1.0) for _ in range(4)]
        norm = sum(v * v for v in values) ** 0.5
        return tuple(v / norm for v in values) if 1e-3 < norm < 1e3 else (0.0, 0.0, 0.0, 1.0)

    def body(self) -> int:
        """A free body."""
        return self.draw.choice(self.bodies)

    def joint(self) -> int:
        """A joint of the arm."""
        return self.draw.randrange(ARM_JOINTS)

    def numbers(self, size: float) -> list[float]:
        """One for each joint of the arm."""
        return [self.draw.uniform(-size, size) for _ in range(ARM_JOINTS)]

    # --- calls that read -----------------------------------------------------------------------

    def read_joints(self) -> None:
        """Joint states, one and all; positions and velocities."""
        joint = self.joint()
        self.do(Call("getJointInfo", (self.arm, joint)))
        for state in (self.do_states([joint]), self.do_states(list(range(ARM_JOINTS)))):
            assert state

    def do_states(self, joints: list[int]) -> Any:
        """States of joints without the motor forces, which belong to the last step."""
        call = Call("getJointStates", (self.arm, joints))
        return self.do_parts(call, lambda states: [state[:2] for state in states])

    def read_link(self) -> None:
        """Pose and velocity of a link."""
        self.do(Call("getLinkState", (self.arm, self.joint(), 1, 1), FRAME))

    def read_links(self) -> None:
        """Poses and velocities of several links."""
        self.do(Call("getLinkStates", (self.arm, [self.joint(), self.joint()], 1, 1), FRAME))

    def read_base(self) -> None:
        """Pose and velocity of a base."""
        body = self.draw.choice([self.arm, self.plane, *self.bodies])
        self.do(Call("getBasePositionAndOrientation", (body,)))
        self.do(Call("getBaseVelocity", (body,)))

    def read_tables(self) -> None:
        """What there is."""
        self.do(Call("getNumBodies", ()))
        self.do(Call("getBodyUniqueId", (self.draw.randrange(3),)))
        self.do(Call("getBodyInfo", (self.arm,)))
        self.do(Call("getNumJoints", (self.body(),)))
        self.do(Call("getNumConstraints", ()))
        self.do(Call("getPhysicsEngineParameters", ()))
        if self.constraints:
            self.read_constraint(self.draw.choice(self.constraints))

    def read_constraint(self, constraint: int) -> None:
        """What a constraint was made with; PyBullet leaves what is about gears unset at first."""
        self.do_parts(Call("getConstraintInfo", (constraint,)), lambda info: info[:_ABOUT_GEARS])

    def read_dynamics(self) -> None:
        """Mass, friction, inertia and margin."""
        body, link = self.draw.choice([(self.arm, self.joint()), (self.body(), -1)])
        self.do(Call("getDynamicsInfo", (body, link), 1e-6))

    def read_shapes(self) -> None:
        """Collision shapes; PyBullet leaves the ids of a compound's later children unset."""
        call = Call("getCollisionShapeData", (self.body(), -1), 1e-6)
        self.do_parts(call, lambda rows: [row[2:] for row in rows])

    def do_parts(self, call: Call, parts: Callable[[Any], Any]) -> Any:
        """As `do`, for calls that change nothing, and of which only parts can be compared."""
        self.history.append(call)
        expected, found = (parts(getattr(p, call.name)(*call.args, **call.named)) for p in SIDES)
        if not same(expected, found, call.tolerance):
            raise AssertionError(Difference(call, expected, found))
        return expected

    # --- calls that compute --------------------------------------------------------------------

    def compute_dynamics(self) -> None:
        """Jacobian, mass matrix and inverse dynamics."""
        q, zero = self.numbers(1.5), [0.0] * ARM_JOINTS
        link = self.joint()
        self.do(Call("calculateJacobian", (self.arm, link, self.vector(0.2), q, zero, zero)))
        self.do(Call("calculateMassMatrix", (self.arm, q), 1e-6))
        args = (self.arm, q, self.numbers(1.0), self.numbers(1.0))
        self.do(Call("calculateInverseDynamics", args, 1e-5))

    def compute_ik(self) -> None:
        """Inverse kinematics to a point in reach."""
        x, y, z = self.vector(0.3)
        self.do(
            Call("calculateInverseKinematics", (self.arm, 6, (0.4 + x, y, HEIGHT + 0.5 + z)), 1e-4)
        )

    def compute_transforms(self) -> None:
        """Rotations and transforms; float32 in PyBullet."""
        args = (self.vector(3.0), self.turn(), self.vector(3.0), self.turn())
        self.do(Call("multiplyTransforms", args, 1e-5))
        self.do(Call("invertTransform", args[:2], 1e-5))
        self.do(Call("getMatrixFromQuaternion", (args[1],)))
        self.do(Call("getQuaternionFromEuler", (self.vector(3.0),)))

    # --- queries: the poses have to be those of the last step ----------------------------------

    def query_rays(self) -> None:
        """One ray and a batch, each down through a free body."""
        if not self.settled:
            return
        x, y, z = pybullet.getBasePositionAndOrientation(self.body())[0]
        start, end = (x, y, z + 3.0), (x + 0.01, y + 0.01, z - 3.0)
        batches = ([start, end], [end, start])
        if self._is_even(*batches):
            self.do(Call("rayTest", (start, end), RAY))
            self.do(Call("rayTestBatch", batches, RAY))

    def _is_even(self, starts: list[Any], ends: list[Any]) -> bool:
        """Whether rays meet no edge: there Bullet, which iterates, mixes the normals beside it."""
        for dx, dy in ((_BESIDE, 0.0), (-_BESIDE, 0.0), (0.0, _BESIDE), (0.0, -_BESIDE)):
            near = [[(x + dx, y + dy, z) for x, y, z in points] for points in (starts, ends)]
            here, there = (pybullet.rayTestBatch(*rays) for rays in ((starts, ends), near))
            for a, b in zip(here, there, strict=True):
                if a[:2] != b[:2] or not same(a[4], b[4], _TURNED):
                    return False
        return True

    def query_boxes(self) -> None:
        """The box of a body."""
        if self.settled:
            self.do(Call("getAABB", (self.body(), -1), BOX))

    def query_closest(self) -> None:
        """Closest points of two bodies, and of one with the plane."""
        if self.settled:
            self.do_gaps(Call("getClosestPoints", (self.body(), self.plane, 20.0), CLOSEST))

    def do_gaps(self, call: Call) -> None:
        """Closest points, but not where they are, and in any order.

        Of edges and faces that are nearly parallel many pairs of points are as close, and Bullet
        has the children of a compound in a tree.
        """
        self.do_parts(call, lambda rows: sorted((*row[:5], row[8]) for row in rows))

    def query_contacts(self) -> None:
        """Nothing touches."""
        self.do(Call("getContactPoints", ()))
        self.do(Call("getContactPoints", (self.body(),)))

    # --- calls that write ----------------------------------------------------------------------

    def place_body(self) -> None:
        """Put a free body somewhere near its place."""
        body = self.body()
        x = SPACING * (self.bodies.index(body) + 1)
        dx, dy, dz = self.vector(0.5)
        turn = self.turn()
        if self.constraints and body == self.bodies[0]:
            # Bullet takes the Euler angles of an error for it, which is so for small ones only
            turn = pybullet.getBasePositionAndOrientation(body)[1]
        place = (x + dx, dy, HEIGHT + dz)
        self.do(Call("resetBasePositionAndOrientation", (body, place, turn)))
        self.settled = False

    def push_body(self) -> None:
        """Give a free body velocities."""
        self.do(Call("resetBaseVelocity", (self.body(), self.vector(1.0), self.vector(2.0))))

    def place_joint(self) -> None:
        """Put a joint to a position and velocity."""
        args = (self.arm, self.joint(), self.draw.uniform(-1.5, 1.5), self.draw.uniform(-0.5, 0.5))
        self.do(Call("resetJointState", args))
        self.settled = False

    def set_motor(self) -> None:
        """Control one joint."""
        mode = self.draw.choice([pybullet.POSITION_CONTROL, pybullet.VELOCITY_CONTROL])
        named = {"force": self.draw.uniform(0.0, 300.0)}
        if mode == pybullet.POSITION_CONTROL:
            named["targetPosition"] = self.draw.uniform(-1.5, 1.5)
            # speeds stay below 100, where Bullet cuts them off
            named["positionGain"] = self.draw.uniform(0.01, 0.06)
        else:
            named["targetVelocity"] = self.draw.uniform(-1.0, 1.0)
        args = (self.arm, self.joint(), mode)
        self.do(Call("setJointMotorControl2", args, named=named))

    def set_motors(self) -> None:
        """Control all joints."""
        mode = self.draw.choice([pybullet.POSITION_CONTROL, pybullet.VELOCITY_CONTROL])
        name = "targetPositions" if mode == pybullet.POSITION_CONTROL else "targetVelocities"
        named = {name: self.numbers(1.0), "forces": [200.0] * ARM_JOINTS}
        args = (self.arm, list(range(ARM_JOINTS)), mode)
        self.do(Call("setJointMotorControlArray", args, named=named))

    def apply_force(self) -> None:
        """Push or turn a free body or a link for one step."""
        body, link = self.draw.choice([(self.arm, self.joint()), (self.body(), -1)])
        frame = self.draw.choice([pybullet.LINK_FRAME, pybullet.WORLD_FRAME])
        place = self.vector(0.2)
        if frame == pybullet.WORLD_FRAME:
            state = (
                pybullet.getBasePositionAndOrientation(body)[0]
                if link < 0
                else pybullet.getLinkState(body, link, 0, 1)[0]
            )
            place = tuple(a + b for a, b in zip(place, state, strict=True))
        self.do(Call("applyExternalForce", (body, link, self.vector(5.0), place, frame)))

    def change_dynamics(self) -> None:
        """Other masses, frictions and dampings."""
        d = self.draw
        body, link = d.choice([(self.arm, self.joint()), (self.body(), -1)])
        inertias = [
            {"mass": d.uniform(0.5, 4.0)},
            {"localInertiaDiagonal": [d.uniform(0.1, 0.2) for _ in range(3)]},
        ]
        named = d.choice(
            [
                *(inertias if body != self.arm else ()),  # which PyBullet's mass matrix misses
                {"lateralFriction": d.uniform(0.0, 1.0), "restitution": d.uniform(0.0, 1.0)},
                {"spinningFriction": d.uniform(0.0, 0.1), "rollingFriction": d.uniform(0.0, 0.1)},
                {"linearDamping": d.uniform(0.0, 0.1), "angularDamping": d.uniform(0.0, 0.1)},
            ]
        )
        self.do(Call("changeDynamics", (body, link), named=named))

    def note(self) -> None:
        """Keep a text with a body, read it back, and take it away again at times."""
        body, key = self.draw.choice([self.arm, *self.bodies]), self.draw.choice(["a", "b"])
        number = self.do(Call("addUserData", (body, key, str(self.draw.randrange(99)))))
        self.do(Call("getUserDataId", (body, key)))
        self.do(Call("getUserData", (number,)))
        self.do(Call("getNumUserData", (body,)))
        if self.draw.random() < 0.5:
            self.do(Call("removeUserData", (number,)))

    def paint(self) -> None:
        """Another colour of a free body."""
        body, color = self.body(), tuple(self.draw.random() for _ in range(4))
        self.do(Call("changeVisualShape", (body, -1), named={"rgbaColor": color}))
        self.do(Call("getVisualShapeData", (body,), 1e-6))

    def filter(self) -> None:
        """Let a pair pass through each other or not, or a body have another group."""
        named = {"enableCollision": self.draw.randrange(2)}
        args = (self.body(), self.plane, -1, -1)
        self.do(Call("setCollisionFilterPair", args, named=named))
        self.do(
            Call("setCollisionFilterGroupMask", (self.body(), -1, 1, self.draw.choice([1, -1])))
        )

    def loosen(self) -> None:
        """Another strength or place of what holds a body."""
        if self.constraints:
            args = (self.constraints[0],)
            named = {"maxForce": self.draw.uniform(500.0, 5000.0), "gearRatio": 2.0}
            self.do(Call("changeConstraint", args, named=named))
            self.read_constraint(*args)

    def set_world(self) -> None:
        """Other gravity or time step."""
        if self.draw.random() < 0.5:
            self.do(Call("setGravity", self.vector(10.0)))
        else:
            self.do(Call("setTimeStep", (self.draw.choice([1 / 240, 1 / 500, 1 / 120]),)))
            self.set_motors()  # PyBullet makes a motor's limit an impulse when the motor is set

    def save(self) -> None:
        """Keep the state."""
        state = self.do(Call("saveState", ()))
        self.states.append((state, self.edits))

    def restore(self) -> None:
        """Go back to a state of the same bodies."""
        fitting = [state for state, edits in self.states if edits == self.edits]
        if fitting:
            self.do(Call("restoreState", (self.draw.choice(fitting),)))
            self.settled = False

    def more_or_fewer(self) -> None:
        """Add a body, or remove the last one."""
        if len(self.bodies) < 4 and self.draw.random() < 0.6:
            self.add_body()
        elif len(self.bodies) > 2:
            self.do(Call("removeBody", (self.bodies.pop(),)))
            self.edits += 1

    def hold(self) -> None:
        """Hold a free body where it is, or let one go."""
        if self.constraints:
            self.do(Call("removeConstraint", (self.constraints.pop(),)))
        else:
            body = self.bodies[0]
            pos, quat = pybullet.getBasePositionAndOrientation(body)
            zero = (0.0, 0.0, 0.0)
            kind = self.draw.choice([pybullet.JOINT_FIXED, pybullet.JOINT_POINT2POINT])
            args = (body, -1, -1, -1, kind, zero, zero, pos)
            named = {"childFrameOrientation": quat}
            self.constraints.append(self.do(Call("createConstraint", args, named=named)))
        self.edits += 1

    # --- stepping ------------------------------------------------------------------------------

    def step(self) -> None:
        """One step from the same state, compared; ours then continue from PyBullet's."""
        self._align()
        self.do(Call("stepSimulation", ()))
        for body in self.bodies:
            self.do(Call("getBasePositionAndOrientation", (body,), STEP))
            self.do(Call("getBaseVelocity", (body,), STEP))
        for joint in range(ARM_JOINTS):
            states = [p.getJointState(self.arm, joint)[:2] for p in SIDES]
            if not same(states[0], states[1], STEP):
                call = Call("getJointState", (self.arm, joint), STEP)
                raise AssertionError(Difference(call, *states))
        self._align()
        self.settled = True

    def _align(self) -> None:
        for body in self.bodies:
            pose = pybullet.getBasePositionAndOrientation(body)
            velocity = pybullet.getBaseVelocity(body)
            unibody_bullet.resetBasePositionAndOrientation(body, *pose)
            unibody_bullet.resetBaseVelocity(body, *velocity)
        for joint, state in enumerate(pybullet.getJointStates(self.arm, range(ARM_JOINTS))):
            unibody_bullet.resetJointState(self.arm, joint, state[0], state[1])


CHOICES: tuple[Callable[[Player], None], ...] = (
    Player.read_joints, Player.read_link, Player.read_links, Player.read_base, Player.read_tables,
    Player.read_dynamics, Player.read_shapes, Player.compute_dynamics, Player.compute_ik,
    Player.compute_transforms, Player.query_rays, Player.query_boxes, Player.query_closest,
    Player.query_contacts, Player.place_body, Player.push_body, Player.place_joint,
    Player.set_motor, Player.set_motors, Player.apply_force, Player.change_dynamics,
    Player.note, Player.paint, Player.filter, Player.loosen, Player.set_world,
    Player.save, Player.restore, Player.more_or_fewer, Player.hold,
    Player.step, Player.step, Player.step,
)  # fmt: skip


def play(draw: random.Random, calls: int = CALLS) -> int:
    """Play one sequence in two clients that are connected; return how many calls were compared.

    Raises:
        AssertionError: Results differ.
    """
    player = Player(draw)
    while player.compared < calls:
        draw.choice(CHOICES)(player)
    return player.compared


def same(expected: Any, found: Any, tolerance: float) -> bool:
    """Equal in structure, and in numbers up to a tolerance that grows with their size."""
    if isinstance(expected, (tuple, list)):
        return (
            isinstance(found, (tuple, list))
            and len(expected) == len(found)
            and all(same(e, f, tolerance) for e, f in zip(expected, found, strict=True))
        )
    if isinstance(expected, dict):
        return isinstance(found, dict) and all(
            key in found and same(value, found[key], tolerance) for key, value in expected.items()
        )
    if isinstance(expected, float) and isinstance(found, (float, int)):
        if expected == found or (isnan(expected) and isnan(found)):  # infinite, or nan
            return True
        return abs(expected - found) <= tolerance * (1.0 + abs(expected))
    return expected == found


def main(argv: list[str], play: Callable[[random.Random], int] = play) -> int:
    """Play many sequences; print the first difference of each that has one."""
    count, first = int(argv[0]) if argv else 500, int(argv[1]) if len(argv) > 1 else 0
    for p in SIDES:
        p.connect(p.DIRECT)
    failed = compared = 0
    for seed in range(first, first + count):
        try:
            compared += play(random.Random(seed))
        except AssertionError as problem:
            failed += 1
            print(seed, problem, flush=True)
    print(f"{count} sequences, {compared} calls compared, {failed} with a difference")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
