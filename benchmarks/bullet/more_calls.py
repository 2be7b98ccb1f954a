"""Single calls on an arm, on boxes and on what a world keeps, that scripts make now and then."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.bullet.calls import END_EFFECTOR, FAMILY, repeat
from benchmarks.bullet.calls import arm_on_plane as _arm
from benchmarks.bullet.calls import boxes_on_plane as _boxes
from benchmarks.bullet.registry import Module, Prepared, work

_ARM_JOINTS = tuple(range(7))
_Call = Callable[[Module, int], Callable[[], object]]


def _on(scene: Callable[[Module], int], name: str, title: str, count: int, make: _Call) -> None:
    @work(name, FAMILY, title, "us/call")
    def prepare(p: Module) -> Prepared:
        """A call that is made for one body."""
        return repeat(make(p, scene(p)), count)


def _on_arm(name: str, title: str, make: _Call, count: int = 500) -> None:
    _on(_arm, name, title, count, make)


def _on_box(name: str, title: str, make: _Call, count: int = 500) -> None:
    _on(lambda p: _boxes(p)[7], name, title, count, make)


def _held(p: Module, box: int) -> int:
    zero, pivot = (0.0, 0.0, 0.0), (0.0, 0.1, 1.0)
    held = p.createConstraint(box, -1, -1, -1, p.JOINT_FIXED, zero, zero, pivot)
    p.stepSimulation()
    return held


def _constraint_state(p: Module, box: int) -> Callable[[], object]:
    held = _held(p, box)
    return lambda: p.getConstraintState(held)


def _constraint_info(p: Module, box: int) -> Callable[[], object]:
    held = _held(p, box)
    return lambda: p.getConstraintInfo(held)


def _overlapping(p: Module, box: int) -> Callable[[], object]:
    low, high = p.getAABB(box)
    return lambda: p.getOverlappingObjects(low, high)


def _user_data(p: Module, arm: int) -> Callable[[], object]:
    number = p.addUserData(arm, "name", "value", 3)
    return lambda: p.getUserData(number)


def _user_data_id(p: Module, arm: int) -> Callable[[], object]:
    p.addUserData(arm, "name", "value", 3)
    return lambda: p.getUserDataId(arm, "name", 3)


def _link_states(p: Module, arm: int) -> Callable[[], object]:
    return lambda: p.getLinkStates(arm, _ARM_JOINTS)


def _sensed_joint(p: Module, arm: int) -> Callable[[], object]:
    p.enableJointForceTorqueSensor(arm, END_EFFECTOR)
    p.stepSimulation()
    return lambda: p.getJointState(arm, END_EFFECTOR)


def _multi_reset(p: Module, arm: int) -> Callable[[], object]:
    values = [[0.3 + 0.1 * joint] for joint in _ARM_JOINTS]
    zeros = [[0.0]] * 7
    return lambda: p.resetJointStatesMultiDof(arm, _ARM_JOINTS, values, zeros)


def _multi_motor(p: Module, arm: int) -> Callable[[], object]:
    mode, target, force = p.POSITION_CONTROL, [0.5], [300.0]
    return lambda: p.setJointMotorControlMultiDof(arm, 3, mode, targetPosition=target, force=force)


def _multi_motors(p: Module, arm: int) -> Callable[[], object]:
    mode, targets, forces = p.POSITION_CONTROL, [[0.5]] * 7, [[300.0]] * 7
    return lambda: p.setJointMotorControlMultiDofArray(
        arm, _ARM_JOINTS, mode, targetPositions=targets, forces=forces
    )


def _velocity_motor(p: Module, arm: int) -> Callable[[], object]:
    mode = p.VELOCITY_CONTROL
    return lambda: p.setJointMotorControl2(arm, 3, mode, targetVelocity=0.5, force=30.0)


def _torque_motor(p: Module, arm: int) -> Callable[[], object]:
    mode = p.TORQUE_CONTROL
    return lambda: p.setJointMotorControl2(arm, 3, mode, force=3.0)


def _ik_of_many(p: Module, arm: int) -> Callable[[], object]:
    links, places = [4, END_EFFECTOR], [(0.2, 0.1, 0.6), (0.5, 0.2, 0.6)]
    return lambda: p.calculateInverseKinematics2(arm, links, places)


def _null_space(p: Module, arm: int) -> Callable[[], object]:
    limits = [-2.0] * 7, [2.0] * 7, [4.0] * 7, [0.1 * joint for joint in _ARM_JOINTS]
    return lambda: p.calculateInverseKinematics(
        arm, END_EFFECTOR, (0.5, 0.2, 0.6), None, *limits, maxNumIterations=20
    )


def _state_in_memory(p: Module, arm: int) -> Callable[[], object]:
    def call() -> None:
        state = p.saveState()
        p.restoreState(state)
        p.removeState(state)

    return call


def _restore(p: Module, arm: int) -> Callable[[], object]:
    state = p.saveState()
    return lambda: p.restoreState(state)


def _contacts_of_pair(p: Module, box: int) -> Callable[[], object]:
    return lambda: p.getContactPoints(0, box)


def _contacts_of_links(p: Module, box: int) -> Callable[[], object]:
    return lambda: p.getContactPoints(0, box, -1, -1)


def _no_contacts(p: Module, arm: int) -> Callable[[], object]:
    return lambda: p.getContactPoints(bodyA=arm)


def _all_contacts(p: Module, box: int) -> Callable[[], object]:
    return p.getContactPoints


def _debug_line(p: Module, arm: int) -> Callable[[], object]:
    start, end, color = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (1.0, 0.0, 0.0)
    return lambda: p.addUserDebugLine(start, end, color, 2.0, 0.1)


def _debug_text(p: Module, arm: int) -> Callable[[], object]:
    number = p.addUserDebugText("text", (0.0, 0.0, 1.0))

    def call() -> None:
        p.addUserDebugText("text", (0.0, 0.0, 1.0), replaceItemUniqueId=number)

    return call


def _torque(p: Module, arm: int) -> Callable[[], object]:
    frame, torque = p.LINK_FRAME, (0.1, 0.2, 0.3)
    return lambda: p.applyExternalTorque(arm, END_EFFECTOR, torque, frame)


def _filter_pair(p: Module, arm: int) -> Callable[[], object]:
    return lambda: p.setCollisionFilterPair(0, arm, -1, END_EFFECTOR, 0)


def _damped_joint(p: Module, arm: int) -> Callable[[], object]:
    return lambda: p.changeDynamics(arm, 3, jointDamping=0.3)


def _limited_joint(p: Module, arm: int) -> Callable[[], object]:
    return lambda: p.changeDynamics(arm, 3, jointLowerLimit=-2.0, jointUpperLimit=2.0)


def _massed_link(p: Module, arm: int) -> Callable[[], object]:
    return lambda: p.changeDynamics(arm, 3, mass=2.0)


def _distance_to_ground(p: Module, arm: int) -> Callable[[], object]:
    return lambda: p.getClosestPoints(arm, 0, 2.0)


def _link_to_ground(p: Module, arm: int) -> Callable[[], object]:
    return lambda: p.getClosestPoints(arm, 0, 2.0, linkIndexA=END_EFFECTOR)


def _joint_read(p: Module, arm: int) -> Callable[[], object]:
    return lambda: p.getJointStateMultiDof(arm, 3)


def _joints_read(p: Module, arm: int) -> Callable[[], object]:
    return lambda: p.getJointStatesMultiDof(arm, _ARM_JOINTS)


def _collide(p: Module, box: int) -> Callable[[], object]:
    return p.performCollisionDetection


_on_arm("getLinkStates", "getLinkStates, seven links", _link_states)
_on_arm("getJointState_sensor", "getJointState of a joint with a force sensor", _sensed_joint)
_on_arm("getJointStateMultiDof", "getJointStateMultiDof", _joint_read)
_on_arm("getJointStatesMultiDof", "getJointStatesMultiDof, seven joints", _joints_read)
_on_arm("resetJointStatesMultiDof", "resetJointStatesMultiDof, seven joints", _multi_reset)
_on_arm("setJointMotorControlMultiDof", "setJointMotorControlMultiDof", _multi_motor)
_on_arm("setJointMotorControlMultiDofArray", "the same for seven joints", _multi_motors)
_on_arm("setJointMotorControl2_velocity", "setJointMotorControl2, a velocity", _velocity_motor)
_on_arm("setJointMotorControl2_torque", "setJointMotorControl2, a torque", _torque_motor)
_on_arm("calculateInverseKinematics2", "calculateInverseKinematics2, two links", _ik_of_many, 50)
_on_arm("calculateInverseKinematics_null", "the same with a null space", _null_space, 50)
_on_arm("changeDynamics_mass", "changeDynamics, mass", _massed_link)
_on_arm("changeDynamics_joint", "changeDynamics, damping of a joint", _damped_joint)
_on_arm("changeDynamics_limits", "changeDynamics, limits of a joint", _limited_joint)
_on_arm("applyExternalTorque", "applyExternalTorque", _torque)
_on_arm("saveState", "saveState, restoreState and removeState", _state_in_memory, 100)
_on_arm("restoreState", "restoreState", _restore, 100)
_on_arm(
    "getVisualShapeData", "getVisualShapeData", lambda p, arm: lambda: p.getVisualShapeData(arm)
)
_on_arm(
    "getCollisionShapeData",
    "getCollisionShapeData",
    lambda p, arm: lambda: p.getCollisionShapeData(arm, 3),
)
_on_arm("getUserData", "getUserData", _user_data)
_on_arm("getUserDataId", "getUserDataId", _user_data_id)
_on_arm("getContactPoints_none", "getContactPoints of an arm in the air", _no_contacts)
_on_arm("addUserDebugLine", "addUserDebugLine that ends by itself", _debug_line)
_on_arm("addUserDebugText", "addUserDebugText in place of an earlier one", _debug_text)
_on_arm("setCollisionFilterPair", "setCollisionFilterPair", _filter_pair)
_on_arm(
    "getClosestPoints_arm", "getClosestPoints of an arm and the ground", _distance_to_ground, 50
)
_on_arm("getClosestPoints_link", "getClosestPoints of a link and the ground", _link_to_ground, 50)
_on_arm(
    "getPhysicsEngineParameters",
    "getPhysicsEngineParameters",
    lambda p, arm: p.getPhysicsEngineParameters,
)
_on_arm("getConnectionInfo", "getConnectionInfo", lambda p, arm: p.getConnectionInfo)
_on_box("getConstraintState", "getConstraintState", _constraint_state)
_on_box("getConstraintInfo", "getConstraintInfo", _constraint_info)
_on_box("getOverlappingObjects", "getOverlappingObjects around one of 30 boxes", _overlapping)
_on_box("getContactPoints_pair", "getContactPoints of two bodies", _contacts_of_pair)
_on_box("getContactPoints_links", "getContactPoints of two links", _contacts_of_links)
_on_box("getContactPoints_all", "getContactPoints of 30 boxes", _all_contacts, 50)
_on_box("performCollisionDetection", "performCollisionDetection of 30 boxes", _collide, 50)


def _of_array(name: str, *arguments: Any) -> None:
    arrays = tuple(np.array(value) for value in arguments)

    @work(f"{name}_array", FAMILY, f"{name}, NumPy arguments", "us/call")
    def prepare(p: Module) -> Prepared:
        """A pure function of arrays."""
        function = getattr(p, name)
        return repeat(lambda: function(*arrays))


_of_array("getEulerFromQuaternion", (0.1, 0.2, 0.3, 0.927))
_of_array("getQuaternionFromEuler", (0.1, 0.2, 0.3))
_of_array("getMatrixFromQuaternion", (0.1, 0.2, 0.3, 0.927))
_of_array("multiplyTransforms", *((0.1, 0.2, 0.3), (0.0, 0.0, 0.6, 0.8)) * 2)


def _repeated(name: str, file: str, count: int, options: dict[str, Any]) -> None:
    @work(name, FAMILY, f"loadURDF of {file} and removeBody, {count} and a step", "us/call")
    def prepare(p: Module) -> Prepared:
        """Robots apart from each other; the step is part of the time."""

        def chunk() -> None:
            made = [p.loadURDF(file, (2.0 * k, 0.0, 1.0), **options) for k in range(count)]
            p.stepSimulation()
            for body in made:
                p.removeBody(body)

        return Prepared(chunk, count)


_repeated("loadURDF_r2d2", "r2d2.urdf", 5, {})
_repeated("loadURDF_husky", "husky/husky.urdf", 5, {})
_repeated("loadURDF_panda", "franka_panda/panda.urdf", 5, {"useFixedBase": True})
_repeated("loadURDF_kuka", "kuka_iiwa/model.urdf", 5, {"useFixedBase": True})


@work("reset_and_reload", FAMILY, "resetSimulation, a plane and a panda, and a step", "us/call")
def reset_and_reload(p: Module) -> Prepared:
    """What an environment does that makes its world anew for every episode."""

    def call() -> None:
        p.resetSimulation()
        p.setGravity(0.0, 0.0, -9.81)
        p.loadURDF("plane.urdf")
        p.loadURDF("franka_panda/panda.urdf", useFixedBase=True)
        p.stepSimulation()

    return repeat(call, 2)
