"""Notes that a script attaches to bodies, links and visual shapes."""

from __future__ import annotations

from collections.abc import Iterable
from operator import index

from unibody.bullet.clients.registry import clients, get_client
from unibody.bullet.errors import error
from unibody.bullet.state.user_data import Place

MAX_KEY = 255  # bytes


def addUserData(
    bodyUniqueId: int,
    key: str,
    value: str,
    linkIndex: int = -1,
    visualShapeIndex: int = -1,
    physicsClientId: int = 0,
) -> int:
    """Attach text to a body, a link or a visual shape of it, and return its number.

    Raises:
        error: No such body, or a key of more than 255 bytes.
    """
    client = get_client(physicsClientId)
    place = _place(bodyUniqueId, linkIndex, visualShapeIndex, key)
    if not isinstance(value, str):
        raise TypeError(f"argument 3 must be str, not {type(value).__name__}")
    if len(key.encode()) > MAX_KEY:
        raise error(f"key={key[:20]!r}... is not allowed: expected at most {MAX_KEY} bytes")
    if place.body not in client.bodies:
        raise error("Error in addUserData command.")
    return client.user_data.add(place, value)


def _place(body: int, link: int, visual_shape: int, key: str) -> Place:
    if not isinstance(key, str):
        raise TypeError(f"argument 2 must be str, not {type(key).__name__}")
    return Place(index(body), index(link), index(visual_shape), key)


def removeUserData(userDataId: int, physicsClientId: int = 0) -> None:
    """Take a note away.

    Raises:
        error: There is none of that number.
    """
    if not get_client(physicsClientId).user_data.remove(index(userDataId)):
        raise error("Error in removeUserData command.")


def getUserDataId(
    bodyUniqueId: int,
    key: str,
    linkIndex: int = -1,
    visualShapeIndex: int = -1,
    physicsClientId: int = 0,
) -> int:
    """The number of the note under a key, -1 if there is none."""
    try:
        notes = clients[physicsClientId].user_data
        return notes.numbers[bodyUniqueId, linkIndex, visualShapeIndex, key]
    except (KeyError, TypeError):
        notes = get_client(physicsClientId).user_data
        return notes.number(_place(bodyUniqueId, linkIndex, visualShapeIndex, key))


def getUserData(userDataId: int, physicsClientId: int = 0) -> bytes | None:
    """The text of a note as UTF-8, None if there is none of that number."""
    try:
        return clients[physicsClientId].user_data.values[userDataId]
    except (KeyError, TypeError):
        return get_client(physicsClientId).user_data.values.get(index(userDataId))


def getNumUserData(bodyUniqueId: int, physicsClientId: int = 0) -> int:
    """How many notes a body has, with those of its links and shapes."""
    return len(get_client(physicsClientId).user_data.of_body(index(bodyUniqueId)))


def getUserDataInfo(
    bodyUniqueId: int, userDataIndex: int, physicsClientId: int = 0
) -> tuple[int, bytes, int, int, int]:
    """(number, key, body, link, visual shape) of a note of a body.

    Raises:
        error: The body has no note of that index.
    """
    notes = get_client(physicsClientId).user_data.of_body(index(bodyUniqueId))
    position = index(userDataIndex)
    if not 0 <= position < len(notes):
        raise error("Could not get user data info.")
    number, place = notes[position]
    return number, place.key.encode(), place.body, place.link, place.visual_shape


def syncUserData(
    bodyUniqueIds: int | Iterable[int] = -1,
    physicsClientId: int = 0,
    *,
    bodyUniqueId: int = -1,
) -> None:
    """Fetch the notes of some bodies, or of all: those from their files are seen from then on.

    Raises:
        error: No such body.
    """
    client = get_client(physicsClientId)
    wanted = [bodyUniqueId]
    try:
        wanted += [bodyUniqueIds] if isinstance(bodyUniqueIds, int) else map(index, bodyUniqueIds)
    except TypeError:
        raise error("Error in syncUserInfo command.") from None
    if any(body != -1 and body not in client.bodies for body in wanted):
        raise error("Error in syncUserInfo command.")
    for body in [body for body in wanted if body != -1] or [-1]:
        client.user_data.fetch(body)
