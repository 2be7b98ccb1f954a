"""Where each body of a scene lies in the compiled model."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unibody.core.engine.records.body import BodyRecord, JointRecord


class _Addresses(NamedTuple):
    """Where what is yet to be numbered lies, by MuJoCo's numbers."""

    geom: dict[int, int]  # first geom of a body
    qpos: dict[int, int]  # of a joint
    dof: dict[int, int]


@dataclass(slots=True)
class Index:
    """The addresses that come after the bodies numbered so far.

    MuJoCo numbers trees of bodies, and tendons, in the order they are written, so bodies that were
    added last never move the others: only they have to be numbered after a compile.
    """

    count: int = 0  # bodies numbered
    body: int = 1
    joint: int = 0
    drive: int = 0
    ball: int = 0
    mocap: int = 0

    def number(self, model: Any, records: Iterable[BodyRecord]) -> None:
        """Write the addresses of further bodies into their records."""
        body, joint = self.body, self.joint
        addresses = _Addresses(
            _from(model.body_geomadr, body),
            _from(model.jnt_qposadr, joint),
            _from(model.jnt_dofadr, joint),
        )
        for record in records:
            self._number(addresses, record)
            self.count += 1

    def drop(self, records: Collection[BodyRecord]) -> None:
        """Forget the bodies of one link that came last."""
        moving = sum(not record.fixed for record in records)
        self.count -= len(records)
        self.body -= len(records)
        self.joint -= moving
        self.mocap -= len(records) - moving

    def _number(self, addresses: _Addresses, record: BodyRecord) -> None:
        record.body, record.joint, record.drive = self.body, self.joint, self.drive
        record.ball = self.ball
        record.mocap = self.mocap if record.options.fixed else -1
        self.mocap += record.options.fixed
        order = _depth_first(record) if len(record.links) > 1 else (0,)
        first, count = -1, 0
        for number, link in enumerate(order, start=self.body):
            state, geom = record.links[link], addresses.geom[number]
            state.body, state.geom = number, geom
            count += state.ngeom
            if first < 0 or 0 <= geom < first:
                first = geom
        record.geom, record.ngeom = first, count
        record.nq = record.nv = 0
        record.qpos = record.dof = -1
        for link in order:
            if record.joints[link].nv:
                self._number_joint(addresses, record, record.joints[link])
        self.drive += len(record.drive_joints)
        self.ball += len(record.ball_joints)
        self.body += len(record.links)

    def _number_joint(self, addresses: _Addresses, record: BodyRecord, joint: JointRecord) -> None:
        joint.joint = self.joint
        joint.qpos, joint.dof = addresses.qpos[self.joint], addresses.dof[self.joint]
        if record.qpos < 0:
            record.qpos, record.dof = joint.qpos, joint.dof
        record.nq += joint.nq
        record.nv += joint.nv
        if joint.local_drive >= 0:
            joint.drive = record.drive + joint.local_drive
        self.joint += joint.njnt


def take_over(record: BodyRecord, slot: BodyRecord) -> None:
    """Give a body of one link the addresses of one that is gone."""
    record.body, record.mocap, record.joint = slot.body, slot.mocap, slot.joint
    record.drive, record.ball = slot.drive, slot.ball
    record.qpos, record.dof, record.nq, record.nv = slot.qpos, slot.dof, slot.nq, slot.nv
    record.geom, record.ngeom = slot.geom, slot.ngeom
    state, joint, before = record.links[0], record.joints[0], slot.joints[0]
    state.body, state.geom = slot.links[0].body, slot.links[0].geom
    joint.joint, joint.qpos, joint.dof = before.joint, before.qpos, before.dof


def _from(array: NDArray[np.int32], first: int) -> dict[int, int]:
    """The numbers of an array from an index on, by their index."""
    numbers: list[int] = array[first:].tolist()
    return dict(enumerate(numbers, start=first))


def owners(
    nbody: int, records: Iterable[BodyRecord], before: NDArray[np.int64], kind: str
) -> NDArray[np.int64]:
    """For each MuJoCo body the id (``kind`` "body") or link number ("link") of what it is.

    Args:
        nbody: Number of MuJoCo bodies.
        records: The bodies that ``before`` does not know yet.
        before: The same for the bodies that are there already.
        kind: "body" or "link"; PyBullet's link number, -1 for a base.
    """
    result = np.full(nbody, -1, dtype=np.int64)
    result[: len(before)] = before
    for record in records:
        for link, state in enumerate(record.links):
            result[state.body] = record.id if kind == "body" else link - 1
    return result


def _depth_first(record: BodyRecord) -> Sequence[int]:
    """Links in the order in which MuJoCo numbers bodies: each with all below it, then the next."""
    parents = [state.link.parent for state in record.links]
    children: list[list[int]] = [[] for _ in parents]
    for link in range(len(parents) - 1, 0, -1):
        children[parents[link]].append(link)
    order: list[int] = []
    waiting = [0]
    while waiting:
        order.append(waiting.pop())
        waiting.extend(children[order[-1]])
    return order
