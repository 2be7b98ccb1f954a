"""Contacts of bodies with certain others, pair by pair."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from unibody.core.batch.batch import Batch

F64 = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
NOBODY = -1  # in ``others``: no such body


def ground_number(number: int) -> int:
    """What stands in ``others`` for a part of the ground."""
    return -2 - number


class PairContacts(NamedTuple):
    """Contacts as of the state, those of a pair one after another.

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
    places = batch.index.body_places
    found: list[tuple[int, int, float, F64, F64, float, F64]] = []
    worlds: dict[tuple[int, int], list[int]] = {}
    for number, row in enumerate(bodies.tolist()):
        own = [tuple(places[row, :2].tolist())] if row >= 0 else _all_worlds(batch)
        for group, world in own:
            worlds.setdefault((group, world), []).append(number)
    for (group_number, world), numbers in worlds.items():
        group = batch.groups[group_number]
        contacts = group.exchange.contacts(world)
        origin = group.exchange.origins[world] if batch.layout.in_world else np.zeros(3)

        def engine_body(row: int, at: tuple[int, int] = (group_number, world)) -> int:
            own = batch.groups[at[0]]
            if row <= ground_number(0):
                return own.scene.bodies[ground_number(row)].body
            if row == NOBODY or tuple(places[row, :2].tolist()) != at:
                return -1
            return int(own.places.bodies[places[row, 2]])

        for number in numbers:
            first = engine_body(int(bodies[number]))
            for place, other in enumerate(others[number].tolist()):
                second = engine_body(other)
                for sign, pair in ((-1.0, (first, second)), (1.0, (second, first))):
                    hits = np.flatnonzero((contacts.bodies == pair).all(axis=1))
                    found += [
                        (
                            number,
                            place,
                            float(contacts.forces[hit, 0]),
                            contacts.points[hit] + origin,
                            sign * contacts.normals[hit],
                            float(contacts.distances[hit]),
                            sign * contacts.frictions[hit],
                        )
                        for hit in hits.tolist()
                    ]
    found.sort(key=lambda row: row[:2])
    columns = list(zip(*found, strict=True)) if found else [()] * 7
    return PairContacts(
        np.array(columns[0], np.int64),
        np.array(columns[1], np.int64),
        np.array(columns[2], float),
        np.array(columns[3], float).reshape(-1, 3),
        np.array(columns[4], float).reshape(-1, 3),
        np.array(columns[5], float),
        np.array(columns[6], float).reshape(-1, 3),
    )


def _all_worlds(batch: Batch) -> list[tuple[int, int]]:
    return [
        (number, world)
        for number, group in enumerate(batch.groups)
        for world in range(group.exchange.count)
    ]
