"""Bodies that move up in a running world, because one before them is gone."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

from unibody.core.engine.records.body import BodyRecord
from unibody.core.engine.spec.constraint import ConstraintRecord
from unibody.core.engine.spec.link_pairs import LinkPairs
from unibody.core.engine.states import transfer

_STATE = (
    "qpos", "qvel", "qfrc_applied", "qacc_warmstart", "xfrc_applied", "mocap_pos", "mocap_quat",
    "userdata",
)  # fmt: skip


class Renumbering:
    """Some bodies with the state that they have now.

    Args:
        data: MjData.
        records: The bodies.
    """

    def __init__(self, data: Any, records: list[BodyRecord]) -> None:
        self.records = records
        self._before = [transfer.address(record) for record in records]
        self._state = (
            SimpleNamespace(**{name: getattr(data, name).copy() for name in _STATE})
            if records
            else None
        )

    def put(self, data: Any) -> None:
        """Give them their state again, where they are now."""
        for record, before in zip(self.records, self._before, strict=True):
            transfer.copy_body(self._state, data, before, transfer.address(record))


def referred_to(constraints: Mapping[int, ConstraintRecord], pairs: LinkPairs) -> set[int]:
    """Ids of the bodies whose numbers in a world something else refers to: they keep them."""
    held = {number for record in constraints.values() for number in record.body_ids}
    return held | pairs.bodies
