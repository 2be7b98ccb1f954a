"""Masses, inertias and surfaces, as views of bodies and of articulations have them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from unibody.core.assets.rotations import rotations
from unibody.core.batch import tables
from unibody.core.batch.selection import Selection
from unibody.core.batch.tables import BodyFlag
from unibody.isaac_core.physics.tensors.base import Array, Ints, View


def masses(view: View, bodies: Selection) -> Array:
    """Masses, of the shape of the selection."""
    return view._read(bodies, "masses")


def inverse_masses(view: View, bodies: Selection) -> Array:
    """Inverse masses; 0 where there is no body."""
    found = masses(view, bodies)
    return np.divide(1.0, found, out=np.zeros_like(found), where=found > 0.0)


def inertias(view: View, bodies: Selection) -> Array:
    """Inertias as rows of nine numbers."""
    found = view._read(bodies, "inertias")
    return found.reshape(*found.shape[:-2], 9)


def inverse_inertias(view: View, bodies: Selection) -> Array:
    """Inverses of the inertias; 0 where a body has none."""
    found = view._read(bodies, "inertias").astype(float)
    regular = np.linalg.det(found) > 0.0
    whole = np.where(regular[..., None, None], found, np.eye(3))
    inverse = np.linalg.inv(whole) * regular[..., None, None]
    return inverse.reshape(*found.shape[:-2], 9)


def coms(view: View, bodies: Selection) -> Array:
    """Mass centres and principal axes as quaternions xyzw."""
    centres = view._read(bodies, "mass_centres")
    whole = view._read(bodies, "inertias").astype(float).reshape(-1, 3, 3)
    same = np.tile([1.0, 0.0, 0.0, 0.0], (len(whole), 1))
    _, quats = tables.principal(whole, same)
    quats = np.roll(quats, -1, axis=-1).reshape(*centres.shape[:-1], 4)
    axes = view.__dict__.get("_axes")
    if axes is not None:
        quats = np.where(np.isnan(axes), quats, axes)
    return np.concatenate([centres, quats], axis=-1)


def set_coms(view: View, bodies: Selection, poses: Array, rows: Ints) -> None:
    """Move mass centres, and turn inertias to the axes given."""
    before = coms(view, bodies)[rows][..., 3:].astype(float)
    moments = view._read(bodies, "inertias")[rows].astype(float)
    was = rotations(np.roll(before, 1, axis=-1))
    now = rotations(np.roll(poses[..., 3:].astype(float), 1, axis=-1))
    turn = now @ np.swapaxes(was, -1, -2)
    turned = turn @ moments @ np.swapaxes(turn, -1, -2)
    view._write(bodies, "mass_centres", poses[..., :3], rows)
    if not np.allclose(turned, moments, rtol=1e-5, atol=0.0):
        view._write(bodies, "inertias", turned, rows)
    axes = view.__dict__.setdefault("_axes", np.full((*bodies.numbers.shape, 4), np.nan))
    axes[rows] = poses[..., 3:]


def weightless(view: View, bodies: Selection) -> Array:
    """Whether gravity does not act on each body."""
    view._usable()
    flags = view._batch.buffers.body_table["flags"][bodies.numbers]
    return ((flags & BodyFlag.WEIGHTLESS) != 0) & bodies.mask


def set_weightless(view: View, bodies: Selection, values: Array, rows: Ints) -> None:
    """Say which bodies gravity does not act on."""
    table = view._batch.buffers.body_table
    numbers = bodies.numbers[rows]
    there = numbers >= 0
    flags = table["flags"][numbers[there]] & ~np.uint32(BodyFlag.WEIGHTLESS)
    table["flags"][numbers[there]] = flags | np.where(
        np.asarray(values)[there] != 0, np.uint32(BodyFlag.WEIGHTLESS), np.uint32(0)
    )
    for actor in {id(a): a for a in (bodies.owners[row] for row in rows.tolist())}.values():
        view._batch.bodies_changed(actor)


def disabled(view: View, bodies: Selection) -> Array:
    """Whether each body takes no part in the simulation."""
    view._usable()
    flags = view._batch.buffers.body_table["flags"][bodies.numbers]
    return (flags & BodyFlag.DISABLED) != 0


def set_disabled(view: View, bodies: Selection, values: Array, rows: Ints) -> None:
    """Take bodies out of the simulation, or back into it: worlds are built anew."""
    if not len(rows):
        return
    view._batch.edited()
    flags = view._batch.buffers.body_table["flags"]
    numbers = bodies.numbers[rows]
    flags[numbers] &= ~np.uint32(BodyFlag.DISABLED)
    flags[numbers[values]] |= np.uint32(BodyFlag.DISABLED)


class Shapes:
    """Collision shapes of bodies, or of whole actors.

    Args:
        view: The view.
        owners: Actor, and number of the body; None: all bodies.

    Attributes:
        most: Shapes of the one with the most.
    """

    def __init__(self, view: View, owners: Sequence[tuple[Any, int | None]]) -> None:
        self._view = view
        places = [
            [n for n, shape in enumerate(actor.kind.shapes) if body is None or shape.body == body]
            for actor, body in owners
        ]
        self.most: int = max((len(own) for own in places), default=0)
        numbers = np.full((len(places), self.most), -1, np.int64)
        for row, own in zip(numbers, places, strict=True):
            row[: len(own)] = own
        actors = [actor for actor, _ in owners]
        self.shapes: Selection = Selection(view._batch, "shape", actors, numbers, [])
        self._static = np.full(numbers.shape, np.nan, np.float32)

    def materials(self) -> Array:
        """Static and dynamic friction, and restitution."""
        dynamic = self._view._read(self.shapes, "frictions")
        static = np.where(np.isnan(self._static), dynamic, self._static)
        bounce = self._view._read(self.shapes, "restitutions")
        return np.stack([static, dynamic, bounce], axis=-1)

    def set_materials(self, values: Array, rows: Ints) -> None:
        """Set the same."""
        self._static[rows] = values[..., 0]
        there = self.shapes.numbers[rows] >= 0
        if (values[..., 0] != values[..., 1])[there].any():
            self._view._shared.warn("static friction is left out: bodies stick by the dynamic one")
        self._view._write(self.shapes, "frictions", values[..., 1], rows)
        self._view._write(self.shapes, "restitutions", values[..., 2], rows)
