"""Where servers are: keys of the local machine, hosts and ports, and the token between the two."""

from __future__ import annotations

import hashlib
import ipaddress
import os
import socket
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path

from unibody.bullet.errors import error
from unibody.errors import NotSupportedError

DEFAULT_PORT = 6667  # PyBullet's
TOKEN_VARIABLE = "UNIBODY_TOKEN"
MIN_TOKEN = 16  # characters: who listens to the wire could try shorter ones one by one
_MAX_PORT = 65535


@dataclass(frozen=True)
class Endpoint:
    """The address of a server.

    Attributes:
        url: For the transport between machines; "" for a local server.
        name: For people.
        path: Of the socket of a local server; None for another one.
        local: True if it can be reached from this machine only.
    """

    url: str
    name: str
    path: Path | None
    local: bool


def local_endpoint(key: int, *, create: bool = False) -> Endpoint:
    """The address that a shared-memory key stands for: a socket only this user can open.

    Args:
        key: The key.
        create: Make the folder for it, if there is none.

    Raises:
        error: The folder belongs to somebody else, or cannot be made.
        NotSupportedError: The platform has no such sockets.
    """
    if not hasattr(socket, "AF_UNIX"):
        raise NotSupportedError("connect(SHARED_MEMORY) on this platform", "use connect(TCP)")
    path = _private_folder(create) / f"{int(key)}.sock"
    return Endpoint("", f"shared-memory key {int(key)}", path, True)


def _private_folder(create: bool) -> Path:
    user = os.getuid()
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    base = Path(runtime) if os.path.isdir(runtime) else Path(tempfile.gettempdir())
    folder = base / f"unibody-{user}"
    try:
        if create:
            folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
    except FileNotFoundError:
        return folder
    except OSError as problem:
        raise error(f"{folder}: {problem.strerror}") from None
    mine = found.st_uid == user and not found.st_mode & 0o077
    if not (mine and stat.S_ISDIR(found.st_mode)):
        raise error(f"{folder} is not a folder that only you can open: remove it")
    return folder


def network_endpoint(host: str, port: int) -> Endpoint:
    """The address of a server on a host.

    Raises:
        error: There is no such host or port.
    """
    if not 0 < port <= _MAX_PORT:
        raise error(f"port={port} is not allowed: expected 1 to {_MAX_PORT}")
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as problem:
        raise error(f"hostName={host!r}: {problem}") from None
    addresses = [ipaddress.ip_address(str(entry[4][0]).partition("%")[0]) for entry in found]
    addresses.sort(key=lambda address: address.version)  # servers listen on IPv4 first
    address = addresses[0]
    shown = f"[{address}]" if address.version == 6 else str(address)
    local = all(address.is_loopback for address in addresses)
    return Endpoint(f"tcp://{shown}:{port}", f"{host}:{port}", None, local)


def is_alive(endpoint: Endpoint) -> bool:
    """Whether somebody listens at a local address; a socket its server left behind is none."""
    if endpoint.path is None or not endpoint.path.exists():
        return False
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(1.0)
        try:
            probe.connect(str(endpoint.path))
        except OSError:
            return False
    return True


def token_file(port: int, *, create: bool = False) -> Path | None:
    """The file with the token of a server of this user on a port of this machine.

    Args:
        port: Of the server.
        create: Make the folder for it, if there is none.

    Returns:
        Where it is; None: this platform has no folders that only one user can open.

    Raises:
        error: The folder belongs to somebody else, or cannot be made.
    """
    return _private_folder(create) / f"{port}.token" if hasattr(os, "getuid") else None


def kept_token(endpoint: Endpoint, port: int) -> str:
    """The token of a server of this user on this machine; "": there is none."""
    if not endpoint.local:
        return ""
    try:
        file = token_file(port)
        return "" if file is None else file.read_text("utf-8").strip()
    except (OSError, error):
        return ""


def checked_token(token: str, name: str) -> str:
    """A token, if it is long enough.

    Raises:
        error: It is not.
    """
    if len(token) < MIN_TOKEN:
        raise error(f"{name} has {len(token)} characters: at least {MIN_TOKEN} are needed")
    return token


def server_secret(token: str) -> bytes:
    """The secret key of the server of a token, 32 bytes.

    Only who knows the token knows the public key that belongs to it, and without that there is
    no connection; with it everything on the wire is encrypted.
    """
    return hashlib.scrypt(token.encode(), salt=b"unibody physics server", n=2**14, r=8, p=1)[:32]
