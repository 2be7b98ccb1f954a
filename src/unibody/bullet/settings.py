"""World settings: time step, gravity, engine parameters, stepping, reset."""

from __future__ import annotations

import math
import os
from typing import Any

from unibody.bullet import constants as c
from unibody.bullet.client import LIMIT_DEPTH, Client, get_client, step_by_clock
from unibody.bullet.errors import error
from unibody.errors import NotSupportedError
from unibody.notices import tell


def stepSimulation(physicsClientId: int = 0) -> None:
    """Advance the world by one time step; applied forces and torques act for this step.

    Raises:
        error: Not connected.
    """
    get_client(physicsClientId).step()


def setGravity(gravX: float, gravY: float, gravZ: float, physicsClientId: int = 0) -> None:
    """Set the gravitational acceleration [m/s^2], world frame."""
    client = get_client(physicsClientId)
    client.scene.options.gravity = (float(gravX), float(gravY), float(gravZ))
    client.scene.apply_options()


def setTimeStep(timeStep: float, physicsClientId: int = 0) -> None:
    """Set the time step of stepSimulation [s]."""
    client = get_client(physicsClientId)
    _set_time_step(client, timeStep)


def _set_time_step(client: Client, value: float) -> None:
    if not value > 0.0:
        raise error(f"timeStep={value!r} is not allowed: expected a positive number of seconds")
    client.parameters.fixedTimeStep = float(value)
    client.apply_time_step()


def setRealTimeSimulation(enableRealTimeSimulation: int, physicsClientId: int = 0) -> None:
    """Let the world follow the clock, or stop doing so.

    As in PyBullet this concerns windowed clients: a ``DIRECT`` world only moves when it is
    stepped. The world catches up with the clock at every call that reaches it, by half a second
    at most.
    """
    client = get_client(physicsClientId)
    if client.method == c.DIRECT:
        client.parameters.useRealTimeSimulation = int(bool(enableRealTimeSimulation))
    else:
        step_by_clock(client, bool(enableRealTimeSimulation))


def setDefaultContactERP(defaultContactERP: float, physicsClientId: int = 0) -> None:
    """Set the share of a penetration that one step removes."""
    client = get_client(physicsClientId)
    client.scene.options.contact_erp = float(defaultContactERP)
    client.scene.apply_options()


FILTER_BOTH = 0  # collisionFilterMode: groups and masks have to meet both ways; 1: one is enough
_NO_COUNTERPART = {
    "splitImpulsePenetrationThreshold": "joint limits use Bullet's default of 0.04 rad or m",
    "contactBreakingThreshold": "contacts live exactly as long as shapes touch",
    "frictionERP": "friction is solved at velocity level",
    "allowedCcdPenetration": "there is no swept collision test",
    "contactSlop": "no penetration is left uncorrected",
    "constraintSolverType": "MuJoCo's Newton solver is used",
    "globalCFM": "constraints have MuJoCo's regularisation",
    "warmStartingFactor": "the solver always starts from its last result",
    "sparseSdfVoxelSize": "signed distance fields belong to soft bodies",
    "jointFeedbackMode": "joint force sensors are not available",
    "restitutionVelocityThreshold": "",
}
_NO_EFFECT = frozenset(
    {"maxNumCmdPer1ms", "enableFileCaching", "deterministicOverlappingPairs", "enableSAT",
     "minimumSolverIslandSize", "reportSolverAnalytics", "solverResidualThreshold",
     "numSolverIterations", "numNonContactInnerIterations"}
)  # fmt: skip
_NEUTRAL = {"enableConeFriction": 1, "jointFeedbackMode": 0}


def setPhysicsEngineParameter(
    fixedTimeStep: float = -1,
    numSolverIterations: int = -1,
    useSplitImpulse: int = -1,
    splitImpulsePenetrationThreshold: float = -1,
    numSubSteps: int = -1,
    collisionFilterMode: int = -1,
    contactBreakingThreshold: float = -1,
    maxNumCmdPer1ms: int = -2,
    enableFileCaching: int = -1,
    restitutionVelocityThreshold: float = -1,
    erp: float = -1,
    contactERP: float = -1,
    frictionERP: float = -1,
    enableConeFriction: int = -1,
    deterministicOverlappingPairs: int = -1,
    allowedCcdPenetration: float = -1,
    jointFeedbackMode: int = -1,
    solverResidualThreshold: float = -1,
    contactSlop: float = -1,
    enableSAT: int = -1,
    constraintSolverType: int = -1,
    globalCFM: float = -1,
    minimumSolverIslandSize: int = -1,
    reportSolverAnalytics: int = -1,
    warmStartingFactor: float = -1,
    sparseSdfVoxelSize: float = -1,
    numNonContactInnerIterations: int = -1,
    physicsClientId: int = 0,
) -> None:
    """Set engine parameters; what is left out stays.

    With effect: ``fixedTimeStep`` [s], ``numSubSteps``, ``erp`` (joint limits and constraints),
    ``contactERP``, ``collisionFilterMode``, ``restitutionVelocityThreshold`` [m/s], and
    ``useSplitImpulse``: without it a joint limit is corrected however far it is crossed. MuJoCo's
    solver runs to convergence, so iteration counts and residual thresholds change nothing. A
    parameter without a counterpart is said so once on stderr.
    """
    client = get_client(physicsClientId)
    given = {name: value for name, value in locals().items() if name not in _NOT_PARAMETERS}
    options, parameters = client.scene.options, client.parameters
    if fixedTimeStep >= 0:
        _set_time_step(client, fixedTimeStep)
    if numSubSteps >= 0:
        parameters.numSubSteps = int(numSubSteps)
        client.apply_time_step()
    if numSolverIterations >= 0:
        parameters.numSolverIterations = int(numSolverIterations)
    if numNonContactInnerIterations >= 0:
        parameters.numNonContactInnerIterations = int(numNonContactInnerIterations)
    if erp >= 0:
        options.limit_erp = float(erp)
    if contactERP >= 0:
        options.contact_erp = float(contactERP)
    if collisionFilterMode >= 0:
        options.filters_both = collisionFilterMode == FILTER_BOTH
        client.scene.refresh_filters()
    if useSplitImpulse >= 0:
        options.limit_depth = LIMIT_DEPTH if useSplitImpulse else math.inf
    if restitutionVelocityThreshold >= 0:
        options.restitution_speed = float(restitutionVelocityThreshold)
    client.scene.apply_options()
    _say_without_counterpart(client, given)


_NOT_PARAMETERS = frozenset({"client", "physicsClientId"})


def _say_without_counterpart(client: Client, given: dict[str, Any]) -> None:
    for name, value in given.items():
        reason = _NO_COUNTERPART.get(name)
        if not reason or value < 0 or value == _NEUTRAL.get(name):
            continue
        if client.say_once(f"parameter {name}"):
            tell(f"setPhysicsEngineParameter({name}={value!r}) has no effect: {reason}")
    if given["enableConeFriction"] == 0 and client.say_once("cone"):
        tell(
            "setPhysicsEngineParameter(enableConeFriction=0) has no effect: "
            "friction cones are always exact"
        )


def getPhysicsEngineParameters(physicsClientId: int = 0) -> dict[str, float]:
    """The present engine parameters, under PyBullet's names."""
    client = get_client(physicsClientId)
    parameters, gravity = client.parameters, client.scene.options.gravity
    return {
        "fixedTimeStep": parameters.fixedTimeStep,
        "numSubSteps": parameters.numSubSteps,
        "numSolverIterations": parameters.numSolverIterations,
        "useRealTimeSimulation": parameters.useRealTimeSimulation,
        "gravityAccelerationX": gravity[0],
        "gravityAccelerationY": gravity[1],
        "gravityAccelerationZ": gravity[2],
        "numNonContactInnerIterations": parameters.numNonContactInnerIterations,
    }


def resetSimulation(flags: int = 0, physicsClientId: int = 0) -> None:
    """Remove everything and set all parameters back to their defaults.

    Raises:
        NotSupportedError: ``flags`` asks for a world of soft bodies.
    """
    client = get_client(physicsClientId)
    if flags & (c.RESET_USE_DEFORMABLE_WORLD | c.RESET_USE_REDUCED_DEFORMABLE_WORLD):
        raise NotSupportedError(
            f"resetSimulation(flags={flags}) for soft bodies", "resetSimulation() for rigid bodies"
        )
    client.reset()


def setAdditionalSearchPath(path: str, physicsClientId: int = 0) -> None:
    """Name a folder in which files are looked for too; a later call replaces it."""
    get_client(physicsClientId).search_path = (os.fspath(path),)


def setInternalSimFlags(flags: int, physicsClientId: int = 0) -> None:
    """Accepted for compatibility: the flags of PyBullet's debug builds have no effect in 3.2.7."""
    get_client(physicsClientId)


def setTimeOut(timeOutInSeconds: float, physicsClientId: int = 0) -> None:
    """Set the time-out for a physics server; a world in this process never times out."""
    get_client(physicsClientId)
