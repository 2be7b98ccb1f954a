"""The memory that a client and its server share on one machine: a lane, a call at a time.

The client writes a request and then its number; the server writes the reply and then the same
number. Each side looks at the other's number for a moment before it sleeps, and says that it
sleeps; it is woken through the socket between the two, which also brings what is too long for a
lane. A lane has no name: it is gone with the last of the two processes.
"""

from __future__ import annotations

import mmap
import os

# words; those of the client, of the server while it answers, of the server while it waits
NUMBER, SIZE, FORM, CLIENT_SLEEPS = range(4)
REPLIED, REPLY_SIZE, REPLY_FORM = range(8, 11)
TAKEN, SERVER_SLEEPS = range(16, 18)
REQUEST_AT = 24
REQUEST_WORDS = 32 << 10
REPLY_AT = REQUEST_AT + REQUEST_WORDS
REPLY_WORDS = 128 << 10
WORD = 8  # bytes
BYTES = WORD * (REPLY_AT + REPLY_WORDS)
PACKED, COMPACT, ELSEWHERE = range(3)
"""Forms of a message: of ``messages``; of ``values``; not here, but in the socket."""
MAX_NAMES = 40  # of one call's arguments
MAX_PATTERNS = 256  # of one client

_SEALS = ("F_SEAL_SHRINK", "F_SEAL_GROW", "F_SEAL_SEAL")


def new_memory() -> tuple[int, mmap.mmap] | None:
    """The file descriptor and the memory of a new lane; None where there is no such thing.

    Nobody can make it shorter: reading what is not there any more would end a process.
    """
    if not hasattr(os, "memfd_create"):
        return None
    import fcntl

    handle = os.memfd_create("unibody lane", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    try:
        os.ftruncate(handle, BYTES)
        seals = 0
        for name in _SEALS:
            seals |= getattr(fcntl, name)
        fcntl.fcntl(handle, fcntl.F_ADD_SEALS, seals)
        return handle, mmap.mmap(handle, BYTES)
    except (OSError, AttributeError):
        os.close(handle)
        return None


def mapped(handle: int) -> mmap.mmap:
    """The memory behind a file descriptor, which is closed.

    Raises:
        OSError: It is none of a lane.
        ValueError: It is too short.
    """
    try:
        if os.fstat(handle).st_size != BYTES:
            raise ValueError("a lane of another size")
        return mmap.mmap(handle, BYTES)
    finally:
        os.close(handle)
