"""saveState, restoreState and removeState."""

from __future__ import annotations

from unibody.bullet.client import get_client
from unibody.bullet.errors import error
from unibody.core.engine import snapshot
from unibody.errors import EngineError, NotSupportedError


def saveState(physicsClientId: int = 0) -> int:
    """Keep the state of all bodies in memory and return its id."""
    client = get_client(physicsClientId)
    state_id = client.state_ids.take()
    client.states[state_id] = snapshot.take(client.scene)
    return state_id


def restoreState(stateId: int = -1, fileName: str = "", physicsClientId: int = 0) -> None:
    """Put a saved state back; what follows is then bit for bit what followed the saving.

    Motors keep what they were last told, and forces that wait for the next step stay, as in
    PyBullet.

    Raises:
        error: No such state, or a body of it was removed.
        NotSupportedError: ``fileName``.
    """
    client = get_client(physicsClientId)
    if fileName:
        raise NotSupportedError(
            f"restoreState(fileName={fileName!r})", "restoreState(stateId) restores from memory"
        )
    saved = client.states.get(stateId)
    if saved is None:
        raise error("Couldn't restore state.")
    try:
        snapshot.restore(client.scene, saved, inputs=False)
    except EngineError as problem:
        raise error(f"Couldn't restore state. {problem}") from problem


def removeState(stateUniqueId: int, physicsClientId: int = 0) -> None:
    """Forget a saved state; an unknown id is ignored, as in PyBullet."""
    client = get_client(physicsClientId)
    if client.states.pop(stateUniqueId, None) is not None:
        client.state_ids.give_back(stateUniqueId)
