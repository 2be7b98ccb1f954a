"""One object for one physics client: every call on it carries the client's id.

The module of the same name in `pybullet_utils` adds the id to C functions only. The functions of
this surface are Python functions, so there it would be lost without a word, and every call would
reach the first client.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import os
from typing import Any

from unibody import bullet


class BulletClient:
    """The bullet API, bound to a client of its own.

    Args:
        connection_mode: `DIRECT`, `GUI`, `SHARED_MEMORY`, ...; None tries `SHARED_MEMORY` and
            takes `DIRECT` where no server runs.
        hostName: Host of a server, for the modes that have one.
        options: Passed on to `connect`.

    Raises:
        bullet.error: What `connect` raises.
    """

    def __init__(
        self,
        connection_mode: int | None = None,
        hostName: str | None = None,
        options: str = "",
    ) -> None:
        self._shapes: dict[Any, Any] = {}
        self._pid = os.getpid()
        self._client = -1
        if connection_mode is None:
            self._client = bullet.connect(bullet.SHARED_MEMORY, options=options)
            if self._client >= 0:
                return
            connection_mode = bullet.DIRECT
        if hostName is None:
            self._client = bullet.connect(connection_mode, options=options)
        else:
            self._client = bullet.connect(connection_mode, hostName=hostName, options=options)

    def disconnect(self) -> None:
        """End the connection; every later call raises `bullet.error`."""
        client, self._client = self._client, -1
        for name in [n for n, v in vars(self).items() if isinstance(v, functools.partial)]:
            delattr(self, name)  # bound to an id that another client may get next
        bullet.disconnect(physicsClientId=client)

    def __del__(self) -> None:
        # A forked process holds a copy of a connection that is not its own.
        if self.__dict__.get("_client", -1) >= 0 and self._pid == os.getpid():
            with contextlib.suppress(bullet.error):
                self.disconnect()

    def __getattr__(self, name: str) -> Any:
        """A function of the API with the client filled in, or a constant as it is."""
        attribute = getattr(bullet, name)
        if _takes_client(attribute):
            attribute = functools.partial(attribute, physicsClientId=self._client)
        self.__dict__[name] = attribute  # found without this method the next time
        return attribute


@functools.cache
def _parameters(function: Any) -> frozenset[str]:
    return frozenset(inspect.signature(function).parameters)


def _takes_client(attribute: Any) -> bool:
    return inspect.isroutine(attribute) and "physicsClientId" in _parameters(attribute)
