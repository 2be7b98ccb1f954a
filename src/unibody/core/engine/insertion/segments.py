"""Runs of bodies of compiled models, and what their numbers refer to.

MuJoCo numbers bodies, joints, coordinates, geoms and all else in one order. The bodies of a run
have therefore one stretch in each array, and what refers to them is by one number less or more in
another model.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

_Ints = NDArray[np.int32]

# Counts of what belongs to bodies; the bounding boxes of meshes are counted with the meshes.
RUNS = (
    "nbody", "njnt", "ngeom", "nq", "nv", "ntree", "nmocap", "nM", "nB", "nC", "nD", "nbvhstatic",
    "ntendon", "nwrap", "nJten",
)  # fmt: skip

# What a number refers to; a negative one refers to nothing.
REFERS = {
    "body_parentid": "nbody", "body_rootid": "nbody", "body_weldid": "nbody",
    "body_mocapid": "nmocap", "body_jntadr": "njnt", "body_dofadr": "nv", "body_treeid": "ntree",
    "body_geomadr": "ngeom", "body_bvhadr": "nbvhstatic", "B_rowadr": "nB", "B_colind": "nv",
    "jnt_qposadr": "nq", "jnt_dofadr": "nv", "jnt_bodyid": "nbody",
    "dof_bodyid": "nbody", "dof_jntid": "njnt", "dof_parentid": "nv", "dof_treeid": "ntree",
    "dof_Madr": "nM", "M_rowadr": "nC", "D_rowadr": "nD", "M_colind": "nv", "D_colind": "nv",
    "mapM2M": "nM", "mapD2M": "nD", "mapM2D": "nC",
    "tree_bodyadr": "nbody", "tree_dofadr": "nv", "geom_bodyid": "nbody",
    "tendon_adr": "nwrap", "tendon_treeid": "ntree", "ten_J_rowadr": "nJten", "ten_J_colind": "nv",
    "wrap_objid": "njnt", "bvh_nodeid": "ngeom",
}  # fmt: skip

# The counts that arrays follow, and which of them each segment has a stretch of.
_FOLLOWED = {name: name for name in RUNS} | {"nbvh": "nbvhstatic"}


class Span(NamedTuple):
    """From where to where something lies."""

    first: int
    end: int


class Stretch(NamedTuple):
    """The rows of an array that belong to a run of bodies, copied.

    Attributes:
        name: Of the array.
        follows: What it has as many rows of.
        rows: Those of the run.
        refers: What their numbers refer to, by its count; None: to nothing.
        first: The first one of that in the run.
        least: Numbers below are the same in any model.
        all_move: There are none of them.
    """

    name: str
    follows: str
    rows: NDArray[Any]
    refers: str | None
    first: int
    least: int
    all_move: bool

    def moved(self, starts: dict[str, int]) -> NDArray[Any]:
        """The rows in a model where the run begins elsewhere."""
        if self.refers is None:
            return self.rows
        rows = self.rows + np.int32(starts[self.refers] - self.first)
        return rows if self.all_move else np.where(self.rows < self.least, self.rows, rows)


class Segment:
    """A run of bodies of a model.

    Args:
        model: Where they are; a body of the run is above or below no other one but of the run.
        bodies: Their numbers.
    """

    def __init__(self, model: Any, bodies: Span) -> None:
        self.model: Any = model
        self.bodies: Span = bodies
        self.spans: dict[str, Span] = _spans(model, bodies)

    def count(self, name: str) -> int:
        """How many of something there are."""
        span = self.spans[name]
        return span.end - span.first

    def own(self, name: str, count: str) -> NDArray[Any]:
        """The stretch of an array that follows a count, as it is."""
        span = self.spans[_FOLLOWED[count]]
        return getattr(self.model, name)[span.first : span.end]

    def stretch(self, name: str, count: str) -> Stretch:
        """The stretch of an array, for many models."""
        kind = REFERS.get(name)
        first = self.spans[kind].first if kind else 0
        least = 1 if kind == "nbody" else 0  # the world stays where it is
        rows = self.own(name, count).copy()
        all_move = kind is not None and bool((rows >= least).all())
        return Stretch(name, count, rows, kind, first, least, all_move)

    def rows(self, name: str, count: str, starts: dict[str, int]) -> NDArray[Any]:
        """The stretch of an array.

        Args:
            name: Of the array.
            count: How many rows the array has.
            starts: Where the run begins in the other model.
        """
        return self.stretch(name, count).moved(starts)


def follows(count: str) -> bool:
    """Whether arrays with so many rows have a stretch for each run of bodies."""
    return count in _FOLLOWED


def _spans(model: Any, bodies: Span) -> dict[str, Span]:
    first, end = bodies
    spans = {
        "nbody": bodies,
        "njnt": _within(model.jnt_bodyid, bodies),
        "ngeom": _within(model.geom_bodyid, bodies),
        "nv": _within(model.dof_bodyid, bodies),
        "ntree": _within(model.tree_bodyadr, bodies),
    }
    spans["nq"] = _by_rows(model.jnt_qposadr, spans["njnt"], int(model.nq))
    spans["nM"] = _by_rows(model.dof_Madr, spans["nv"], int(model.nM))
    spans["nC"] = _by_rows(model.M_rowadr, spans["nv"], int(model.nC))
    spans["nD"] = _by_rows(model.D_rowadr, spans["nv"], int(model.nD))
    spans["nB"] = _by_rows(model.B_rowadr, bodies, int(model.nB))
    held = model.body_mocapid >= 0
    before = int(held[:first].sum())
    spans["nmocap"] = Span(before, before + int(held[first:end].sum()))
    boxes = model.body_bvhnum
    before = int(boxes[:first].sum())
    spans["nbvhstatic"] = Span(before, before + int(boxes[first:end].sum()))
    spans["nwrap"] = _between(model.wrap_objid, spans["njnt"])
    spans["ntendon"] = _between(model.tendon_adr, spans["nwrap"])
    spans["nJten"] = _by_rows(model.ten_J_rowadr, spans["ntendon"], int(model.nJten))
    return spans


def _within(owners: _Ints, bodies: Span) -> Span:
    """What belongs to bodies, of something that is in the order of the bodies it belongs to."""
    first, end = np.searchsorted(owners, bodies).tolist()
    return Span(first, end)


def _between(numbers: _Ints, span: Span) -> Span:
    first, end = np.searchsorted(numbers, span).tolist()
    return Span(first, end)


def _by_rows(starts: _Ints, rows: Span, total: int) -> Span:
    """What rows have, of something that begins for each row where ``starts`` says."""
    count = len(starts)
    first, end = (int(starts[row]) if row < count else total for row in rows)
    return Span(first, end)
