"""Taking bodies out of a spec: one by one, or by writing those that stay into a new one.

MuJoCo deletes a body from a spec in time that grows with all bodies that are in it. To clear a
thousand of them one after the other would take seconds, so bodies that were removed are collected,
and taken out before the next compile in the way that is cheaper.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from unibody.core.engine.records.body import BodyRecord
from unibody.core.engine.spec.geometry import MeshStore
from unibody.core.engine.spec.many import write_bodies
from unibody.core.engine.spec.writer import make_record

# Costs, measured in microseconds.
_DELETE = 2.0  # one body, for each body in the spec
_LINK, _MESH = 60.0, 1500.0  # to write a link, and a mesh
_JOINT_FIELDS = ("damping", "frictionloss", "limited", "range")


def is_cheaper(removed: Collection[BodyRecord], staying: Collection[BodyRecord]) -> bool:
    """Whether to write what stays is cheaper than to delete what was removed."""
    writing = sum(_LINK * len(r.links) + _MESH * len(r.meshes) for r in staying)
    return writing < _DELETE * len(removed) * (len(removed) + len(staying))


def rewrite_bodies(spec: Any, store: MeshStore, records: Collection[BodyRecord]) -> None:
    """Write bodies into another spec, with all that was changed of them since.

    Raises:
        AssetError: A mesh cannot be read any more. The records still belong to the spec before.
    """
    copies: list[BodyRecord] = []
    for record in records:
        copy = make_record(record.id, record.asset, record.options, like=record)
        copy.home = record.home
        copies.append(copy)
    write_bodies(spec, copies, store)
    for record, copy in zip(records, copies, strict=True):
        _take_over(record, copy)


def _take_over(record: BodyRecord, copy: BodyRecord) -> None:
    """Let a record refer to the elements of its copy."""
    for link, other in zip(record.links, copy.links, strict=True):
        link.spec_body, link.spec_geoms = other.spec_body, other.spec_geoms
        link.shape_of_geom = other.shape_of_geom
    for joint, other in zip(record.joints, copy.joints, strict=True):
        for old, new in zip(joint.spec_joints, other.spec_joints, strict=False):  # if it had any
            for name in _JOINT_FIELDS:
                setattr(new, name, getattr(old, name))
        joint.spec_joints = other.spec_joints
    record.tendons, record.excludes, record.meshes = copy.tendons, copy.excludes, copy.meshes
