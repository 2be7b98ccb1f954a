"""saveState, restoreState and removeState."""

from __future__ import annotations

from operator import index
from pathlib import Path
from typing import Any

from unibody.bullet.clients.client import Client
from unibody.bullet.clients.registry import clients, get_client
from unibody.bullet.errors import error, naming
from unibody.core.engine.snapshots import snapshot, state_file
from unibody.errors import EngineError

_MOVING = "moving_bases"
_PLACED = "placed"
_PARTICLES = "particles"


def saveState(physicsClientId: int = 0) -> int:
    """Keep the state of all bodies in memory and return its id."""
    client = get_client(physicsClientId)
    state_id = client.state_ids.take()
    client.states[state_id] = state = snapshot.take(client.scene)
    if client.moving_bases is not None:
        state.extra[_MOVING] = dict(client.moving_bases.velocity)
    state.extra[_PLACED] = {number for number, body in client.bodies.items() if body.placed_now}
    if client.soft_bodies is not None:
        state.extra[_PARTICLES] = client.soft_bodies.saved(client)
    return state_id


def restoreState(stateId: int = -1, fileName: str = "", physicsClientId: int = 0) -> None:
    """Put a saved state back, of saveState or, by its file, of saveBullet.

    What follows is then bit for bit what followed the saving. Motors keep what they were last
    told, and forces that wait for the next step stay, as in PyBullet.

    Raises:
        error: No such state or file, or a body of it was removed.
    """
    try:
        client = clients[physicsClientId]
    except (KeyError, TypeError):
        client = get_client(physicsClientId)
    try:
        saved = _read(client, fileName) if fileName else client.states.get(stateId)
        if saved is None:
            raise error("Couldn't restore state.")
        extra = saved.extra
        if client.soft_bodies is not None or _PARTICLES in extra:
            _check_particles(client, extra.get(_PARTICLES, {}))
        world = snapshot.restore(client.scene, saved, inputs=False)
        world.placed = world.steps
        placed = extra.get(_PLACED, ())
        for number, body in client.bodies.items():
            body.set_placed(world.steps if number in placed else -1)
        if client.soft_bodies is not None:
            client.soft_bodies.put_back(extra.get(_PARTICLES, {}))
        if client.moving_bases is not None:
            client.moving_bases.velocity = dict(extra.get(_MOVING, {}))
    except EngineError as problem:
        raise error(f"Couldn't restore state. {naming(fileName, problem)}") from problem


def _check_particles(client: Client, particles: dict[int, Any]) -> None:
    """Refuse a state whose soft bodies are not those that are there.

    Raises:
        error: One is gone, or is another one.
    """
    if client.soft_bodies is not None:
        difference = client.soft_bodies.differs(particles)
        if difference:
            raise error(f"Couldn't restore state. {difference}")
    elif particles:
        raise error(f"Couldn't restore state. There is no soft body {min(particles)} any more.")


def _read(client: Client, name: str) -> Any:
    """The state in a file; what a server's clients saved is in the folder of their files."""
    from unibody.bullet.worlds import saved_particles

    file = Path(name)
    if client.files is not None and not file.exists():
        file = Path(client.files) / file
    state = state_file.read(file)
    particles = saved_particles.read(file)
    if particles:
        state.extra[_PARTICLES] = particles
    return state


def removeState(stateUniqueId: int, physicsClientId: int = 0) -> None:
    """Forget a saved state; an unknown id is ignored, as in PyBullet."""
    client = get_client(physicsClientId)
    number = index(stateUniqueId)
    if client.states.pop(number, None) is not None:
        client.state_ids.give_back(number)
