"""Writing many bodies into a spec at once.

MuJoCo goes through all elements of a spec whenever a body or a shape is added to it. Bodies that
are written into small specs, which are then attached to the large one, take a fifteenth of the time
where there are ten thousand; the compiled model is the same.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection
from typing import Any

import mujoco

from unibody.core.engine.records.body import BodyRecord
from unibody.core.engine.spec.geometry import PRIMITIVES, MeshStore
from unibody.core.engine.spec.writer import body_name, write_body

_FEW = 64  # bodies: so many take no longer one by one
_PART = 300  # bodies of a small spec: it matters little from 100 to 500


def write_bodies(spec: Any, records: Collection[BodyRecord], store: MeshStore) -> None:
    """Write bodies into a spec, in their order.

    Raises:
        AssetError: A mesh cannot be read. Bodies before that one are in the spec.
    """
    for alone, run in itertools.groupby(records, _stands_alone):
        bodies = list(run)
        if not alone or len(bodies) < _FEW:
            for record in bodies:
                write_body(spec, record, store)
            continue
        for first in range(0, len(bodies), _PART):
            _attach(spec, bodies[first : first + _PART], store)


def _stands_alone(record: BodyRecord) -> bool:
    """Whether a body refers to nothing else in a spec: one link, made of primitives."""
    shapes = record.asset.links[0].collisions
    return len(record.asset.links) == 1 and all(shape.kind in PRIMITIVES for shape in shapes)


def _attach(spec: Any, records: list[BodyRecord], store: MeshStore) -> None:
    """Write bodies into a spec of their own, and make that a part of another."""
    part = mujoco.MjSpec()
    part.compiler.degree = part.compiler.autolimits = False
    for record in records:
        write_body(part, record, store)
    # Without a prefix MuJoCo warns in every compile; the names are what they were.
    prefix = f"from_{records[0].id}_"
    spec.attach(part, frame=spec.worldbody.add_frame(), prefix=prefix)
    for record in records:
        record.links[0].spec_body.name = body_name(record, 0)
