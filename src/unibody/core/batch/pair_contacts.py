"""Contacts of bodies with certain others, pair by pair."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from unibody.core.batch.batch import Batch
from unibody.core.engine.worlds.solutions import Wanted

F64 = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
NOBODY = -1  # in ``others``: no such body


def ground_number(number: int) -> int:
    """What stands in ``others`` for a part of the ground."""
    return -2 - number


class PairContacts(NamedTuple):
    """Contacts of the last step, those of a pair one after another.

    Where the batch does not note its steps (``Batch.notes_steps``), they are those of the state.

    Attributes:
        bodies: Number of the first of the pair, among those asked for, (n,).
        others: Number of the second, among those of the first, (n,).
        forces: Along the normal, (n,) [N].
        points: In the layout's frame, (n, 3) [m].
        normals: Towards the first body, (n, 3).
        distances: Negative where bodies overlap, (n,) [m].
        frictions: Force of friction on the first body, (n, 3) [N].
    """

    bodies: Ints
    others: Ints
    forces: F64
    points: F64
    normals: F64
    distances: F64
    frictions: F64


def pair_contacts(batch: Batch, bodies: Ints, others: Ints) -> PairContacts:
    """The contacts of bodies with others.

    Args:
        batch: The batch; builds.
        bodies: Numbers of bodies in the batch, or ``ground_number``, which is in all
            environments, (count,).
        others: For each of them numbers of bodies, or ``ground_number``, or NOBODY,
            (count, others). What is in another environment touches nothing.
    """
    batch.build()
    found = [_of_group(batch, number, bodies, others) for number in range(len(batch.groups))]
    if not found:
        none, vectors, numbers = np.zeros(0, np.int64), np.zeros((0, 3)), np.zeros(0)
        return PairContacts(none, none, numbers, vectors, vectors, numbers, vectors)
    order = np.lexsort(
        (
            np.concatenate([own.others for own in found]),
            np.concatenate([own.bodies for own in found]),
        )
    )
    columns: list[Any] = [np.concatenate(parts)[order] for parts in zip(*found, strict=True)]
    return PairContacts(*columns)


def _of_group(batch: Batch, number: int, bodies: Ints, others: Ints) -> PairContacts:
    """Those in the worlds of one group."""
    group = batch.groups[number]
    contacts = group.exchange.solution(Wanted(contacts=True)).contacts
    assert contacts is not None
    asked = _asked(batch, number, bodies, others)
    nbody = group.worlds.model.nbody
    ranks = np.argsort(asked.codes, kind="stable")
    codes: Ints = asked.codes[ranks]
    parts: list[tuple[Ints, Ints, float]] = []
    for sign, (first, second) in ((-1.0, (0, 1)), (1.0, (1, 0))):
        own: Ints = (contacts.worlds * nbody + contacts.bodies[:, first]) * nbody
        own = own + contacts.bodies[:, second]
        begins: Ints = codes.searchsorted(own, "left").astype(np.int64)
        counts: Ints = codes.searchsorted(own, "right").astype(np.int64) - begins
        hits = np.repeat(np.arange(len(own)), counts)
        within = np.arange(len(hits)) - np.repeat(np.cumsum(counts) - counts, counts)
        parts.append((hits, ranks[np.repeat(begins, counts) + within], sign))
    hits = np.concatenate([part[0] for part in parts])
    pairs = np.concatenate([part[1] for part in parts])
    signs = np.concatenate([np.full(len(part[0]), part[2]) for part in parts])[:, None]
    points = contacts.points[hits]
    if batch.layout.in_world:
        points = points + group.exchange.origins[contacts.worlds[hits]]
    return PairContacts(
        asked.bodies[pairs],
        asked.others[pairs],
        contacts.forces[hits, 0],
        points,
        signs * contacts.normals[hits],
        contacts.distances[hits],
        signs * contacts.frictions[hits],
    )


class _Asked(NamedTuple):
    """Pairs that are asked for in the worlds of a group.

    Attributes:
        codes: World and the engine's two bodies as one number.
        bodies, others: Places of the two among what was asked for.
    """

    codes: Ints
    bodies: Ints
    others: Ints


def _asked(batch: Batch, number: int, bodies: Ints, others: Ints) -> _Asked:
    group, places = batch.groups[number], batch.index.body_places
    count = group.exchange.count
    rows, columns = np.indices(others.shape).reshape(2, -1)
    first, second = bodies[rows], others.reshape(-1)
    known = second != NOBODY
    rows, columns, first, second = (one[known] for one in (rows, columns, first, second))
    is_ground = first <= ground_number(0)
    here = is_ground | (places[np.maximum(first, 0), 0] == number)
    rows, columns, first, second = (one[here] for one in (rows, columns, first, second))
    is_ground = is_ground[here]
    times: Ints = np.where(is_ground, count, 1).astype(np.int64)  # the ground is in all worlds
    begins: Ints = np.cumsum(times) - times
    worlds = np.arange(int(times.sum())) - np.repeat(begins, times)
    rows, columns, first, second = (np.repeat(o, times) for o in (rows, columns, first, second))
    own = ~np.repeat(is_ground, times)
    worlds[own] = places[first[own], 1]
    at = places[np.maximum(second, 0)]
    inside = (second < 0) | ((at[:, 0] == number) & (at[:, 1] == worlds))
    rows, columns, worlds = rows[inside], columns[inside], worlds[inside]
    one, two = (_engine_bodies(batch, number, part[inside]) for part in (first, second))
    nbody = group.worlds.model.nbody
    return _Asked((worlds * nbody + one) * nbody + two, rows, columns)


def _engine_bodies(batch: Batch, number: int, bodies: Ints) -> Ints:
    """The engine's numbers of bodies of a group, and of parts of the ground."""
    group = batch.groups[number]
    found = np.zeros(len(bodies), np.int64)
    moving = bodies >= 0
    found[moving] = group.places.bodies[batch.index.body_places[bodies[moving], 2]]
    grounds = [group.scene.bodies[part].body for part in range(len(batch.grounds))]
    if grounds:
        found[~moving] = np.array(grounds, np.int64)[ground_number(0) - bodies[~moving]]
    return found
