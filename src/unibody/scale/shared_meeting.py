"""How two processes of one machine get a channel to each other."""

from __future__ import annotations

import hmac
import os
import secrets
import socket
import struct
import sys
from typing import NamedTuple

from unibody.mechanisms import is_plain
from unibody.scale.shared_channel import SharedChannel

MECHANISM = "shared-memory"
_WORD = 32  # [bytes]
_SECONDS = 10.0  # that a process which said it connected is waited for
_CREDENTIALS = struct.Struct("3i")  # process, user and group of who connected


class Invitation(NamedTuple):
    """How to meet a process: its address, and a word that strangers do not know."""

    address: str
    word: bytes


class MeetingPlace:
    """Where other processes of this machine and user connect to this one.

    Its address has no file: it is gone with the process. Nothing of who connects is read but the
    word of the invitation, before it is found right.
    """

    def __init__(self) -> None:
        self._word = secrets.token_bytes(_WORD)
        self._address = f"\0unibody-{secrets.token_hex(16)}"
        self._listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listening.bind(self._address)
        self._listening.listen(socket.SOMAXCONN)
        self._listening.settimeout(_SECONDS)

    @property
    def invitation(self) -> Invitation:
        """For processes that are to come."""
        return Invitation(self._address, self._word)

    def met(self) -> SharedChannel:
        """A channel to a process that has accepted an invitation.

        Raises:
            TimeoutError: None has come.
        """
        while True:
            connection, _ = self._listening.accept()
            if _is_own(connection) and _says(connection, self._word):
                return SharedChannel(connection)
            connection.close()

    def close(self) -> None:
        """Let nobody in any more."""
        self._listening.close()


def accept(invitation: Invitation) -> SharedChannel | None:
    """A channel to the process that invites; None where there is none, as on another machine."""
    if problem():
        return None
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.connect(invitation.address)
        connection.sendall(invitation.word)
    except OSError:
        connection.close()
        return None
    return SharedChannel(connection)


def problem() -> str:
    """Why processes of this machine do not share memory; nothing if they do."""
    if not sys.platform.startswith("linux"):
        return "only Linux has files of memory and sockets without names"
    if is_plain(MECHANISM):
        return "it is turned off"
    return ""


def _is_own(connection: socket.socket) -> bool:
    """Whether who connected is of this user."""
    told = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    return _CREDENTIALS.unpack(told)[1] == os.getuid()


def _says(connection: socket.socket, word: bytes) -> bool:
    connection.settimeout(_SECONDS)
    try:
        said = connection.recv(len(word), socket.MSG_WAITALL)
    except OSError:
        return False
    connection.settimeout(None)
    return hmac.compare_digest(said, word)
