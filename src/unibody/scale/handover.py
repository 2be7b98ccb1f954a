"""What shards of a fleet send one another: arrays of who is near, and of who crossed a border."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.recfunctions import repack_fields
from numpy.typing import NDArray

from unibody.fleet.agents.agent import Agent
from unibody.fleet.bodies.tables import BODY, MOTION
from unibody.fleet.spatial.geometry import Pose
from unibody.scale.carried_agents import Kinds, drivers

Array = NDArray[Any]
SENT = ["pos", "quat", "vel", "spin", "low", "high", "moving", "moved", "stale"]
_STATE = np.dtype([(name, BODY.fields[name][0]) for name in SENT])  # type: ignore[index]


class Message(NamedTuple):
    """What one shard sends another in a step.

    Attributes:
        near: Rows of those that the other one may touch, (n,).
        near_state: Where they are, (n,) with the fields of a row that are sent.
        rows: Rows of those that are the other one's from now on, (m,).
        state: Where they are, (m,).
        motions: Rows of what drives them, one after the other.
        points: The waypoints of these, (p, 7).
        counts: How many of them each has.
        rested: Whether a batch controller has yet to take the velocity off, (m,) of bool.
        keys: Of pairs that collide and belong to these agents.
        text: The agents themselves, with actions and decisions, as bytes.
    """

    near: Array
    near_state: Array
    rows: Array
    state: Array
    motions: Array
    points: Array
    counts: Array
    rested: Array
    keys: Array
    text: Array


def packed(
    bodies: Array, near: Array, agents: Sequence[Agent], keys: Array, kinds: Kinds
) -> Message:
    """A message.

    Args:
        bodies: All objects.
        near: Rows of those that the other shard may touch.
        agents: Those that it takes over.
        keys: Of pairs that collide and belong to these.
        kinds: Of agents.
    """
    rows = np.array([agent._row for agent in agents], dtype=np.int64)
    held = [driver._held() for agent in agents for driver in drivers(agent)]
    motions = np.array([motion for motion, _ in held], dtype=MOTION)
    counts = np.array([len(points) for _, points in held], dtype=np.int64)
    points = [points for _, points in held] or [np.zeros((0, 7))]
    text = pickle.dumps([kinds.carried(agent) for agent in agents]) if agents else b""
    return Message(
        near,
        _state_of(bodies, near),
        rows,
        _state_of(bodies, rows),
        motions,
        np.concatenate(points),
        counts,
        _rested(agents),
        keys,
        np.frombuffer(text, dtype=np.uint8),
    )


def unpack_near(bodies: Array, message: Message) -> None:
    """Write where those are that may be touched."""
    for name in SENT:
        bodies[name][message.near] = message.near_state[name]


def adopt(bodies: Array, message: Message, kinds: Kinds) -> list[Agent]:
    """Take over the agents of a message.

    Args:
        bodies: All objects.
        message: The message.
        kinds: Of agents.

    Returns:
        The agents, in the order of ``message.rows``.
    """
    if not len(message.rows):
        return []
    for name in SENT:
        bodies[name][message.rows] = message.state[name]
    agents = kinds.made(pickle.loads(message.text.tobytes()))
    place = first = 0
    rested: dict[int, tuple[Any, list[int]]] = {}
    for at, agent in enumerate(agents):
        for driver in drivers(agent):
            motion, count = message.motions[place], int(message.counts[place])
            points = message.points[first : first + count]
            driver._put_back(motion, points)
            driver.bind(agent)
            way = points[: int(motion["count"])].tolist()
            driver._path = [Pose(point[:3], point[3:]) for point in way]
            place, first = place + 1, first + count
        batch = agent._batch_controller
        if batch is not None and message.rested[at]:
            rested.setdefault(id(batch), (batch, []))[1].append(batch.member(agent)._m)
    for batch, motions in rested.values():
        batch._busy = np.append(batch._busy, np.array(motions, dtype=np.int64))
    return agents


def _state_of(bodies: Array, rows: Array) -> Array:
    return repack_fields(bodies[SENT][rows]).astype(_STATE, copy=False)


def _rested(agents: Sequence[Agent]) -> Array:
    """Of which agents a batch controller has yet to take the velocity off, (n,) of bool."""
    found = np.zeros(len(agents), dtype=np.bool_)
    batches = [agent._batch_controller for agent in agents]
    for batch in {id(batch): batch for batch in batches if batch is not None}.values():
        busy = np.zeros(len(agents[0]._tables.motions.data), dtype=np.bool_)
        busy[batch._busy] = True
        places = [at for at, each in enumerate(batches) if each is batch]
        found[places] = busy[[batch.member(agents[at])._m for at in places]]
    return found
