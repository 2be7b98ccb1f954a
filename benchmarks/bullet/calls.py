"""Single calls, with the scene around them stepped before but not in between."""

from __future__ import annotations

import math
from collections.abc import Callable

from benchmarks.bullet.articulated import moving_joints
from benchmarks.bullet.registry import Module, Prepared, work

FAMILY = "Single calls"
CALLS = 1000
END_EFFECTOR = 6


def arm_on_plane(p: Module) -> int:
    """Load a plane and an arm, bent and after a step."""
    p.setGravity(0.0, 0.0, -9.81)
    p.loadURDF("plane.urdf")
    arm = p.loadURDF("kuka_iiwa/model.urdf", useFixedBase=True)
    for joint in moving_joints(p, arm):
        p.resetJointState(arm, joint, 0.3 + 0.1 * joint)
    p.stepSimulation()
    return arm


def boxes_on_plane(p: Module) -> list[int]:
    """Load a plane and thirty boxes that lie on it in a grid."""
    p.setGravity(0.0, 0.0, -9.81)
    p.loadURDF("plane.urdf")
    shape = p.createCollisionShape(p.GEOM_BOX, halfExtents=(0.2, 0.2, 0.2))
    places = [(i - 2.5, j - 2.0, 0.21) for i in range(6) for j in range(5)]
    boxes = [p.createMultiBody(1.0, shape, basePosition=place) for place in places]
    for _ in range(60):
        p.stepSimulation()
    return boxes


def repeat(call: Callable[[], object], count: int = CALLS) -> Prepared:
    """Work that is one call, many times."""

    def chunk() -> None:
        for _ in range(count):
            call()

    return Prepared(chunk, count)


@work("getJointState", FAMILY, "getJointState", "us/call")
def get_joint_state(p: Module) -> Prepared:
    """One joint of an arm."""
    arm = arm_on_plane(p)
    return repeat(lambda: p.getJointState(arm, 3))


@work("getJointStates", FAMILY, "getJointStates, seven joints", "us/call")
def get_joint_states(p: Module) -> Prepared:
    """All joints of an arm."""
    arm = arm_on_plane(p)
    joints = list(range(7))
    return repeat(lambda: p.getJointStates(arm, joints))


@work("getLinkState", FAMILY, "getLinkState", "us/call")
def get_link_state(p: Module) -> Prepared:
    """Pose of the last link, without velocity."""
    arm = arm_on_plane(p)
    return repeat(lambda: p.getLinkState(arm, END_EFFECTOR))


@work("getLinkState_velocity", FAMILY, "getLinkState with velocity and kinematics", "us/call")
def get_link_state_velocity(p: Module) -> Prepared:
    """Pose and velocity of the last link."""
    arm = arm_on_plane(p)
    return repeat(lambda: p.getLinkState(arm, END_EFFECTOR, 1, 1))


@work("getBasePositionAndOrientation", FAMILY, "getBasePositionAndOrientation", "us/call")
def get_base_pose(p: Module) -> Prepared:
    """Pose of a free box among thirty."""
    box = boxes_on_plane(p)[7]
    return repeat(lambda: p.getBasePositionAndOrientation(box))


@work("resetBasePositionAndOrientation", FAMILY, "resetBasePositionAndOrientation", "us/call")
def reset_base_pose(p: Module) -> Prepared:
    """Pose of a free box among thirty."""
    box = boxes_on_plane(p)[7]
    position, orientation = (0.0, 0.0, 1.0), (0.0, 0.0, 0.0, 1.0)
    return repeat(lambda: p.resetBasePositionAndOrientation(box, position, orientation))


@work("resetBase_then_read", FAMILY, "the same, and the pose read back", "us/call")
def reset_base_then_read(p: Module) -> Prepared:
    """A write that cannot be put off."""
    box = boxes_on_plane(p)[7]
    position, orientation = (0.0, 0.0, 1.0), (0.0, 0.0, 0.0, 1.0)

    def call() -> None:
        p.resetBasePositionAndOrientation(box, position, orientation)
        p.getBasePositionAndOrientation(box)

    return repeat(call)


@work("resetJointState", FAMILY, "resetJointState", "us/call")
def reset_joint_state(p: Module) -> Prepared:
    """One joint of an arm."""
    arm = arm_on_plane(p)
    return repeat(lambda: p.resetJointState(arm, 3, 0.5))


@work("setJointMotorControl2", FAMILY, "setJointMotorControl2", "us/call")
def set_motor(p: Module) -> Prepared:
    """A position motor of an arm."""
    arm, mode = arm_on_plane(p), p.POSITION_CONTROL
    return repeat(lambda: p.setJointMotorControl2(arm, 3, mode, targetPosition=0.5, force=300.0))


@work("setJointMotorControlArray", FAMILY, "setJointMotorControlArray, seven joints", "us/call")
def set_motors(p: Module) -> Prepared:
    """All position motors of an arm."""
    arm, mode = arm_on_plane(p), p.POSITION_CONTROL
    joints, targets, forces = list(range(7)), [0.5] * 7, [300.0] * 7
    return repeat(
        lambda: p.setJointMotorControlArray(
            arm, joints, mode, targetPositions=targets, forces=forces
        )
    )


@work("calculateInverseKinematics", FAMILY, "calculateInverseKinematics, position", "us/call")
def inverse_kinematics(p: Module) -> Prepared:
    """Targets on a circle in reach of an arm, each from the same start."""
    arm = arm_on_plane(p)
    angles = [2.0 * math.pi * k / 50 for k in range(50)]
    targets = [(0.5, 0.3 * math.sin(a), 0.6 + 0.2 * math.cos(a)) for a in angles]

    def chunk() -> None:
        for target in targets:
            p.calculateInverseKinematics(arm, END_EFFECTOR, target)

    return Prepared(chunk, len(targets))


@work("calculateInverseKinematics_pose", FAMILY, "the same with an orientation", "us/call")
def inverse_kinematics_pose(p: Module) -> Prepared:
    """Targets on a circle, the hand pointing down."""
    arm = arm_on_plane(p)
    angles = [2.0 * math.pi * k / 50 for k in range(50)]
    targets = [(0.5, 0.3 * math.sin(a), 0.6 + 0.2 * math.cos(a)) for a in angles]
    down = p.getQuaternionFromEuler((0.0, math.pi, 0.0))

    def chunk() -> None:
        for target in targets:
            p.calculateInverseKinematics(arm, END_EFFECTOR, target, down)

    return Prepared(chunk, len(targets))


@work("calculateJacobian", FAMILY, "calculateJacobian", "us/call")
def jacobian(p: Module) -> Prepared:
    """Of the last link of an arm."""
    arm = arm_on_plane(p)
    positions, zero = [0.3 + 0.1 * j for j in range(7)], [0.0] * 7
    return repeat(
        lambda: p.calculateJacobian(arm, END_EFFECTOR, (0.0, 0.0, 0.0), positions, zero, zero)
    )


@work("calculateInverseDynamics", FAMILY, "calculateInverseDynamics", "us/call")
def inverse_dynamics(p: Module) -> Prepared:
    """Of an arm."""
    arm = arm_on_plane(p)
    positions, zero = [0.3 + 0.1 * j for j in range(7)], [0.0] * 7
    return repeat(lambda: p.calculateInverseDynamics(arm, positions, zero, zero))


@work("rayTestBatch", FAMILY, "rayTestBatch, 1000 rays among 30 boxes", "us/ray")
def ray_batch(p: Module) -> Prepared:
    """A fan of level rays; about half of them hit."""
    boxes_on_plane(p)
    count = 1000
    directions = [2.0 * math.pi * k / count for k in range(count)]
    starts = [(0.0, 0.0, 0.2)] * count
    ends = [(10.0 * math.cos(a), 10.0 * math.sin(a), 0.2) for a in directions]
    return Prepared(lambda: p.rayTestBatch(starts, ends), count)


@work("rayTest", FAMILY, "rayTest among 30 boxes", "us/call")
def ray(p: Module) -> Prepared:
    """One ray that hits."""
    boxes_on_plane(p)
    start, end = (0.0, 0.0, 5.0), (0.4, 0.3, -1.0)
    return repeat(lambda: p.rayTest(start, end), 200)


@work("getContactPoints", FAMILY, "getContactPoints of one of 30 boxes", "us/call")
def contact_points(p: Module) -> Prepared:
    """Four points with the ground."""
    box = boxes_on_plane(p)[7]
    prepared = repeat(lambda: p.getContactPoints(bodyA=box))
    return Prepared(prepared.chunk, prepared.units, counts_contacts=True)


@work("getAABB", FAMILY, "getAABB", "us/call")
def aabb(p: Module) -> Prepared:
    """Bounds of a box among thirty."""
    box = boxes_on_plane(p)[7]
    return repeat(lambda: p.getAABB(box))


@work("calculateMassMatrix", FAMILY, "calculateMassMatrix", "us/call")
def mass_matrix(p: Module) -> Prepared:
    """Of an arm."""
    arm = arm_on_plane(p)
    positions = [0.3 + 0.1 * j for j in range(7)]
    return repeat(lambda: p.calculateMassMatrix(arm, positions))


@work("getNumJoints", FAMILY, "getNumJoints", "us/call")
def joint_count(p: Module) -> Prepared:
    """Of an arm."""
    arm = arm_on_plane(p)
    return repeat(lambda: p.getNumJoints(arm))


@work("getJointInfo", FAMILY, "getJointInfo", "us/call")
def joint_info(p: Module) -> Prepared:
    """One joint of an arm."""
    arm = arm_on_plane(p)
    return repeat(lambda: p.getJointInfo(arm, 3))


@work("getBodyInfo", FAMILY, "getBodyInfo", "us/call")
def body_info(p: Module) -> Prepared:
    """Of an arm."""
    arm = arm_on_plane(p)
    return repeat(lambda: p.getBodyInfo(arm))


@work("getDynamicsInfo", FAMILY, "getDynamicsInfo", "us/call")
def dynamics_info(p: Module) -> Prepared:
    """One link of an arm."""
    arm = arm_on_plane(p)
    return repeat(lambda: p.getDynamicsInfo(arm, 3))


@work("changeDynamics", FAMILY, "changeDynamics, lateral friction", "us/call")
def change_dynamics(p: Module) -> Prepared:
    """One link of an arm."""
    arm = arm_on_plane(p)
    return repeat(lambda: p.changeDynamics(arm, 3, lateralFriction=0.7))


@work("changeDynamics_damping", FAMILY, "changeDynamics, dampings", "us/call")
def change_damping(p: Module) -> Prepared:
    """The base of an arm."""
    arm = arm_on_plane(p)
    return repeat(lambda: p.changeDynamics(arm, -1, linearDamping=0.0, angularDamping=0.0))


@work("getBaseVelocity", FAMILY, "getBaseVelocity", "us/call")
def base_velocity(p: Module) -> Prepared:
    """Of a free box among thirty."""
    box = boxes_on_plane(p)[7]
    return repeat(lambda: p.getBaseVelocity(box))


@work("resetBaseVelocity", FAMILY, "resetBaseVelocity", "us/call")
def reset_base_velocity(p: Module) -> Prepared:
    """Of a free box among thirty."""
    box = boxes_on_plane(p)[7]
    linear, angular = (0.1, 0.2, 0.3), (0.0, 0.1, 0.0)
    return repeat(lambda: p.resetBaseVelocity(box, linear, angular))


@work("applyExternalForce", FAMILY, "applyExternalForce", "us/call")
def external_force(p: Module) -> Prepared:
    """To the last link of an arm."""
    arm, frame = arm_on_plane(p), p.LINK_FRAME
    force, place = (1.0, 2.0, 3.0), (0.0, 0.0, 0.1)
    return repeat(lambda: p.applyExternalForce(arm, END_EFFECTOR, force, place, frame))


@work("getClosestPoints", FAMILY, "getClosestPoints of two of 30 boxes", "us/call")
def closest_points(p: Module) -> Prepared:
    """Neighbours."""
    boxes = boxes_on_plane(p)
    return repeat(lambda: p.getClosestPoints(boxes[7], boxes[8], 2.0), 200)


@work("changeVisualShape", FAMILY, "changeVisualShape, colour", "us/call")
def change_visual_shape(p: Module) -> Prepared:
    """One link of an arm."""
    arm, color = arm_on_plane(p), (1.0, 0.0, 0.0, 1.0)
    return repeat(lambda: p.changeVisualShape(arm, 3, rgbaColor=color), 200)


@work("changeConstraint", FAMILY, "changeConstraint, pivot", "us/call")
def change_constraint(p: Module) -> Prepared:
    """A free box among thirty, held at a point."""
    box = boxes_on_plane(p)[7]
    zero, pivot = (0.0, 0.0, 0.0), (0.0, 0.1, 1.0)
    held = p.createConstraint(box, -1, -1, -1, p.JOINT_FIXED, zero, zero, pivot)
    p.stepSimulation()
    return repeat(lambda: p.changeConstraint(held, pivot, maxForce=50.0))
