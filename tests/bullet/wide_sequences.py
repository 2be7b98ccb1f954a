"""Still more calls for random sequences: trees of joints of all types, frames, options, clients.

``python -m tests.bullet.wide_sequences 500`` plays as `sequences` does, with these calls as well.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from typing import Any

import pybullet

import unibody.bullet as unibody_bullet
from tests.bullet import sequences
from tests.bullet.more_sequences import FLOAT32, FORCES, MORE, MorePlayer
from tests.bullet.sequences import (
    ARM_JOINTS,
    BOX,
    CALLS,
    CHOICES,
    CLOSEST,
    FRAME,
    HEIGHT,
    RAY,
    SIDES,
    STEP,
    Call,
)

_BEHIND = 12.0  # m: where the trees are, beside the arm
_TREE = 4  # links
# Bullet moves the corners of hulls to a grid.
HULL = 1e-4
_FLAGS = (
    "URDF_USE_INERTIA_FROM_FILE", "URDF_USE_SELF_COLLISION", "URDF_MAINTAIN_LINK_ORDER",
    "URDF_MERGE_FIXED_LINKS", "URDF_IGNORE_VISUAL_SHAPES", "URDF_IGNORE_COLLISION_SHAPES",
    "URDF_USE_IMPLICIT_CYLINDER", "URDF_USE_MATERIAL_COLORS_FROM_MTL",
    "URDF_INITIALIZE_SAT_FEATURES", "URDF_ENABLE_SLEEPING", "URDF_GLOBAL_VELOCITIES_MB",
    "URDF_ENABLE_CACHED_GRAPHICS_SHAPES", "URDF_USE_SELF_COLLISION_EXCLUDE_PARENT",
    "URDF_USE_SELF_COLLISION_EXCLUDE_ALL_PARENTS", "URDF_PRINT_URDF_INFO",
)  # fmt: skip
_FILES = (
    "r2d2.urdf", "cartpole.urdf", "cube.urdf", "sphere2.urdf", "kuka_iiwa/model.urdf",
    "husky/husky.urdf", "a1/a1.urdf", "franka_panda/panda.urdf", "racecar/racecar.urdf",
    "lego/lego.urdf", "quadruped/minitaur.urdf",
)  # fmt: skip


def _extent(mesh: Any) -> Any:
    """Of a mesh what does not depend on the order of its vertices."""
    count, corners = mesh
    return count, [(min(x), max(x), sum(x)) for x in zip(*corners, strict=True)]


class WidePlayer(MorePlayer):
    """`MorePlayer` with trees of joints of all types, and with options of the rarer calls."""

    def __init__(self, draw: random.Random) -> None:
        self.trees: list[int] = []
        self.tree_kinds: dict[int, list[int]] = {}
        super().__init__(draw)

    # --- trees ---------------------------------------------------------------------------------

    def add_tree(self) -> None:
        """A body whose joints are of all types, spherical and planar ones among them."""
        d = self.draw
        kinds = [d.choice([0, 1, 2, 2, 4]) for _ in range(_TREE)]
        shape = self.do(Call("createCollisionShape", (2,), named={"radius": 0.1}))
        place = (_BEHIND, -12.0 * (len(self.trees) + 1), HEIGHT)
        named = {
            "baseMass": d.choice([0.0, 2.0]),
            "baseCollisionShapeIndex": shape,
            "basePosition": place,
            "baseOrientation": self.turn(),
            "baseInertialFramePosition": self.vector(0.1),
            "linkMasses": [d.uniform(0.5, 2.0) for _ in kinds],
            "linkCollisionShapeIndices": [shape] * _TREE,
            "linkVisualShapeIndices": [-1] * _TREE,
            "linkPositions": [self.vector(0.5) for _ in kinds],
            "linkOrientations": [self.turn() for _ in kinds],
            "linkInertialFramePositions": [self.vector(0.1) for _ in kinds],
            "linkInertialFrameOrientations": [self.turn() for _ in kinds],
            "linkParentIndices": [d.randrange(k + 1) for k in range(_TREE)],
            "linkJointTypes": kinds,
            "linkJointAxis": [d.choice([(1, 0, 0), (0, 1, 0), (0, 0, 1)]) for _ in kinds],
        }
        tree = self.do(Call("createMultiBody", (), named=named))
        self.trees.append(tree)
        self.tree_kinds[tree] = [pybullet.getJointInfo(tree, j)[2] for j in range(_TREE)]
        for joint in range(-1, _TREE):
            own, whole = {"jointDamping": 0.0}, {"linearDamping": 0, "angularDamping": 0}
            named = own if joint >= 0 else whole
            self.do(Call("changeDynamics", (tree, joint), named=named))
        self.edits += 1
        self.settled = False

    def read_tree(self) -> None:
        """All that is told about a tree."""
        if not self.trees:
            self.add_tree()
        tree, joint = self.draw.choice(self.trees), self.draw.randrange(_TREE)
        self.do(Call("getJointInfo", (tree, joint), 1e-6))
        self.do_parts(Call("getJointStateMultiDof", (tree, joint), FRAME), lambda s: s[:2])
        call = Call("getJointStatesMultiDof", (tree, list(range(_TREE))), FRAME)
        self.do_parts(call, lambda states: [s[:2] for s in states])
        self.do(Call("getLinkState", (tree, joint, 1, 1), FRAME))
        self.do(Call("getLinkStates", (tree, list(range(_TREE)), 1, 1), FRAME))
        self.do(Call("getDynamicsInfo", (tree, joint), FLOAT32))
        if self.settled:
            self.do(Call("getAABB", (tree, joint), BOX))
        self.do(Call("computeDofCount", (tree,)))
        self.do(Call("getNumJoints", (tree,)))

    def move_tree(self) -> None:
        """Put a joint of any type somewhere, and its motor to work."""
        if not self.trees:
            self.add_tree()
        d, tree = self.draw, self.draw.choice(self.trees)
        joint = d.randrange(_TREE)
        kind = self.tree_kinds[tree][joint]
        if kind == 2:
            args = (tree, joint, self.turn(), self.vector(1.0))
            self.do(Call("resetJointStateMultiDof", args))
            if d.random() < 0.3:
                named = {
                    "targetPosition": self.turn(),
                    "positionGain": 0.1,
                    "velocityGain": 1.0,
                    "force": [5.0, 5.0, 5.0],
                }
                args = (tree, joint, pybullet.POSITION_CONTROL)
                self.do(Call("setJointMotorControlMultiDof", args, named=named))
        elif kind in (0, 1):
            value, speed = d.uniform(-0.5, 0.5), d.uniform(-0.5, 0.5)
            call = d.choice(
                [
                    Call("resetJointState", (tree, joint, value, speed)),
                    Call("resetJointStateMultiDof", (tree, joint, [value], [speed])),
                ]
            )
            self.do(call)
            named = d.choice(
                [
                    {
                        "controlMode": 2,
                        "targetPosition": d.uniform(-1, 1),
                        "force": 5.0,
                        "positionGain": 0.1,
                        "velocityGain": d.uniform(0.1, 1.0),
                        "maxVelocity": 3.0,
                    },
                    {"controlMode": 0, "targetVelocity": d.uniform(-1, 1), "force": 3.0},
                    {"controlMode": 0, "force": 0.0},
                ]
            )
            self.do(Call("setJointMotorControl2", (tree, joint), named=named))
        else:
            self.do(Call("resetJointState", (tree, joint, 0.3)))
        self.settled = False

    def push_tree(self) -> None:
        """Forces and torques on links, in both frames."""
        if not self.trees:
            return
        tree, link = self.draw.choice(self.trees), self.draw.randrange(-1, _TREE)
        frame = self.draw.choice([1, 2])
        self.do(Call("applyExternalTorque", (tree, link, self.vector(1.0), frame)))
        self.do(Call("applyExternalForce", (tree, link, self.vector(1.0), (0, 0, 0), 1)))

    def compute_of_chain(self) -> None:
        """Jacobian, mass matrix and inverse dynamics of a made body, with a free base at times."""
        chain = self.chain()
        dofs = len(self.driven(chain))
        q = [self.draw.uniform(-0.5, 0.5) for _ in range(dofs)]
        zero = [0.0] * dofs
        args = (chain, self.draw.randrange(3), self.vector(0.1), q, zero, zero)
        self.do(Call("calculateJacobian", args, FLOAT32))
        self.do(Call("calculateMassMatrix", (chain, q), FLOAT32))
        if dofs and pybullet.getDynamicsInfo(chain, -1)[0] == 0.0:
            self.do(Call("calculateInverseDynamics", (chain, q, q, zero), FLOAT32))

    # --- bodies --------------------------------------------------------------------------------

    def load_with_flags(self) -> None:
        """Files with any flags, scales and placings."""
        d = self.draw
        flags = 0
        for name in d.sample(_FLAGS, d.randrange(4)):
            flags |= getattr(pybullet, name)
        file = d.choice(_FILES)
        named = {
            "basePosition": (0.0, 60.0, 30.0), "baseOrientation": self.turn(), "flags": flags,
            "useFixedBase": d.choice([0, 1, True, False]),
            "globalScaling": d.choice([1, 1.0, 0.5, 2]),
        }  # fmt: skip
        body = self.do(Call("loadURDF", (file,), named=named))
        self.do(Call("getBodyInfo", (body,)))
        self.do(Call("getBasePositionAndOrientation", (body,), 1e-5))
        count = self.do(Call("getNumJoints", (body,)))
        for joint in range(-1, count):
            if joint >= 0:
                self.do(Call("getJointInfo", (body, joint), FLOAT32))
                self.do(Call("getLinkState", (body, joint, 0, 1), FLOAT32))
            if pybullet.getDynamicsInfo(body, joint)[0] > 0.0:  # inertia without mass is not used
                self.do(Call("getDynamicsInfo", (body, joint), FLOAT32))
            call = Call("getCollisionShapeData", (body, joint), FLOAT32)
            self.do_parts(call, lambda rows: [row[2:4] for row in rows])
        call = Call("getVisualShapeData", (body,), FLOAT32)  # file names are written otherwise
        self.do_parts(call, lambda rows: [row[:4] + row[5:8] for row in rows])
        self.do(Call("removeBody", (body,)))
        self.do(Call("getNumBodies", ()))
        self.edits += 1

    def make_batch(self) -> None:
        """Many bodies at once."""
        d = self.draw
        shape = self.do(Call("createCollisionShape", (2,), named={"radius": 0.1}))
        places = [(60.0 + 3 * k, 0.0, 20.0) for k in range(d.randrange(1, 4))]
        named = {"baseMass": 1.0, "baseCollisionShapeIndex": shape, "batchPositions": places}
        if d.random() < 0.5:
            named["basePosition"] = (1.0, 2.0, 3.0)
        made = self.do(Call("createMultiBody", (), named=named))
        for body in made:
            self.do(Call("getBasePositionAndOrientation", (body,), 1e-6))
            self.do(Call("getDynamicsInfo", (body, -1), 1e-6))
        for body in reversed(made):  # PyBullet takes the ids of a batch for consecutive ones
            self.do(Call("removeBody", (body,)))
        self.do(Call("removeCollisionShape", (shape,)))
        self.edits += 1

    def join(self) -> None:
        """Two free bodies by a constraint with frames, for a few steps."""
        d = self.draw
        if self.constraints or len(self.bodies) < 2:
            return
        a, b = d.sample(self.bodies, 2)
        (pa, qa), (pb, qb) = (pybullet.getBasePositionAndOrientation(x) for x in (a, b))
        world = tuple((x + y) / 2 for x, y in zip(pa, pb, strict=True)), self.turn()
        fa, fb = (
            pybullet.multiplyTransforms(*pybullet.invertTransform(p, q), *world)
            for p, q in ((pa, qa), (pb, qb))
        )
        kind = d.choice([4, 5, 1])
        args = (a, -1, b, -1, kind, d.choice([(1, 0, 0), (0, 0, 1)]), fa[0], fb[0], fa[1], fb[1])
        made = self.do(Call("createConstraint", args))
        self.read_constraint(made)
        self.do(Call("changeConstraint", (made,), named={"maxForce": d.uniform(20.0, 200.0)}))
        self._align()
        for _ in range(2):
            self.do(Call("stepSimulation", ()))
            self._compare_bodies(5 * STEP)
            self.do(Call("getConstraintState", (made,), 5 * FORCES))
            self._align()
        self.do(Call("removeConstraint", (made,)))

    def _compare_bodies(self, tolerance: float) -> None:
        for body in self.bodies:
            self.do(Call("getBasePositionAndOrientation", (body,), tolerance))
            self.do(Call("getBaseVelocity", (body,), tolerance))

    def look(self) -> None:
        """Textures and glosses."""
        d, body = self.draw, self.body()
        named: dict[str, Any] = d.choice(
            [
                {"specularColor": [d.random() for _ in range(3)]},
                {"textureUniqueId": d.choice([-1, 0, 5])},
                {"rgbaColor": [d.random() for _ in range(4)], "specularColor": (1, 1, 1)},
                {"flags": pybullet.VISUAL_SHAPE_DOUBLE_SIDED},
                {"shapeIndex": d.choice([0, -1]), "rgbaColor": [1, 0, 0, 1]},
            ]
        )
        self.do(Call("changeVisualShape", (body, -1), named=named))
        # whose last number PyBullet leaves as it was where there is no window
        call = Call("getVisualShapeData", (body, 1), 1e-6)
        self.do_parts(call, lambda rows: [row[:-1] for row in rows])

    def start_again(self) -> None:
        """Reset the world, and make the same again."""
        if self.draw.random() < 0.2:
            self.do(Call("resetSimulation", ()))
            self.do(Call("getNumBodies", ()))
            self.do(Call("getNumConstraints", ()))
            self.do(Call("getPhysicsEngineParameters", ()))
            made_before, compared_before = self.history, self.compared
            again = WidePlayer(self.draw)
            self.__dict__.update(again.__dict__)
            self.history = made_before + again.history
            self.compared += compared_before

    def other_client(self) -> None:
        """A second client with a body of its own, and gone again."""
        d = self.draw
        ids = [p.connect(p.DIRECT) for p in SIDES]
        assert ids[0] == ids[1]
        other = {"physicsClientId": ids[0]}
        try:
            shape = self.do(Call("createCollisionShape", (2,), named={"radius": 0.3, **other}))
            body = self.do(Call("createMultiBody", (1.0, shape, -1, (0, 0, 5)), named=other))
            self.do(Call("setGravity", (0, 0, d.uniform(-10, 0)), named=other))
            for _ in range(3):
                self.do(Call("stepSimulation", (), named=other))
            self.do(Call("getBasePositionAndOrientation", (body,), 1e-5, other))
            self.do(Call("getBaseVelocity", (body,), 1e-5, other))
            self.do(Call("getNumBodies", (), named=other))
            self.do(Call("getNumBodies", ()))
            self.do(Call("getConnectionInfo", (), named=other))
        finally:
            for p in SIDES:
                p.disconnect(ids[0])
        self.do(Call("isConnected", (ids[0],)))
        self.do(Call("getNumBodies", (), named=other))

    # --- queries -------------------------------------------------------------------------------

    def read_mesh(self) -> None:
        """The mesh of a loaded body."""
        file = self.draw.choice(["duck_vhacd.urdf", "cube.urdf"])
        body = self.do(Call("loadURDF", (file, (0, 70, 9))))
        for call in (
            Call("getMeshData", (body, -1), HULL),
            Call("getMeshData", (body,), HULL, {"flags": pybullet.MESH_DATA_SIMULATION_MESH}),
            Call("getMeshData", (self.body(), -1), FLOAT32),
        ):
            self.do_parts(call, _extent)
        self.do(Call("removeBody", (body,)))
        self.edits += 1

    def gaps_of_shapes(self) -> None:
        """Closest points of shapes that are no bodies."""
        d = self.draw
        size = d.uniform(0.1, 0.3)
        a = self.do(Call("createCollisionShape", (2,), named={"radius": size}))
        b = self.do(Call("createCollisionShape", (3,), named={"halfExtents": [size, 0.1, 0.2]}))
        named: dict[str, Any] = {
            "bodyA": -1, "bodyB": -1, "distance": 10.0, "collisionShapeA": a, "collisionShapeB": b,
            "collisionShapePositionA": (0.0, 0.0, 90.0),
            "collisionShapePositionB": (d.uniform(0.5, 1.0), 0.2, 90.1),
            "collisionShapeOrientationA": self.turn(), "collisionShapeOrientationB": self.turn(),
        }  # fmt: skip
        self.do_gaps(Call("getClosestPoints", (), CLOSEST, named))
        if self.settled:
            named = {
                "bodyA": self.body(),
                "bodyB": -1,
                "distance": 100.0,
                "collisionShapeB": b,
                "collisionShapePositionB": (0, 1, HEIGHT + 5),
            }
            self.do_gaps(Call("getClosestPoints", (), CLOSEST, named))
        self.do(Call("removeCollisionShape", (a,)))
        self.do(Call("removeCollisionShape", (b,)))

    def ray_options(self) -> None:
        """Rays with masks, threads, parents."""
        if not self.settled:
            return
        d = self.draw
        body = self.body()
        place = pybullet.getBasePositionAndOrientation(body)[0]
        x, y, z = place
        start, end = (x + 0.01, y, z + 3.0), (x + 0.02, y + 0.01, z - 3.0)
        if not self._is_even([start], [end]):
            return
        named = d.choice(
            [
                {"numThreads": d.randrange(3)},
                {"collisionFilterMask": d.choice([-1, 1, 2, 0])},
                {"reportHitNumber": 0},
                {"fractionEpsilon": 0.1, "reportHitNumber": 0},
            ]
        )
        self.do(Call("rayTestBatch", ([start], [end]), RAY, named))
        self.do(Call("rayTest", (start, end), RAY, {"collisionFilterMask": d.choice([1, 2, -1])}))

    def detect(self) -> None:
        """Collision detection without a step."""
        self.do(Call("performCollisionDetection", ()))
        self.settled = True
        self.query_boxes()
        self.query_rays()
        self.do(Call("getContactPoints", (self.body(), self.plane)))

    def all_of_ik(self) -> None:
        """Inverse kinematics with any options."""
        d = self.draw
        x, y, z = self.vector(0.2)
        args = (self.arm, d.choice([4, 6]), [0.4 + x, y, HEIGHT + 0.6 + z])
        named: dict[str, Any] = {}
        if d.random() < 0.5:
            named["targetOrientation"] = self.turn()
        if d.random() < 0.4:
            named.update(
                lowerLimits=[-2.0] * 7,
                upperLimits=[2.0] * 7,
                jointRanges=[4.0] * 7,
                restPoses=self.numbers(0.3),
            )
        if d.random() < 0.4:
            named["jointDamping"] = [d.uniform(0.01, 0.2)] * 7
        if d.random() < 0.5:
            named["maxNumIterations"] = d.choice([1, 5, 20])
        if d.random() < 0.5:
            named["residualThreshold"] = d.choice([1e-3, 1e-5])
        if d.random() < 0.3:
            named["currentPositions"] = self.numbers(0.5)
        if d.random() < 0.2:
            named["solver"] = 0
        self.do(Call("calculateInverseKinematics", args, 2e-3, named))

    def more_motors(self) -> None:
        """Motor arrays by torque and velocity, with gains."""
        d = self.draw
        joints = sorted(d.sample(range(ARM_JOINTS), 3))
        named = d.choice(
            [
                {
                    "controlMode": 2,
                    "targetPositions": [0.1] * 3,
                    "targetVelocities": [0.1] * 3,
                    "forces": [50.0] * 3,
                    "positionGains": [0.03] * 3,
                    "velocityGains": [d.uniform(0.2, 1.0)] * 3,
                },
                {"controlMode": 0, "targetVelocities": [0.2] * 3, "forces": [50.0] * 3},
                {"controlMode": 0, "forces": [0.0] * 3},
            ]
        )
        self.do(Call("setJointMotorControlArray", (self.arm, joints), named=named))
        if named["forces"][0] == 0.0:
            named = {"controlMode": 1, "forces": [d.uniform(-3, 3) for _ in joints]}
            self.do(Call("setJointMotorControlArray", (self.arm, joints), named=named))

    def substeps(self) -> None:
        """Other numbers of substeps, for one step."""
        named = {"numSubSteps": self.draw.choice([0, 1, 2, 4])}
        self.do(Call("setPhysicsEngineParameter", (), named=named))
        self.do(Call("getPhysicsEngineParameters", ()))

    # --- stepping ------------------------------------------------------------------------------

    def step(self) -> None:
        """`MorePlayer.step`, and the trees too."""
        super().step()
        for tree in self.trees:
            self.do(Call("getBasePositionAndOrientation", (tree,), STEP))
            call = Call("getJointStatesMultiDof", (tree, list(range(_TREE))), STEP)
            self.do_parts(call, lambda states: [s[:2] for s in states])
        self._align()

    def _align(self) -> None:
        super()._align()
        for tree in self.trees:
            pose = pybullet.getBasePositionAndOrientation(tree)
            unibody_bullet.resetBasePositionAndOrientation(tree, *pose)
            unibody_bullet.resetBaseVelocity(tree, *pybullet.getBaseVelocity(tree))
            for joint, kind in enumerate(self.tree_kinds[tree]):
                state = pybullet.getJointStateMultiDof(tree, joint)
                if kind in (0, 1, 2):
                    unibody_bullet.resetJointStateMultiDof(tree, joint, *state[:2])


WIDE: tuple[Callable[[WidePlayer], None], ...] = (
    WidePlayer.read_tree, WidePlayer.move_tree, WidePlayer.push_tree, WidePlayer.compute_of_chain,
    WidePlayer.load_with_flags, WidePlayer.make_batch, WidePlayer.join, WidePlayer.look,
    WidePlayer.start_again, WidePlayer.other_client, WidePlayer.read_mesh,
    WidePlayer.gaps_of_shapes, WidePlayer.ray_options, WidePlayer.detect, WidePlayer.all_of_ik,
    WidePlayer.more_motors, WidePlayer.substeps,
    WidePlayer.step, WidePlayer.step, WidePlayer.step,
)  # fmt: skip
_PLAIN = tuple(choice for choice in (*MORE, *CHOICES) if choice.__name__ != "step")


def play(draw: random.Random, calls: int = CALLS) -> int:
    """Play one sequence in two clients that are connected; return how many calls were compared.

    Raises:
        AssertionError: Results differ.
    """
    player = WidePlayer(draw)
    wide = (*WIDE, *WIDE, *_PLAIN)
    while player.compared < calls:
        draw.choice(wide)(player)
    return player.compared


if __name__ == "__main__":
    sys.exit(sequences.main(sys.argv[1:], play))
