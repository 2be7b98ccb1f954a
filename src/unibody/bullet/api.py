"""The functions of the API and the modules they live in.

``unibody.bullet`` imports a module when one of its functions is first asked for.
"""

from __future__ import annotations

FUNCTIONS: dict[str, tuple[str, ...]] = {
    "connection.connect": (
        "connect", "disconnect", "isConnected", "getConnectionInfo", "getAPIVersion",
        "isNumpyEnabled", "syncBodyInfo",
    ),
    "worlds.settings": (
        "stepSimulation", "setGravity", "setTimeStep", "setRealTimeSimulation",
        "setDefaultContactERP", "setPhysicsEngineParameter", "getPhysicsEngineParameters",
        "resetSimulation", "setAdditionalSearchPath", "setInternalSimFlags", "setTimeOut",
    ),
    "files.urdf": ("loadURDF",),
    "bodies.loading": (
        "loadSDF", "loadMJCF", "removeBody", "getNumBodies", "getBodyUniqueId",
        "getBodyInfo",
    ),
    "shapes.creation": (
        "createCollisionShape", "createVisualShape", "createMultiBody", "removeCollisionShape",
    ),
    "shapes.arrays": ("createCollisionShapeArray", "createVisualShapeArray"),
    "bodies.states": (
        "getNumJoints", "getJointInfo", "getJointState", "getJointStates", "resetJointState",
        "getLinkState", "getLinkStates", "getBasePositionAndOrientation",
        "resetBasePositionAndOrientation", "getBaseVelocity", "resetBaseVelocity",
        "applyExternalForce", "applyExternalTorque",
    ),
    "joints.motors": ("setJointMotorControl2", "setJointMotorControlArray"),
    "joints.older_motors": ("setJointMotorControl",),
    "joints.multidof": (
        "getJointStateMultiDof", "getJointStatesMultiDof", "resetJointStateMultiDof",
        "resetJointStatesMultiDof",
    ),
    "bodies.user_data": (
        "addUserData", "removeUserData", "getUserDataId", "getUserData", "getNumUserData",
        "getUserDataInfo", "syncUserData",
    ),
    "shapes.decomposition": ("vhacd",),
    "joints.sensors": ("enableJointForceTorqueSensor",),
    "joints.multidof_motors": ("setJointMotorControlMultiDof", "setJointMotorControlMultiDofArray"),
    "bodies.dynamics": (
        "changeDynamics", "getDynamicsInfo", "setCollisionFilterGroupMask",
        "setCollisionFilterPair",
    ),
    "constraints.constraints": (
        "createConstraint", "changeConstraint", "removeConstraint", "getNumConstraints",
        "getConstraintUniqueId", "getConstraintInfo", "getConstraintState",
    ),
    "kinematics.kinematics": (
        "calculateInverseKinematics", "calculateInverseKinematics2", "calculateJacobian",
        "calculateMassMatrix", "calculateInverseDynamics", "computeDofCount",
    ),
    "queries.contacts": ("getContactPoints", "getClosestPoints", "performCollisionDetection"),
    "queries.rays": ("rayTest", "rayTestBatch"),
    "queries.bounds": ("getAABB", "getOverlappingObjects"),
    "worlds.snapshots": ("saveState", "restoreState", "removeState"),
    "worlds.saved_bodies": ("saveBullet", "loadBullet"),
    "worlds.saved_worlds": ("saveWorld",),
    "shapes.mesh_data": ("getMeshData", "resetMeshData", "getTetraMeshData"),
    "soft.loading": ("loadSoftBody",),
    "soft.anchors": ("createSoftBodyAnchor",),
    "shapes.scaling": ("unsupportedChangeScaling",),
    "debug.visualizer": (
        "configureDebugVisualizer", "resetDebugVisualizerCamera", "getDebugVisualizerCamera",
    ),
    "debug.items": (
        "addUserDebugLine", "addUserDebugPoints", "addUserDebugText", "addUserDebugParameter",
        "readUserDebugParameter", "removeUserDebugItem", "removeAllUserDebugItems",
        "removeAllUserParameters", "setDebugObjectColor",
    ),
    "debug.events": ("getKeyboardEvents", "getMouseEvents", "getVREvents"),
    "visuals.looks": ("getVisualShapeData", "changeVisualShape", "resetVisualShapeData"),
    "visuals.textures": ("loadTexture", "changeTexture"),
    "plugins.loading": ("loadPlugin", "unloadPlugin", "executePluginCommand"),
    "cameras.image": ("getCameraImage", "renderImage"),
    "shapes.collision_data": ("getCollisionShapeData",),
    "logs.logging": ("startStateLogging", "stopStateLogging", "submitProfileTiming"),
}  # fmt: skip
MODULE_OF = {name: module for module, names in FUNCTIONS.items() for name in names}
