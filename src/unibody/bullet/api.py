"""The functions of the API and the modules they live in.

``unibody.bullet`` imports a module when one of its functions is first asked for.
"""

from __future__ import annotations

FUNCTIONS: dict[str, tuple[str, ...]] = {
    "connection": (
        "connect", "disconnect", "isConnected", "getConnectionInfo", "getAPIVersion",
        "isNumpyEnabled", "syncBodyInfo",
    ),
    "settings": (
        "stepSimulation", "setGravity", "setTimeStep", "setRealTimeSimulation",
        "setDefaultContactERP", "setPhysicsEngineParameter", "getPhysicsEngineParameters",
        "resetSimulation", "setAdditionalSearchPath", "setInternalSimFlags", "setTimeOut",
    ),
    "loading": (
        "loadURDF", "loadSDF", "loadMJCF", "removeBody", "getNumBodies", "getBodyUniqueId",
        "getBodyInfo",
    ),
    "shapes": (
        "createCollisionShape", "createVisualShape", "createMultiBody", "removeCollisionShape",
    ),
    "shape_arrays": ("createCollisionShapeArray", "createVisualShapeArray"),
    "states": (
        "getNumJoints", "getJointInfo", "getJointState", "getJointStates", "resetJointState",
        "getLinkState", "getLinkStates", "getBasePositionAndOrientation",
        "resetBasePositionAndOrientation", "getBaseVelocity", "resetBaseVelocity",
        "applyExternalForce", "applyExternalTorque",
    ),
    "motors": ("setJointMotorControl2", "setJointMotorControlArray"),
    "older_motors": ("setJointMotorControl",),
    "multidof": (
        "getJointStateMultiDof", "getJointStatesMultiDof", "resetJointStateMultiDof",
        "resetJointStatesMultiDof",
    ),
    "user_data": (
        "addUserData", "removeUserData", "getUserDataId", "getUserData", "getNumUserData",
        "getUserDataInfo", "syncUserData",
    ),
    "decomposition": ("vhacd",),
    "joint_sensors": ("enableJointForceTorqueSensor",),
    "multidof_motors": ("setJointMotorControlMultiDof", "setJointMotorControlMultiDofArray"),
    "dynamics": (
        "changeDynamics", "getDynamicsInfo", "setCollisionFilterGroupMask",
        "setCollisionFilterPair",
    ),
    "constraints": (
        "createConstraint", "changeConstraint", "removeConstraint", "getNumConstraints",
        "getConstraintUniqueId", "getConstraintInfo", "getConstraintState",
    ),
    "kinematics": (
        "calculateInverseKinematics", "calculateInverseKinematics2", "calculateJacobian",
        "calculateMassMatrix", "calculateInverseDynamics", "computeDofCount",
    ),
    "contacts": ("getContactPoints", "getClosestPoints", "performCollisionDetection"),
    "rays": ("rayTest", "rayTestBatch"),
    "bounds": ("getAABB", "getOverlappingObjects"),
    "snapshots": ("saveState", "restoreState", "removeState"),
    "saved_bodies": ("saveBullet", "loadBullet"),
    "saved_worlds": ("saveWorld",),
    "mesh_data": ("getMeshData", "resetMeshData", "getTetraMeshData"),
    "scaling": ("unsupportedChangeScaling",),
    "debug": (
        "configureDebugVisualizer", "resetDebugVisualizerCamera", "getDebugVisualizerCamera",
    ),
    "debug_items": (
        "addUserDebugLine", "addUserDebugPoints", "addUserDebugText", "addUserDebugParameter",
        "readUserDebugParameter", "removeUserDebugItem", "removeAllUserDebugItems",
        "removeAllUserParameters", "setDebugObjectColor",
    ),
    "events": ("getKeyboardEvents", "getMouseEvents", "getVREvents"),
    "visuals": ("getVisualShapeData", "changeVisualShape", "resetVisualShapeData"),
    "textures": ("loadTexture", "changeTexture"),
    "plugins": ("loadPlugin", "unloadPlugin", "executePluginCommand"),
    "camera_image": ("getCameraImage", "renderImage"),
    "collision_data": ("getCollisionShapeData",),
    "logging": ("startStateLogging", "stopStateLogging", "submitProfileTiming"),
}  # fmt: skip
MODULE_OF = {name: module for module, names in FUNCTIONS.items() for name in names}
