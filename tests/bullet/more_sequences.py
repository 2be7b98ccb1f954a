"""More calls for random sequences: made bodies with links, the rarer functions and arguments.

``python -m tests.bullet.more_sequences 500`` plays as `sequences` does, with these calls as well.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pybullet

import unibody.bullet as unibody_bullet
from tests.bullet import sequences
from tests.bullet.sequences import (
    ARM_JOINTS,
    CALLS,
    CLOSEST,
    EXACT,
    FRAME,
    HEIGHT,
    SIDES,
    STEP,
    Call,
    Player,
)

FORCES = 1e-2  # of 1000 iterations of Bullet's solver
FLOAT32 = 1e-5  # PyBullet computes in, or keeps, single precision
_ASIDE = -8.0  # m: where the bodies with links are
_LINKS = 3


class MorePlayer(Player):
    """`Player` with a body of links and with the rarer calls."""

    def __init__(self, draw: random.Random) -> None:
        self.chains: list[int] = []
        self.kinds: dict[int, list[int]] = {}  # types of the joints of each
        self.gear: int | None = None
        super().__init__(draw)
        self.add_chain()
        self.do(Call("stepSimulation", ()))
        self._align()

    # --- bodies with links ---------------------------------------------------------------------

    def add_chain(self) -> None:
        """A body of links whose joints are of all types."""
        d = self.draw
        kinds = [d.choice([0, 1, 4, 4, 0]) for _ in range(_LINKS)]  # revolute, prismatic, fixed
        size = [d.uniform(0.05, 0.2) for _ in range(3)]
        shape = self.do(Call("createCollisionShape", (3,), named={"halfExtents": size}))
        look = self.do(
            Call("createVisualShape", (2,), named={"radius": 0.1, "rgbaColor": [1, 0, 0.5, 1]})
        )
        place = (0.0, _ASIDE * (len(self.chains) + 1), HEIGHT)
        named = {
            "baseMass": d.choice([0.0, d.uniform(1.0, 3.0)]),
            "baseCollisionShapeIndex": shape,
            "baseVisualShapeIndex": look,
            "basePosition": list(place),
            "baseOrientation": list(self.turn()),
            "linkMasses": [d.uniform(0.3, 2.0) for _ in kinds],
            "linkCollisionShapeIndices": [d.choice([shape, -1]) for _ in kinds],
            "linkVisualShapeIndices": [d.choice([look, -1]) for _ in kinds],
            "linkPositions": [self.vector(0.4) for _ in kinds],
            "linkOrientations": [self.turn() for _ in kinds],
            "linkInertialFramePositions": [self.vector(0.1) for _ in kinds],
            "linkInertialFrameOrientations": [(0, 0, 0, 1) for _ in kinds],
            "linkParentIndices": [d.randrange(k + 1) for k in range(len(kinds))],
            "linkJointTypes": kinds,
            "linkJointAxis": [d.choice([(1, 0, 0), (0, 1, 0), (0, 0, 1)]) for _ in kinds],
        }
        chain = self.do(Call("createMultiBody", (), named=named))
        for joint in range(_LINKS):  # the damping that links have is compared by itself
            named = {"jointDamping": 0.0, "linearDamping": 0.0, "angularDamping": 0.0}
            self.do(Call("changeDynamics", (chain, joint), named=named))
        self.chains.append(chain)
        # links get their numbers branch by branch
        self.kinds[chain] = [pybullet.getJointInfo(chain, joint)[2] for joint in range(_LINKS)]
        self.edits += 1
        self.settled = False

    def chain(self) -> int:
        """A body with links."""
        return self.draw.choice(self.chains)

    def driven(self, chain: int) -> list[int]:
        """Its joints that move."""
        return [joint for joint, kind in enumerate(self.kinds[chain]) if kind != 4]

    def read_chain(self) -> None:
        """All that is told about a body with links."""
        chain, joint = self.chain(), self.draw.randrange(_LINKS)
        self.do(Call("getNumJoints", (chain,)))
        self.do(Call("getBodyInfo", (chain,)))
        self.do(Call("getJointInfo", (chain, joint), 1e-6))
        self.do(Call("getLinkState", (chain, joint, 1, 1), FRAME))
        self.do(Call("getDynamicsInfo", (chain, joint), 1e-5))
        self.do(Call("getBasePositionAndOrientation", (chain,)))
        self.do(Call("getVisualShapeData", (chain,), 1e-6))
        self.do(Call("getCollisionShapeData", (chain, joint), 1e-6))

    def move_chain(self) -> None:
        """Put a joint somewhere, and its motor to work."""
        chain = self.chain()
        for joint in self.driven(chain)[:1]:
            value = self.draw.uniform(-0.5, 0.5)
            self.do(Call("resetJointState", (chain, joint), named={"targetValue": value}))
            named = {"targetVelocity": self.draw.uniform(-1, 1), "force": 20.0}
            args = (chain, joint, pybullet.VELOCITY_CONTROL)
            self.do(Call("setJointMotorControl2", args, named=named))
        self.settled = False

    def multi_dof(self) -> None:
        """States and motors of joints of any type, one and several."""
        d, joints = self.draw, list(range(ARM_JOINTS))
        call = Call("getJointStateMultiDof", (self.arm, self.joint()))
        self.do_parts(call, lambda state: state[:2])
        call = Call("getJointStatesMultiDof", (self.arm, joints))
        self.do_parts(call, lambda states: [state[:2] for state in states])
        positions = [[d.uniform(-1.0, 1.0)] for _ in joints]
        speeds = [[d.uniform(-0.5, 0.5)] for _ in joints]
        self.do(Call("resetJointStatesMultiDof", (self.arm, joints, positions, speeds)))
        self.do(Call("resetJointStateMultiDof", (self.arm, self.joint(), [0.3])))
        named = {"targetPosition": [d.uniform(-1, 1)], "force": [200.0], "positionGain": 0.05}
        args = (self.arm, self.joint(), pybullet.POSITION_CONTROL)
        self.do(Call("setJointMotorControlMultiDof", args, named=named))
        named = {
            "targetPositions": [[d.uniform(-1, 1)] for _ in joints],
            "forces": [[100.0]] * ARM_JOINTS,
            "positionGains": [0.04] * ARM_JOINTS,
        }
        args = (self.arm, joints, pybullet.POSITION_CONTROL)
        self.do(Call("setJointMotorControlMultiDofArray", args, named=named))
        self.settled = False

    def load_file(self) -> None:
        """A file's bodies, all that is told about them, and gone again."""
        d = self.draw
        loader, file, named = d.choice(
            [
                ("loadURDF", "r2d2.urdf", {"basePosition": [0, 40, 40]}),
                ("loadURDF", "cube_small.urdf", {"globalScaling": d.uniform(0.5, 2.0)}),
                ("loadURDF", "cartpole.urdf", {"useFixedBase": True}),
                ("loadURDF", "r2d2.urdf", {"flags": pybullet.URDF_USE_INERTIA_FROM_FILE}),
                ("loadURDF", "racecar/racecar.urdf", {"basePosition": np.array([0.0, 50.0, 9.0])}),
                ("loadSDF", "gripper/wsg50_one_motor_gripper_new.sdf", {}),
                ("loadMJCF", "mjcf/hopper.xml", {}),
                ("loadMJCF", "mjcf/half_cheetah.xml", {}),
            ]
        )
        made = self.do(Call(loader, (file,), named=named))
        for body in made if isinstance(made, tuple) else (made,):
            self.do(Call("getBodyInfo", (body,)))
            self.do(Call("getBasePositionAndOrientation", (body,), 1e-6))
            for joint in range(self.do(Call("getNumJoints", (body,)))):
                self.do(Call("getJointInfo", (body, joint), 1e-6))
                self.do(Call("getDynamicsInfo", (body, joint), 1e-5))
                self.do(Call("getLinkState", (body, joint), 1e-5))
            self.do(Call("removeBody", (body,)))
        self.edits += 1
        self.settled = False

    # --- constraints ---------------------------------------------------------------------------

    def gear_up(self) -> None:
        """Couple two joints of the arm, or let them go."""
        if self.gear is not None:
            self.do(Call("removeConstraint", (self.gear,)))
            self.gear = None
            self.edits += 1
        else:
            zero = (0.0, 0.0, 0.0)
            args = (self.arm, 4, self.arm, 5, pybullet.JOINT_GEAR, [0, 0, 1], zero, zero)
            self.gear = self.do(Call("createConstraint", args))
            self.read_constraint(self.gear)
            # on links of 0.002 kg m^2 our rows give way by 1e-5 of the force
            named = {"gearRatio": self.draw.choice([-1.0, 0.5, 2.0]), "maxForce": 10.0}
            self.do(Call("changeConstraint", (self.gear,), named=named))
            # two motors and a gear on light links: Bullet's solver takes long to converge
            self.do(Call("setPhysicsEngineParameter", (), named={"numSolverIterations": 50_000}))
            self.edits += 1
        self.do(Call("getNumConstraints", ()))
        self.do(Call("getConstraintUniqueId", (0,)))

    def move_pivot(self) -> None:
        """Move what holds a body a little."""
        if self.constraints:
            place, turn = pybullet.getBasePositionAndOrientation(self.bodies[0])
            near = tuple(x + dx for x, dx in zip(place, self.vector(0.002), strict=True))
            named = {"jointChildFrameOrientation": turn}
            self.do(Call("changeConstraint", (self.constraints[0], near), named=named))

    # --- queries -------------------------------------------------------------------------------

    def query_overlaps(self) -> None:
        """Bodies in a box around one of them, and far from all."""
        if not self.settled:
            return
        low, high = pybullet.getAABB(self.body())
        self.do(Call("getOverlappingObjects", (low, high)))
        self.do(Call("getOverlappingObjects", ([90.0, 90, 90], np.array([91.0, 91.0, 91.0]))))

    def query_gaps(self) -> None:
        """Closest points of two free bodies, and of a made shape with one."""
        if not self.settled:
            return
        a, b = self.draw.sample(self.bodies, 2)
        self.do_gaps(Call("getClosestPoints", (a, b, 30.0), CLOSEST))
        self.do_gaps(Call("getClosestPoints", (a, b, 0.5), CLOSEST))
        named = {"bodyA": a, "bodyB": self.plane, "distance": 20, "linkIndexA": -1}
        self.do_gaps(Call("getClosestPoints", (), CLOSEST, named))

    def query_nothing(self) -> None:
        """What is not there, with PyBullet's answers and errors."""
        d = self.draw
        for call in d.sample(
            [
                Call("getUserData", (987,)), Call("getNumUserData", (self.body(),)),
                Call("getConstraintInfo", (987,)), Call("removeConstraint", (987,)),
                Call("getJointState", (self.arm, 99)), Call("getJointState", (987, 0)),
                Call("getBasePositionAndOrientation", (987,)), Call("getNumJoints", (987,)),
                Call("getContactPoints", (987,)), Call("getBodyInfo", (987,)),
                Call("getClosestPoints", (987, self.plane, 1.0)), Call("getAABB", (987, -1)),
                Call("getLinkState", (self.arm, -1)), Call("getBaseVelocity", (987,)),
                Call("resetBaseVelocity", (987, [0, 0, 0], [0, 0, 0])),
                Call("getConstraintUniqueId", (99,)), Call("getBodyUniqueId", (99,)),
                Call("getUserDataId", (self.arm, "nothing")), Call("isConnected", (7,)),
                Call("getDynamicsInfo", (987, -1)), Call("getVisualShapeData", (987,)),
                Call("getCollisionShapeData", (987, -1)), Call("removeBody", (987,)),
                Call("resetJointState", (self.arm, 99, 0.1)),
                Call("addUserDebugLine", ([0, 0, 0], [1, 1, 1])),
                Call("addUserDebugText", ("text", [0, 0, 1])),
                Call("getKeyboardEvents", ()), Call("getMouseEvents", ()),
                Call("getConnectionInfo", ()), Call("getAPIVersion", ()),
            ],
            4,
        ):  # fmt: skip
            self.do(call)

    # --- settings ------------------------------------------------------------------------------

    def change_rarely(self) -> None:
        """The arguments of changeDynamics that few scripts use, read back."""
        d = self.draw
        body, link = d.choice([(self.arm, self.joint()), (self.body(), -1)])
        choices: list[dict[str, Any]] = [
            {"contactStiffness": d.uniform(1e3, 1e4), "contactDamping": d.uniform(10.0, 100.0)},
            {"ccdSweptSphereRadius": d.uniform(0.0, 0.1)},
            {"contactProcessingThreshold": d.uniform(0.0, 0.1)},
            {"frictionAnchor": d.randrange(2)},
            {"collisionMargin": 0.001},
            {"activationState": pybullet.ACTIVATION_STATE_DISABLE_SLEEPING},
            {"anisotropicFriction": [1.0, 0.5, 0.2]},
        ]
        if link >= 0:
            low = d.uniform(-3.0, -2.0)
            choices += [
                {"jointLowerLimit": low, "jointUpperLimit": -low},
                {"jointLimitForce": d.uniform(10.0, 100.0)},
                {"maxJointVelocity": d.uniform(50.0, 100.0)},
            ]
        self.do(Call("changeDynamics", (body, link), named=d.choice(choices)))
        self.do(Call("getDynamicsInfo", (body, link), 1e-6))

    def set_engine(self) -> None:
        """Parameters of the engine that do not change a body in the air, read back."""
        d = self.draw
        named = d.choice(
            [
                {"erp": 0.2, "contactERP": 0.1, "frictionERP": 0.2},
                {"restitutionVelocityThreshold": d.uniform(0.1, 0.5)},
                {"enableConeFriction": d.randrange(2)},
                {"deterministicOverlappingPairs": d.randrange(2)},
                {"contactSlop": 0.001},
                {"allowedCcdPenetration": 0.01},
                {"enableFileCaching": d.randrange(2)},
                {"solverResidualThreshold": 0.0},
            ]
        )
        self.do(Call("setPhysicsEngineParameter", (), named=named))
        self.do(Call("getPhysicsEngineParameters", ()))

    def push_more(self) -> None:
        """Torques on links and bodies, forces of joints."""
        body, link = self.draw.choice([(self.arm, self.joint()), (self.body(), -1)])
        args = (body, link, list(self.vector(2.0)), pybullet.WORLD_FRAME)
        self.do(Call("applyExternalTorque", args))
        joint = self.joint()
        self.do(Call("setJointMotorControl2", (self.arm, joint, 0), named={"force": 0.0}))
        named = {"force": self.draw.uniform(-5.0, 5.0)}
        args = (self.arm, joint, pybullet.TORQUE_CONTROL)
        self.do(Call("setJointMotorControl2", args, named=named))

    def note_more(self) -> None:
        """Notes on links, and what is told about them."""
        d = self.draw
        link, key = d.randrange(-1, ARM_JOINTS), d.choice(["a", "long key", "\u00e4"])
        named = {"linkIndex": link, "visualShapeIndex": d.choice([-1, 0])}
        number = self.do(Call("addUserData", (self.arm, key, "x" * d.randrange(50)), named=named))
        self.do(Call("getUserDataId", (self.arm, key), named=named))
        self.do(Call("getUserData", (number,)))
        count = self.do(Call("getNumUserData", (self.arm,)))
        self.do(Call("getUserDataInfo", (self.arm, d.randrange(count))))
        self.do(Call("syncUserData", ()))

    # --- computing -----------------------------------------------------------------------------

    def compute_more_ik(self) -> None:
        """Inverse kinematics with an orientation, damping, a null space and two links."""
        d = self.draw
        x, y, z = self.vector(0.2)
        target = [0.4 + x, y, HEIGHT + 0.6 + z]
        down = (0.0, 1.0, 0.0, 0.0)
        named: dict[str, Any] = d.choice(
            [
                {"targetOrientation": down},
                {"jointDamping": [0.1] * ARM_JOINTS},
                {"solver": 0, "maxNumIterations": 50, "residualThreshold": 1e-4},
                {"currentPositions": self.numbers(0.5)},
            ]
        )
        args = (self.arm, 6, target)
        self.do(Call("calculateInverseKinematics", args, 1e-3, named))
        points = [[0.2, 0.1, HEIGHT + 0.5], target]
        self.do(Call("calculateInverseKinematics2", (self.arm, [3, 6], points), 1e-3))

    def compute_rotations(self) -> None:
        """The rarer pure functions."""
        d, a, b = self.draw, self.turn(), self.turn()
        self.do(Call("getEulerFromQuaternion", (a,), FLOAT32))
        self.do(Call("getDifferenceQuaternion", (a, b), FLOAT32))
        self.do(Call("getQuaternionSlerp", (a, b, d.random()), FLOAT32))
        self.do(Call("getQuaternionFromAxisAngle", (self.vector(1.0), d.uniform(-3, 3)), FLOAT32))
        self.do(Call("rotateVector", (a, self.vector(1.0)), FLOAT32))
        self.do(Call("calculateVelocityQuaternion", (a, b, 0.01), FLOAT32))
        self.do(Call("getAxisDifferenceQuaternion", (a, b), FLOAT32))
        eye = [3.0, *self.vector(1.0)[:2]]
        self.do(Call("computeViewMatrix", (eye, [0, 0, 0], [0, 0, 1]), FLOAT32))
        args = (self.vector(1.0), d.uniform(0.5, 5.0), d.uniform(-90, 90), d.uniform(-80, 80), 0, 2)
        self.do(Call("computeViewMatrixFromYawPitchRoll", args, 1e-4))
        self.do(Call("computeProjectionMatrixFOV", (60, 1.5, 0.1, d.uniform(5.0, 50.0)), FLOAT32))

    def compute_with_forms(self) -> None:
        """Arrays, lists and names for what other calls get as tuples."""
        q = np.array(self.numbers(1.0))
        zero = [0] * ARM_JOINTS
        self.do(Call("calculateMassMatrix", (self.arm, list(q)), 1e-5, {"physicsClientId": 0}))
        named = {
            "bodyUniqueId": self.arm, "linkIndex": 6, "localPosition": [0, 0, 0],
            "objPositions": list(q), "objVelocities": zero, "objAccelerations": zero,
        }  # fmt: skip
        self.do(Call("calculateJacobian", (), EXACT, named))
        self.do(Call("getQuaternionFromEuler", (np.array(self.vector(3.0)),)))
        place = np.array([SPACE := sequences.SPACING, 0.0, HEIGHT])
        if not self.constraints:
            turn = np.array(self.turn())
            args = (self.bodies[0], place + 0.0 * SPACE, turn)
            self.do(Call("resetBasePositionAndOrientation", args))
            named = {"objectUniqueId": self.bodies[0], "angularVelocity": list(self.vector(1.0))}
            self.do(Call("resetBaseVelocity", (), EXACT, named))
        self.settled = False

    def many_shapes(self) -> None:
        """A compound shape, and the body made of it."""
        d = self.draw
        sizes = [d.uniform(0.05, 0.2) for _ in range(2)]
        named = {
            "shapeTypes": [pybullet.GEOM_SPHERE, pybullet.GEOM_BOX],
            "radii": sizes,
            "halfExtents": [[0.1, 0.1, 0.1], [sizes[1], 0.1, 0.2]],
            "collisionFramePositions": [[0, 0, 0.1], [0.1, 0, 0]],
        }
        shape = self.do(Call("createCollisionShapeArray", (), named=named))
        if shape >= 0 and len(self.bodies) < 4:
            place = [sequences.SPACING * (len(self.bodies) + 1), 0.0, HEIGHT]
            self.bodies.append(self.do(Call("createMultiBody", (1.5, shape, -1, place))))
            self.do(Call("getDynamicsInfo", (self.bodies[-1], -1), 1e-6))
            self.edits += 1
            self.settled = False

    # --- stepping ------------------------------------------------------------------------------

    def step(self) -> None:
        """`Player.step`, and the bodies with links too."""
        super().step()
        for constraint in self.constraints:
            self.do(Call("getConstraintState", (constraint,), FORCES))
        for chain in self.chains:
            self.do(Call("getBasePositionAndOrientation", (chain,), STEP))
            for joint in self.driven(chain):
                states = [p.getJointState(chain, joint)[:2] for p in SIDES]
                if not sequences.same(states[0], states[1], STEP):
                    call = Call("getJointState", (chain, joint), STEP)
                    raise AssertionError(sequences.Difference(call, *states))
        self._align()

    def _align(self) -> None:
        super()._align()
        for chain in self.chains:
            pose = pybullet.getBasePositionAndOrientation(chain)
            unibody_bullet.resetBasePositionAndOrientation(chain, *pose)
            unibody_bullet.resetBaseVelocity(chain, *pybullet.getBaseVelocity(chain))
            for joint in self.driven(chain):
                unibody_bullet.resetJointState(
                    chain, joint, *pybullet.getJointState(chain, joint)[:2]
                )


MORE: tuple[Callable[[MorePlayer], None], ...] = (
    MorePlayer.read_chain, MorePlayer.move_chain, MorePlayer.load_file,
    MorePlayer.multi_dof, MorePlayer.gear_up,
    MorePlayer.move_pivot, MorePlayer.query_overlaps, MorePlayer.query_gaps,
    MorePlayer.query_nothing, MorePlayer.change_rarely, MorePlayer.set_engine,
    MorePlayer.push_more, MorePlayer.note_more, MorePlayer.compute_more_ik,
    MorePlayer.compute_rotations, MorePlayer.compute_with_forms, MorePlayer.many_shapes,
    MorePlayer.step, MorePlayer.step, MorePlayer.step,
)  # fmt: skip
_PLAIN = tuple(choice for choice in sequences.CHOICES if choice is not Player.step)


def play(draw: random.Random, calls: int = CALLS) -> int:
    """Play one sequence in two clients that are connected; return how many calls were compared.

    Raises:
        AssertionError: Results differ.
    """
    player = MorePlayer(draw)
    while player.compared < calls:
        draw.choice((*MORE, *_PLAIN))(player)
    return player.compared


if __name__ == "__main__":
    sys.exit(sequences.main(sys.argv[1:], play))
