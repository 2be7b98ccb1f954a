"""A server that clients of the bullet surface join."""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from unibody import bullet
from unibody.bullet.errors import error
from unibody.bullet.remote import endpoints
from unibody.machine_code.sealed import write_whole

FILES = "served_files"
"""The folder that calls over the network write to, below the present one."""


@dataclass(frozen=True)
class Settings:
    """What a server does.

    Attributes:
        host: Host to listen on; "" for a shared-memory key.
        port: Port to listen on.
        key: Shared-memory key.
        window: Open the viewer.
        real_time: Step by the clock.
        files: The only folder that calls over the network may write files to.
        token_file: File with the token clients need; None for the environment variable.
    """

    host: str = ""
    port: int = endpoints.DEFAULT_PORT
    key: int = bullet.SHARED_MEMORY_KEY
    window: bool = False
    real_time: bool = False
    files: Path = Path(FILES)
    token_file: Path | None = None


def serve(settings: Settings, tell: Callable[[str], None]) -> None:
    """Serve a world until the process is told to end (SIGTERM, SIGINT) or its window is closed.

    Args:
        settings: What to do.
        tell: Gets the lines a person should see: where the server is, and its token if it made
            one up.

    Raises:
        error: The address cannot be used.
        OSError: The token cannot be read.
    """
    token, made_up = _token(settings) if settings.host else ("", False)
    kept, variable = None, endpoints.TOKEN_VARIABLE
    from unibody.bullet.remote.host import Host

    client = bullet.connect(bullet.GUI if settings.window else bullet.DIRECT)
    with contextlib.ExitStack() as at_end:
        at_end.callback(_leave, client)
        _step_once()
        is_over = at_end.enter_context(_until_told())
        if settings.host:
            endpoint = endpoints.network_endpoint(settings.host, settings.port)
            host = Host(client, endpoint, token, settings.files)
            if endpoint.local:
                kept = at_end.enter_context(_kept(settings.port, token if made_up else ""))
        else:
            endpoint = endpoints.local_endpoint(settings.key, create=True)
            host = Host(client, endpoint)
        if settings.real_time:
            bullet.setRealTimeSimulation(1, physicsClientId=client)
        tell(f"serving at {endpoint.name}")
        if kept is not None:
            tell(f"clients of this user find the token in {kept}; others need it in {variable}")
        elif token and made_up:
            tell(f"clients need {variable}={token}")
        host.serve(is_over)


def _step_once() -> None:
    """Compile what every step needs on a new machine: the time-outs of clients would count it."""
    client = bullet.connect(bullet.DIRECT)
    ball = bullet.createCollisionShape(bullet.GEOM_SPHERE, physicsClientId=client)
    bullet.createMultiBody(1.0, ball, physicsClientId=client)
    bullet.stepSimulation(physicsClientId=client)
    bullet.disconnect(client)


def _leave(client: int) -> None:
    with contextlib.suppress(error):  # closing the window of a world may have ended it
        bullet.disconnect(client)


def _token(settings: Settings) -> tuple[str, bool]:
    """The token that was given, or one made up, and which of the two it is."""
    if settings.token_file is not None:
        token = settings.token_file.read_text("utf-8").strip()
        return endpoints.checked_token(token, str(settings.token_file)), False
    token = os.environ.get(endpoints.TOKEN_VARIABLE, "")
    if token:
        return endpoints.checked_token(token, endpoints.TOKEN_VARIABLE), False
    return secrets.token_urlsafe(24), True


@contextlib.contextmanager
def _kept(port: int, token: str) -> Iterator[Path | None]:
    """A token that was made up lies in a file that only this user can open, while this lasts.

    Args:
        port: Of the server.
        token: It; "": clients have another one, and what is left of an earlier server goes.

    Raises:
        error: There is no place for it.
        OSError: It cannot be written.
    """
    file = endpoints.token_file(port, create=bool(token))
    if file is None or not token:
        if file is not None:
            file.unlink(missing_ok=True)
        yield None
        return
    write_whole(file, f"{token}\n".encode())  # for this user alone, as all temporary files
    try:
        yield file
    finally:
        file.unlink(missing_ok=True)


@contextlib.contextmanager
def _until_told() -> Iterator[Callable[[], bool]]:
    """Whether a signal came, while this lasts."""
    told = threading.Event()
    numbers = (signal.SIGTERM, signal.SIGINT)
    before = [signal.signal(number, lambda *_: told.set()) for number in numbers]
    try:
        yield told.is_set
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)
