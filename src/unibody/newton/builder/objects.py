"""Cables, cloths and soft bodies as wholes: names, and where their parts are in a builder."""

from __future__ import annotations

from typing import Any

from unibody.newton.builder.tables import RANGES, Tables
from unibody.newton.exceptions import warn


def counts(self: Tables, family: str) -> list[int]:
    """How many there are by now of each kind of a family's parts."""
    return [self.count(kind) for kind in RANGES[family]]


def record(self: Tables, family: str, label: str | None, before: list[int]) -> None:
    """Note an object whose parts were added since there were as many as `before`.

    Args:
        self: The builder.
        family: "curve", "surface" or "volume".
        label: Its name; None: the family and a number.
        before: See `counts`.
    """
    after = counts(self, family)
    getattr(self, f"{family}_label").append(label or f"{family}_{self.count(family)}")
    getattr(self, f"{family}_world").append(self.current_world)
    for kind, start, end in zip(RANGES[family], before, after, strict=True):
        getattr(self, f"_{family}_{kind}_start").append(start)
        getattr(self, f"_{family}_{kind}_end").append(end)


def curves_left(
    self: Tables, bodies: list[int], joints: list[int]
) -> tuple[dict[int, int], list[str], dict[str, list[Any]]]:
    """Where curves begin and end when only some bodies and joints stay.

    Args:
        self: The builder.
        bodies: Those that stay, by their old indices, in order.
        joints: Likewise.

    Returns:
        Old index of each curve that stays -> new one; the labels of those without bodies; and the
        lists of those that stay.
    """
    stay = {"body": bodies, "joint": joints}
    ends: dict[str, list[int]] = {}
    for kind, kept in stay.items():
        before = [0]
        remaining = set(kept)
        for index in range(self.count(kind)):
            before.append(before[-1] + (index in remaining))
        for end in ("start", "end"):
            name = f"_curve_{kind}_{end}"
            ends[name] = [before[bound] for bound in getattr(self, name)]
    spans = zip(ends["_curve_body_start"], ends["_curve_body_end"], strict=True)
    left = [curve for curve, (start, end) in enumerate(spans) if end > start]
    gone = [label for curve, label in enumerate(self.curve_label) if curve not in set(left)]
    columns = {"curve_label": self.curve_label, "curve_world": self.curve_world, **ends}
    kept = {name: [rows[curve] for curve in left] for name, rows in columns.items()}
    return {old: new for new, old in enumerate(left)}, gone, kept


def tell_gone(labels: list[str]) -> None:
    """Warn of curves that have become part of other bodies."""
    for label in labels:
        warn(
            f"Deformable curve {label!r} is unavailable: collapse_fixed_joints removed all of its"
            " segment bodies. joints_to_keep names fixed joints that stay"
        )
