"""PyBullet's API on the unibody engine: ``import unibody.bullet as p``.

Constants and pure functions are here at once; what needs the engine is imported when it is first
used, so that importing this module stays cheap.
"""

from __future__ import annotations

import importlib
from typing import Any

from unibody.bullet.camera_math import *  # noqa: F403 - the module's functions are its interface
from unibody.bullet.constants import *  # noqa: F403
from unibody.bullet.errors import error as error  # noqa: PLC0414
from unibody.bullet.math import *  # noqa: F403

_FUNCTIONS: dict[str, tuple[str, ...]] = {
    "connection": (
        "connect", "disconnect", "isConnected", "getConnectionInfo", "getAPIVersion",
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
    "states": (
        "getNumJoints", "getJointInfo", "getJointState", "getJointStates", "resetJointState",
        "getLinkState", "getLinkStates", "getBasePositionAndOrientation",
        "resetBasePositionAndOrientation", "getBaseVelocity", "resetBaseVelocity",
        "applyExternalForce", "applyExternalTorque",
    ),
    "motors": ("setJointMotorControl2", "setJointMotorControlArray"),
    "dynamics": (
        "changeDynamics", "getDynamicsInfo", "setCollisionFilterGroupMask",
        "setCollisionFilterPair",
    ),
    "constraints": (
        "createConstraint", "changeConstraint", "removeConstraint", "getNumConstraints",
        "getConstraintUniqueId", "getConstraintInfo",
    ),
    "kinematics": (
        "calculateInverseKinematics", "calculateInverseKinematics2", "calculateJacobian",
        "calculateMassMatrix", "calculateInverseDynamics", "computeDofCount",
    ),
    "contacts": ("getContactPoints", "getClosestPoints", "performCollisionDetection"),
    "rays": ("rayTest", "rayTestBatch"),
    "bounds": ("getAABB", "getOverlappingObjects"),
    "snapshots": ("saveState", "restoreState", "removeState"),
    "debug": (
        "configureDebugVisualizer", "resetDebugVisualizerCamera", "getDebugVisualizerCamera",
    ),
}  # fmt: skip
_MODULE_OF = {name: module for module, names in _FUNCTIONS.items() for name in names}


def _absent() -> frozenset[str]:
    from unibody.bullet.absent import absent_names  # noqa: PLC0415

    return absent_names()


def __getattr__(name: str) -> Any:
    """Import a function the first time it is asked for."""
    if name in _MODULE_OF:
        module = importlib.import_module(f"unibody.bullet.{_MODULE_OF[name]}")
        value = getattr(module, name)
    elif name == "__all__":
        value = sorted(
            {key for key in globals() if not key.startswith("_")} | set(_MODULE_OF) | _absent()
        )
    elif not name.startswith("_") and name in _absent():
        from unibody.bullet.absent import absent_function  # noqa: PLC0415

        value = absent_function(name)
    else:
        raise AttributeError(f"module 'unibody.bullet' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """All names of the API."""
    return sorted(set(globals()) | set(_MODULE_OF) | _absent())
