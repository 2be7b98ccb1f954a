"""The notes on bodies that a client of a server knows of.

As in PyBullet, a client sees its own notes at once, and those of others once it asks for them with
syncUserData. What it knows lies in its own process, so that reading costs no journey.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any

from unibody.bullet.bodies import user_data
from unibody.bullet.clients.client import Client
from unibody.bullet.state.user_data import Place, UserDataStore

READS = frozenset({"getUserData", "getUserDataId", "getNumUserData", "getUserDataInfo"})
"""Functions that are answered from what is known."""
FOLLOWED = frozenset(
    {"addUserData", "removeUserData", "syncUserData", "removeBody", "resetSimulation"}
)
"""Functions that change what is known."""
_ASK = Callable[[str, tuple[Any, ...], dict[str, Any]], Any]


class Notes:
    """Keeps the notes of a client up to date.

    Args:
        client: Of this process; its notes are those it knows of.
        ask: Has the server call a function.
    """

    def __init__(self, client: Client, ask: _ASK) -> None:
        self._client = client
        self._ask = ask
        self._fetch([])

    def follow(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
        """Take note of what a call has changed on the server."""
        if name not in FOLLOWED:
            return
        store = self._client.user_data
        if name == "resetSimulation":
            self._client.user_data = UserDataStore()
        elif name == "removeBody":
            store.forget_body(int(args[0] if args else kwargs["bodyUniqueId"]))
        elif name == "removeUserData":
            store.remove(int(args[0] if args else kwargs["userDataId"]))
        elif name == "addUserData":
            given = inspect.signature(user_data.addUserData).bind(*args, **kwargs)
            given.apply_defaults()
            body, key, value, link, shape = given.args[:5]
            store.put(Place(body, link, shape, key), result, value.encode())
        else:
            self._fetch(_bodies(*args, **kwargs))

    def _fetch(self, bodies: Iterable[int]) -> None:
        """Get the notes of some bodies from the server, or those of all bodies."""
        chosen = list(bodies)
        if not chosen:
            self._client.user_data = UserDataStore()
            count = self._ask("getNumBodies", (), {})
            chosen = [self._ask("getBodyUniqueId", (number,), {}) for number in range(count)]
        store = self._client.user_data
        for body in chosen:
            store.forget_body(body)
            for position in range(self._ask("getNumUserData", (body,), {})):
                number, key, _, link, shape = self._ask("getUserDataInfo", (body, position), {})
                value = self._ask("getUserData", (number,), {})
                store.put(Place(body, link, shape, key.decode()), number, value)


def _bodies(bodyUniqueIds: int | Iterable[int] = -1, *, bodyUniqueId: int = -1) -> list[int]:
    """The bodies that syncUserData was asked about; none of them: all."""
    several = [bodyUniqueIds] if isinstance(bodyUniqueIds, int) else map(int, bodyUniqueIds)
    return [body for body in (bodyUniqueId, *several) if body != -1]
