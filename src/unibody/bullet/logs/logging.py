"""startStateLogging, stopStateLogging and submitProfileTiming."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Sequence
from operator import index
from typing import TYPE_CHECKING, Any

from unibody.bullet import constants as c
from unibody.bullet.arguments.kinds import whole_numbers
from unibody.bullet.clients.client import Client
from unibody.bullet.clients.registry import get_client
from unibody.bullet.errors import error
from unibody.bullet.logs.commands import CommandLog, replay
from unibody.bullet.logs.states import (
    MAX_LOG_DOF,
    ContactLog,
    ControllerLog,
    MinitaurLog,
    RobotLog,
    StateLog,
    minitaur_motors,
)
from unibody.bullet.logs.table import LogTable
from unibody.bullet.logs.trace import TraceFile
from unibody.errors import NotSupportedError, UnibodyError
from unibody.notices import tell_once

if TYPE_CHECKING:
    from unibody.bullet.window.film import FilmLog

_file_numbers = itertools.count()  # PyBullet counts the trace files of a process
_LOG_DOF = 12  # PyBullet's default


def startStateLogging(
    loggingType: int,
    fileName: str,
    objectUniqueIds: Sequence[int] = (),
    maxLogDof: int = -1,
    bodyUniqueIdA: int = -1,
    bodyUniqueIdB: int = -1,
    linkIndexA: int = -2,
    linkIndexB: int = -2,
    deviceTypeFilter: int = -1,
    logFlags: int = -1,
    physicsClientId: int = 0,
) -> int | None:
    """Begin to log and return the id of the log.

    Logs of states are files of PyBullet's format (``unibody.bullet.logs.records`` reads them),
    written after each substep until they are stopped or the world is reset:

    - ``STATE_LOGGING_GENERIC_ROBOT``: pose, velocity and joints of bodies;
    - ``STATE_LOGGING_MINITAUR``: of the Minitaur that ``objectUniqueIds`` names;
    - ``STATE_LOGGING_CONTACT_POINTS``: all contact points, as getContactPoints gives them;
    - ``STATE_LOGGING_VR_CONTROLLERS``: there are no such events, so a log without records.

    ``STATE_LOGGING_VIDEO_MP4`` makes a video of what the visualizer's camera sees, by simulated
    time, with 60 frames a second unless ``connect`` was given ``--mp4fps``. It needs no window.
    Where the library that writes videos is not installed there is none, and a line says so: as
    PyBullet without ffmpeg, the script goes on.

    ``STATE_LOGGING_PROFILE_TIMINGS`` writes a Chrome trace of steps and submitProfileTiming spans
    into ``<fileName>_<n>.json``, with ``n`` counting the files of the process.
    ``STATE_LOGGING_ALL_COMMANDS`` writes every call that changes the world into a text file of our
    own (see ``logs.commands``), and ``STATE_REPLAY_ALL_COMMANDS`` makes the calls of such a file
    again, all of them at once.

    Args:
        loggingType: One of the kinds above.
        fileName: The file; one that exists is replaced.
        objectUniqueIds: Bodies of a log of robots; all if empty.
        maxLogDof: Joint coordinates a log of robots has room for; 12 if not given.
        bodyUniqueIdA: Only contacts that this body takes part in.
        bodyUniqueIdB: Only contacts that this body takes part in as well.
        linkIndexA: Only contacts with this link of the first body; -1 is the base.
        linkIndexB: Only contacts with this link of the second body.
        deviceTypeFilter: Kinds of controllers.
        logFlags: ``STATE_LOG_JOINT_MOTOR_TORQUES``, ``STATE_LOG_JOINT_USER_TORQUES`` or both:
            their sum as a third value for each joint of a log of robots.
        physicsClientId: The client.

    Returns:
        The id, or None, as in PyBullet, for an unknown kind, for what is no Minitaur, and for a
        second trace or record of commands.

    Raises:
        error: Not connected; the file cannot be written; a replay fails.
    """
    client = get_client(physicsClientId)
    path = os.fspath(fileName)
    logs = _table(client)
    match loggingType:
        case c.STATE_LOGGING_PROFILE_TIMINGS:
            if client.trace is not None:
                return None
            path = f"{path}_{next(_file_numbers)}.json"
            return logs.add_trace(_opened(lambda: TraceFile(path), path))
        case c.STATE_LOGGING_ALL_COMMANDS:
            if client.commands is not None:
                return None
            return logs.add_commands(_opened(lambda: CommandLog(client, path), path))
        case c.STATE_REPLAY_ALL_COMMANDS:
            _opened(lambda: replay(path, client.id), path)
            return logs.add_ended()
        case c.STATE_LOGGING_VIDEO_MP4:
            return _log_video(client, logs, path)
    bodies = whole_numbers("objectUniqueIds", objectUniqueIds)
    if loggingType == c.STATE_LOGGING_GENERIC_ROBOT:
        if maxLogDof > MAX_LOG_DOF:
            raise error(f"maxLogDof={maxLogDof} is not allowed: expected at most {MAX_LOG_DOF}")
        dofs = maxLogDof if maxLogDof > 0 else _LOG_DOF
        flags = max(index(logFlags), 0)
        return _log(logs, lambda: RobotLog(path, bodies, dofs, flags), path)
    if loggingType == c.STATE_LOGGING_CONTACT_POINTS:
        pair = [index(body) for body in (bodyUniqueIdA, bodyUniqueIdB) if body >= 0]
        links = index(linkIndexA), index(linkIndexB)
        return _log(logs, lambda: ContactLog(path, pair, *links), path)
    if loggingType == c.STATE_LOGGING_MINITAUR:
        return _log_minitaur(client, logs, path, bodies)
    if loggingType == c.STATE_LOGGING_VR_CONTROLLERS:
        return _log(logs, lambda: ControllerLog(path), path)
    return None


def _log_video(client: Client, logs: LogTable, path: str) -> int:
    try:
        return logs.add_states(_opened(lambda: _film(client, path), path))
    except NotSupportedError as problem:
        tell_once(f"startStateLogging writes no video: {problem}")
        return logs.add_ended()


def _film(client: Client, path: str) -> FilmLog:
    from unibody.bullet.window.film import FilmLog

    return FilmLog(client, path)


def _table(client: Client) -> LogTable:
    logs = client.logs
    if not isinstance(logs, LogTable):
        logs = client.logs = LogTable(client)
    return logs


def _opened(make: Callable[[], Any], path: str) -> Any:
    """What ``make`` makes; what is wrong with the file is PyBullet's kind of error."""
    try:
        return make()
    except OSError as problem:
        raise error(f"startStateLogging failed. {path}: {problem.strerror}") from problem
    except NotSupportedError:
        raise
    except UnibodyError as problem:
        raise error(f"startStateLogging failed. {problem}") from problem


def _log(logs: LogTable, make: Callable[[], StateLog], path: str) -> int:
    return logs.add_states(_opened(make, path))


def _log_minitaur(client: Client, logs: LogTable, path: str, bodies: list[int]) -> int | None:
    body = client.bodies.get(bodies[0]) if bodies else None
    motors = minitaur_motors(body) if body is not None else None
    if body is None or motors is None:
        return None
    number = body.id
    return _log(logs, lambda: MinitaurLog(path, number, motors), path)


def stopStateLogging(loggingId: int, physicsClientId: int = 0) -> None:
    """Complete a log; an id that is not in use is ignored, as in PyBullet."""
    logs = get_client(physicsClientId).logs
    if logs is not None:
        logs.stop(index(loggingId))


def submitProfileTiming(eventName: str | None = None, physicsClientId: int = 0) -> None:
    """Begin a named span of the open trace; without a name end the one begun last."""
    trace = get_client(physicsClientId).trace
    if trace is None:
        return
    if eventName is None:
        trace.leave()
    else:
        trace.enter(eventName)
