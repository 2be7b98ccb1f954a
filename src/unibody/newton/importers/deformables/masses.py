"""How the mass of deformable bodies of a stage is shared out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import warp as wp

from unibody.newton import inertia as mass_properties
from unibody.newton.exceptions import warn
from unibody.newton.importers.deformables import materials
from unibody.newton.importers.deformables.reading import Elements, elements


def of_points(points: Sequence[float], corners: np.ndarray, volumes: np.ndarray) -> Any:
    """Masses of elements that masses of their points come from.

    A point has what its elements bring it: the same share of the volume of each. Its mass goes
    back to them by those shares.

    Args:
        points: kg, one a point.
        corners: Points of elements, (n, k).
        volumes: Of the elements, (n,).

    Returns:
        Shape (n,); None where a point has no volume beside it.
    """
    width = corners.shape[1]
    shares = np.repeat(volumes / width, width)
    beside = np.bincount(corners.reshape(-1), weights=shares, minlength=len(points))
    used = np.unique(corners)
    if ((beside[used] <= 0.0) | ~np.isfinite(beside[used])).any():
        return None
    density = np.zeros(len(points))
    density[used] = np.asarray(points)[used] / beside[used]
    return volumes / width * density[corners].sum(axis=1)


def to_points(masses: np.ndarray, corners: np.ndarray, count: int) -> np.ndarray:
    """Masses of points where each element gives all of its corners the same, (count,)."""
    width = corners.shape[1]
    shares = np.repeat(np.asarray(masses) / width, width)
    return np.bincount(corners.reshape(-1), weights=shares, minlength=count)


@dataclass(slots=True)
class Simplices:
    """Triangles or tetrahedra of a geometry.

    Attributes:
        name: "face" or "tetrahedron".
        corners: Particles of each, counted from the geometry's first, (n, k).
        volumes: Without load, (n,).
        count: How many the prim has.
        sources: Which of the prim's each one is of, (n,).
    """

    name: str
    corners: np.ndarray
    volumes: np.ndarray
    count: int
    sources: np.ndarray


def weigh_particles(builder: Any, prim: Any, first: int, parts: Simplices) -> Elements | None:
    """Give particles from a number on the masses that their prim or their body states.

    Returns:
        The masses that the prim states, if it does.
    """
    count = builder.particle_count - first
    if count <= 0:
        return None
    known = {"constant": 1, parts.name: parts.count, "point": count}
    stated = elements(prim, "masses", known, earlier="point")
    shares = None if stated is None else _shared(prim, stated, parts, count)
    if shares is not None:
        builder.particle_mass[first:] = [float(mass) for mass in shares]
        return stated
    total, _ = materials.overrides(prim)
    present = float(sum(builder.particle_mass[first:]))
    if total is not None and present > 0.0:
        builder.particle_mass[first:] = [
            mass * total / present for mass in builder.particle_mass[first:]
        ]
    return None


def _shared(prim: Any, stated: Elements, parts: Simplices, count: int) -> Any:
    values, volumes = np.array(stated.values), parts.volumes
    if stated.implied:
        return values
    if stated.kind == "constant":
        total = float(volumes.sum())
        if not (math.isfinite(total) and total > 0.0):
            _tell_of_no_volume(prim)
            return None
        masses = values[0] * volumes / total
    elif stated.kind == parts.name:
        wholes = np.bincount(parts.sources, weights=volumes, minlength=parts.count)
        masses = values[parts.sources] * volumes / wholes[parts.sources]
    else:
        unused = count - len(np.unique(parts.corners))
        if unused:
            warn(
                f"{prim.GetPath()}: physics:masses has {unused} unreferenced point value(s), of"
                " points of no element: they are left out"
            )
        masses = of_points(stated.values, parts.corners, volumes)
        if masses is None:
            _tell_of_no_volume(prim)
            return None
    return to_points(masses, parts.corners, count)


def _tell_of_no_volume(prim: Any) -> None:
    warn(f"{prim.GetPath()}: no positive finite volume: physics:masses is left out")


@dataclass(frozen=True, slots=True)
class Run:
    """Segments of one curve of a prim.

    Attributes:
        curve: Which of the prim's it is.
        first_point: The first of its points among the prim's.
        points: How many it has.
        first_segment: The first of its segments among the prim's.
        bodies: Of its segments.
        volumes: Of its segments.
        closed: Whether its last point is joined to the first.
    """

    curve: int
    first_point: int
    points: int
    first_segment: int
    bodies: list[int]
    volumes: list[float]
    closed: bool


def weigh_segments(
    builder: Any, prim: Any, runs: list[Run], counts: dict[str, int], density: float
) -> Elements | None:
    """Give segments the masses that their prim, their body or a density states.

    Args:
        builder: The builder.
        prim: The curves.
        runs: Their segments.
        counts: How many parts of each kind the prim has.
        density: Where no mass is stated.

    Returns:
        The masses that the prim states, if it does.
    """
    stated = elements(prim, "masses", counts, earlier="point")
    total = sum(sum(run.volumes) for run in runs)
    shares: list[Any] = []
    if stated is not None:
        shares = [_of_run(stated, run, total) for run in runs]
        if any(share is None for share in shares):
            _tell_of_no_volume(prim)
            stated = None
    if stated is None:
        whole, _ = materials.overrides(prim)
        weight = density if density > 0.0 or whole is None else 1.0
        shares = [weight * np.array(run.volumes) for run in runs]
        present = float(sum(share.sum() for share in shares))
        if whole is not None and present > 0.0:
            shares = [share * whole / present for share in shares]
    for run, share in zip(runs, shares, strict=True):
        for body, mass in zip(run.bodies, share, strict=True):
            set_mass(builder, body, float(mass))
    return stated


def _of_run(stated: Elements, run: Run, total: float) -> Any:
    """Masses of a curve's segments; None where it has no volume to share by."""
    volumes = np.array(run.volumes)
    own = float(volumes.sum())
    if stated.kind in ("constant", "curve"):
        whole = total if stated.kind == "constant" else own
        value = stated.values[0 if stated.kind == "constant" else run.curve]
        return value * volumes / whole if math.isfinite(whole) and whole > 0.0 else None
    if stated.kind == "segment":
        return np.array(stated.values[run.first_segment : run.first_segment + len(run.bodies)])
    points = np.array(stated.values[run.first_point : run.first_point + run.points])
    first = np.arange(len(run.bodies))
    corners = np.stack([first, (first + 1) % run.points], axis=1)
    if not stated.implied:
        return of_points(points.tolist(), corners, volumes)
    halves = np.full(run.points, 0.5)
    if not run.closed:  # ends have one segment, which has all of them
        halves[[0, -1]] = 1.0
    return (points * halves)[corners].sum(axis=1)


def set_mass(builder: Any, body: int, mass: float) -> None:
    """Give a segment a mass, and the inertia of its shape with it."""
    present = float(builder.body_mass[body])
    unit = builder.body_inertia[body] * (1.0 / present) if present > 0.0 else None
    if unit is None:
        unit = _inertia_of_capsule(builder, body)
    builder.body_mass[body] = mass
    builder.body_inv_mass[body] = 1.0 / mass if mass > 0.0 else 0.0
    _set_inertia(builder, body, unit * mass)


def set_radius(builder: Any, body: int, radius: float) -> None:
    """Give a segment's capsule a radius, and the inertia of that at the mass that it has."""
    for shape in builder.body_shapes[body][:1]:
        half = float(builder.shape_scale[shape][1])
        builder.shape_scale[shape] = wp.vec3(radius, half, 0.0)
        builder.shape_collision_radius[shape] = radius + half
        unit = _inertia_of_capsule(builder, body)
        _set_inertia(builder, body, unit * float(builder.body_mass[body]))


def _inertia_of_capsule(builder: Any, body: int) -> Any:
    """The inertia of a segment's capsule with a mass of 1 kg."""
    shapes = builder.body_shapes[body]
    if not shapes:
        return wp.mat33()
    radius, half = (float(v) for v in builder.shape_scale[shapes[0]][:2])
    whole = mass_properties.capsule(1.0, radius, half)
    return wp.mat33(*(whole.inertia / whole.mass).reshape(-1).tolist())


def _set_inertia(builder: Any, body: int, inertia: Any) -> None:
    builder.body_inertia[body] = inertia
    builder.body_inv_inertia[body] = mass_properties.inverse(inertia)
