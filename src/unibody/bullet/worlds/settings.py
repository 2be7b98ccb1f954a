"""World settings: time step, gravity, engine parameters, stepping, reset."""

from __future__ import annotations

import math
import os

from unibody.bullet import constants as c
from unibody.bullet.arguments.finite import finite
from unibody.bullet.arguments.vectors import real
from unibody.bullet.clients.client import Client, set_search_folders
from unibody.bullet.clients.registry import clients, get_client, step_by_clock
from unibody.bullet.errors import error
from unibody.bullet.state.client_state import ALL_OPTIONS, GRAVITY_ALONE, SOFT_CELL
from unibody.core.engine.records.dialects import BULLET
from unibody.machine_code.calls.argument_forms import Form
from unibody.notices import tell


def stepSimulation(physicsClientId: int = 0) -> tuple[()]:
    """Advance the world by one time step; applied forces and torques act for this step.

    Returns:
        (), as PyBullet does unless it was asked for an analysis of its solver.

    Raises:
        error: Not connected, or more bodies touch at once than fit into memory.
    """
    try:
        client = clients[physicsClientId]
    except (KeyError, TypeError):
        client = get_client(physicsClientId)
    client.step_in_turn()
    return ()


def setGravity(gravX: float, gravY: float, gravZ: float, physicsClientId: int = 0) -> None:
    """Set the gravitational acceleration [m/s^2], world frame."""
    try:
        client = clients[physicsClientId]
    except (KeyError, TypeError):
        client = get_client(physicsClientId)
    if not gravX.__class__ is gravY.__class__ is gravZ.__class__ is float:
        gravX, gravY, gravZ = real(gravX), real(gravY), real(gravZ)
    finite("gravity", gravX, gravY, gravZ)
    set_gravity(client, gravX, gravY, gravZ)


def set_gravity(client: Client, x: float, y: float, z: float) -> None:
    """Set the gravity of a client [m/s^2], which is finite."""
    client.scene.options.gravity = (x, y, z)
    if not client.options_stale:
        client.options_stale = GRAVITY_ALONE


# s: beyond them the square of a time step, or a speed times it, loses all digits.
_LEAST_STEP, _MOST_STEP = 1e-9, 1e3


def setTimeStep(timeStep: float, physicsClientId: int = 0) -> None:
    """Set the time step of stepSimulation [s]."""
    try:
        client = clients[physicsClientId]
    except (KeyError, TypeError):
        client = get_client(physicsClientId)
    set_time_step(client, timeStep)


def set_time_step(client: Client, value: float, name: str = "timeStep") -> None:
    """Set the time step of a client, which an argument of this name gives; see setTimeStep."""
    if value.__class__ is not float:
        value = real(value)
    if not _LEAST_STEP <= value <= _MOST_STEP:
        allowed = f"a finite number of seconds from {_LEAST_STEP:g} to {_MOST_STEP:g}"
        raise error(f"{name}={value!r} is not allowed: expected {allowed}")
    parameters = client.parameters
    substep = value / max(1, parameters.numSubSteps)
    if value == parameters.fixedTimeStep and client.scene.options.timestep == substep:
        return  # the world has heard of it
    parameters.fixedTimeStep = value
    client.time_step_changed()


def setRealTimeSimulation(enableRealTimeSimulation: int, physicsClientId: int = 0) -> None:
    """Let the world follow the clock, or stop doing so.

    As in PyBullet this concerns windowed clients: a ``DIRECT`` world only moves when it is
    stepped. The world catches up with the clock at every call that reaches it, and between calls
    in a thread of its own; what half a second is not enough for is left out.
    """
    client = get_client(physicsClientId)
    if client.method == c.DIRECT:
        client.parameters.useRealTimeSimulation = int(bool(enableRealTimeSimulation))
    else:
        step_by_clock(client, bool(enableRealTimeSimulation))


def setDefaultContactERP(defaultContactERP: float, physicsClientId: int = 0) -> None:
    """Set the share of a penetration that one step removes."""
    client = get_client(physicsClientId)
    value = real(defaultContactERP)
    finite("defaultContactERP", value)
    client.scene.options.contact_erp = value
    client.options_stale = ALL_OPTIONS


FILTER_BOTH = 0  # collisionFilterMode: groups and masks have to meet both ways; 1: one is enough
_NO_COUNTERPART = {
    "splitImpulsePenetrationThreshold": "joint limits use Bullet's default of 0.04 rad or m",
    "frictionERP": "friction is solved at velocity level",
    "allowedCcdPenetration": "there is no swept collision test",
    "constraintSolverType": "MuJoCo's Newton solver is used",
    "globalCFM": "constraints have MuJoCo's regularisation",
    "warmStartingFactor": "the solver always starts from its last result",
    "sparseSdfVoxelSize": "distances from soft bodies of the deformable world are exact",
}
_NONE_GIVEN = (-1,) * len(_NO_COUNTERPART)


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
    ``contactERP``, ``jointFeedbackMode``, ``collisionFilterMode``,
    ``restitutionVelocityThreshold`` [m/s], ``contactBreakingThreshold`` (how far ahead contacts
    are found, in sizes of a body), ``enableConeFriction`` (0: friction has a limit of its own along
    each of two directions), ``sparseSdfVoxelSize`` (of lattices that distances of convex shapes
    from soft bodies are sampled on, where the world is not deformable; 0: they are exact) [m], and
    ``useSplitImpulse``: without it a joint limit is corrected however
    far it is crossed. MuJoCo's solver runs to convergence, so iteration counts
    and residual thresholds change nothing. A parameter without a counterpart is said so once on
    stderr.
    """
    client = get_client(physicsClientId)
    parameters = client.parameters
    _step_by(client, fixedTimeStep, numSolverIterations, numSubSteps)
    if numNonContactInnerIterations >= 0:
        parameters.numNonContactInnerIterations = int(numNonContactInnerIterations)
    if 0 <= contactBreakingThreshold != client.scene.options.contact_reach:
        client.scene.set_contact_reach(real(contactBreakingThreshold))
    if jointFeedbackMode >= 0:
        parameters.jointFeedbackMode = int(jointFeedbackMode)
    if contactSlop >= 0:
        client.scene.options.contact_slop = real(contactSlop)
        client.options_stale = ALL_OPTIONS
    _set_cone(client, enableConeFriction)
    rules = (erp, contactERP, useSplitImpulse, restitutionVelocityThreshold, collisionFilterMode)
    if rules != _RULES_LEFT_OUT:
        _set_rules(client, *rules)
    if sparseSdfVoxelSize >= 0 and not client.deformable_world:
        client.soft_cell, sparseSdfVoxelSize = real(sparseSdfVoxelSize), -1
    given = (
        splitImpulsePenetrationThreshold, frictionERP, allowedCcdPenetration,
        constraintSolverType, globalCFM, warmStartingFactor,
        sparseSdfVoxelSize,
    )  # fmt: skip
    if given != _NONE_GIVEN:
        for name, value in zip(_NO_COUNTERPART, given, strict=True):
            _say_without_counterpart(client, name, value)


def _step_by(client: Client, time_step: float, iterations: int, substeps: int) -> None:
    """Set how the world steps; what is negative stays.

    Raises:
        OverflowError: A number is more than PyBullet's integers hold.
    """
    if iterations > _MOST or substeps > _MOST:
        raise OverflowError("signed integer is greater than maximum")
    parameters = client.parameters
    if time_step >= 0:
        set_time_step(client, time_step, "fixedTimeStep")
    if substeps >= 0:
        parameters.numSubSteps = int(substeps)
        client.time_step_changed()
    if iterations >= 0:
        parameters.numSolverIterations = int(iterations)


def _set_cone(client: Client, enable: int) -> None:
    if enable >= 0:
        client.scene.options.box_friction = enable == 0
        client.options_stale = ALL_OPTIONS


_CLIENT = ("physicsClientId",)
FORMS = (
    Form(_step_by, ("fixedTimeStep", "numSolverIterations", "numSubSteps"), _CLIENT),
    Form(_set_cone, ("enableConeFriction",), _CLIENT),
)
_RULES_LEFT_OUT = (-1,) * 5
_MOST = 2**31 - 1  # of an integer of C


def _set_rules(
    client: Client,
    erp: float,
    contact_erp: float,
    split_impulse: int,
    restitution_speed: float,
    filter_mode: int,
) -> None:
    options = client.scene.options
    if erp >= 0:
        options.limit_erp = float(erp)
    if contact_erp >= 0:
        options.contact_erp = float(contact_erp)
    if split_impulse >= 0:
        options.limit_depth = BULLET.world.limit_depth if split_impulse else math.inf
    if restitution_speed >= 0:
        options.restitution_speed = float(restitution_speed)
    if filter_mode >= 0:
        before, options.filters_both = options.filters_both, filter_mode == FILTER_BOTH
        if options.filters_both != before:
            client.scene.refresh_filters()
    client.options_stale = ALL_OPTIONS


def _say_without_counterpart(client: Client, name: str, value: float) -> None:
    if value < 0:
        return
    if client.say_once(f"parameter {name}"):
        reason = _NO_COUNTERPART[name]
        tell(f"setPhysicsEngineParameter({name}={value!r}) has no effect: {reason}")


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

    ``RESET_USE_DEFORMABLE_WORLD`` makes soft bodies follow the laws and numbers of loadSoftBody;
    without it links hold them together, whatever their numbers; only mass, margin and scale count.
    """
    client = get_client(physicsClientId)
    client.reset()
    client.soft_cell = SOFT_CELL
    client.deformable_world = bool(
        flags & (c.RESET_USE_DEFORMABLE_WORLD | c.RESET_USE_REDUCED_DEFORMABLE_WORLD)
    )


def setAdditionalSearchPath(path: str, physicsClientId: int = 0) -> None:
    """Name a folder in which files are looked for too; a later call replaces it.

    As in PyBullet it holds for all clients of the process, also for those that connect later.
    """
    get_client(physicsClientId)
    set_search_folders(os.fspath(path))


def setInternalSimFlags(flags: int, physicsClientId: int = 0) -> None:
    """Accepted for compatibility: the flags of PyBullet's debug builds have no effect in 3.2.7."""
    get_client(physicsClientId)


def setTimeOut(timeOutInSeconds: float, physicsClientId: int = 0) -> None:
    """Set how long a call to a physics server may take [s], 60 at first.

    A call that takes longer raises ``error``; a world in this process never times out.
    """
    get_client(physicsClientId)
