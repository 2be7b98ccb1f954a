"""startStateLogging, stopStateLogging and submitProfileTiming."""

from __future__ import annotations

import itertools
import os
from collections.abc import Sequence

from unibody.bullet import constants as c
from unibody.bullet.client import get_client
from unibody.bullet.errors import error
from unibody.bullet.trace_file import TraceFile
from unibody.errors import NotSupportedError

_file_numbers = itertools.count()  # PyBullet counts the trace files of a process
_KINDS = {
    getattr(c, name): name
    for name in (
        "STATE_LOGGING_MINITAUR", "STATE_LOGGING_GENERIC_ROBOT", "STATE_LOGGING_VR_CONTROLLERS",
        "STATE_LOGGING_VIDEO_MP4", "STATE_LOGGING_ALL_COMMANDS", "STATE_REPLAY_ALL_COMMANDS",
        "STATE_LOGGING_CONTACT_POINTS", "STATE_LOGGING_CUSTOM_TIMER",
    )
}  # fmt: skip


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

    Only ``STATE_LOGGING_PROFILE_TIMINGS`` exists: ``<fileName>_<n>.json``, with ``n`` counting
    the files of the process, becomes a Chrome trace of steps and submitProfileTiming spans. The
    arguments behind ``fileName`` choose what the other kinds log; this kind has no use for them.

    Returns:
        The id, or None, as in PyBullet, if the client already writes such a log.

    Raises:
        error: Not connected, or the file cannot be written.
        NotSupportedError: Another kind of log.
    """
    client = get_client(physicsClientId)
    if loggingType != c.STATE_LOGGING_PROFILE_TIMINGS:
        kind = _KINDS.get(loggingType, loggingType)
        raise NotSupportedError(
            f"startStateLogging({kind})", "STATE_LOGGING_PROFILE_TIMINGS is the kind that exists"
        )
    if client.trace is not None:
        return None
    path = f"{os.fspath(fileName)}_{next(_file_numbers)}.json"
    try:
        client.trace = TraceFile(path)
    except OSError as problem:
        raise error(f"startStateLogging failed. {path}: {problem.strerror}") from problem
    client.trace_id += 1
    return client.trace_id


def stopStateLogging(loggingId: int, physicsClientId: int = 0) -> None:
    """Complete a log; an id that is not in use is ignored, as in PyBullet."""
    client = get_client(physicsClientId)
    if client.trace is not None and loggingId == client.trace_id:
        client.trace.close()
        client.trace = None


def submitProfileTiming(eventName: str | None = None, physicsClientId: int = 0) -> None:
    """Begin a named span of the open log; without a name end the one begun last."""
    trace = get_client(physicsClientId).trace
    if trace is None:
        return
    if eventName is None:
        trace.leave()
    else:
        trace.enter(eventName)
