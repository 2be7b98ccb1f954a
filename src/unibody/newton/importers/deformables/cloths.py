"""Surfaces of a stage as cloth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import warp as wp

from unibody.newton import usd
from unibody.newton.exceptions import NewtonDeprecationWarning, warn
from unibody.newton.importers.deformables import masses, materials
from unibody.newton.importers.deformables.cloth_rest import Edges, Rest, rest_of, stated_angles
from unibody.newton.importers.deformables.context import Reading
from unibody.newton.importers.deformables.materials import Material
from unibody.newton.importers.deformables.places import placed, reflects, rounded
from unibody.newton.importers.deformables.reading import (
    LOGGER,
    Elements,
    collides,
    elements,
    read,
    reason_to_skip,
    tell_of_lost,
    tell_of_particles,
)
from unibody.newton.importers.deformables.scout import tell_of_second

_SCHEMA = "PhysicsSurfaceDeformableMaterialAPI"
_MODES = ("Stretch", "Shear", "Bend")
_EARLIER = ("thickness", "stretchStiffness", "shearStiffness", "bendStiffness")
_PRESENT = (
    *("surfaceThickness", "youngsModulus", "poissonsRatio"),
    *(f"surface{mode}Stiffness" for mode in _MODES),
)
_BENT = 1e-6  # rad


@dataclass(slots=True)
class Faces:
    """The faces of a mesh as triangles.

    Attributes:
        count: Of the faces.
        triangles: As they are simulated, (t, 3).
        authored: In the order of the prim's corners.
        sources: The face that each is of, (t,).
        flipped: Whether the former are turned round.
    """

    count: int
    triangles: np.ndarray
    authored: np.ndarray
    sources: np.ndarray
    flipped: bool


def add_cloths(reading: Reading) -> None:
    """Add the surfaces of a stage that are simulated as cloth."""
    for prim in reading.found.surfaces:
        reason = reason_to_skip(prim)
        if reason:
            warn(f"{prim.GetPath()}: {reason}: it is left out")
        elif not tell_of_second(reading.found, prim):
            _add(reading, prim)


def _add(reading: Reading, prim: Any) -> None:
    from pxr import UsdGeom

    path, matrix = str(prim.GetPath()), reading.matrix(prim)
    mesh = UsdGeom.Mesh(prim)
    faces = _faces(mesh, matrix)
    if faces is None:
        return
    bending = _bending(prim)
    tell_of_lost(prim, _SCHEMA)
    points = rounded(placed(mesh.GetPointsAttr().Get(), matrix))
    try:
        rest = rest_of(prim, matrix, points, (faces.triangles, faces.authored, faces.flipped))
    except (ValueError, np.linalg.LinAlgError) as error:
        LOGGER.warning("%s: invalid cloth simulation shape (%s); skipping it", path, error)
        return
    material = materials.of_surface(prim)
    _tell_of_earlier(path, material)
    counts = {"constant": 1, "face": faces.count, "point": len(points)}
    stated = elements(prim, "thicknesses", counts)
    usual = _usual_thickness(reading, prim, material or {}, stated)
    density = materials.density_of(
        prim, (material or {}).get("density"), reading.metres, read_material=material is None
    )
    collide, _ = collides(prim, reading.ignored)
    tell_of_particles(path, collide=collide)
    thickness = Thickness.of(stated, faces, len(points), usual)
    builder = reading.builder
    start = (builder.particle_count, builder.tri_count, builder.edge_count)
    first = stiffnesses(material, thickness.faces[:1], reading.metres)
    _tell_of_shear(path, material)
    builder.add_cloth_mesh(
        pos=wp.vec3(),
        rot=wp.quat_identity(),
        scale=1.0,
        vel=wp.vec3(),
        vertices=points,
        indices=faces.triangles.reshape(-1),
        density=0.0,
        tri_ke=_one(first, 0),
        tri_ka=0.0,
        edge_ke=_one(first, 2),
        particle_radius=0.5 * float(thickness.points[0]),
        label=path,
    )
    added = _Added(reading, prim, start, faces, thickness)
    added.write_rest(rest)
    added.write_stiffnesses(material)
    added.write_angles(rest, bending)
    volumes = rest.areas * thickness.faces
    own = added.weigh(volumes, density)
    ends = (builder.particle_count, builder.tri_count, builder.edge_count)
    spans = zip(("particle", "tri", "edge"), start, ends, strict=True)
    reading.cloths[path] = {kind: (begin, end) for kind, begin, end in spans}
    reading.attributes["cloth"][path] = {
        "material": dict(material or {}),
        "resolved_density": density,
        "rest_bend_angles_default": bending,
        **simulation(stated, own),
    }


def _bending(prim: Any) -> str:
    """What angles between faces are without load where none are stated."""
    found = str(read(prim, "restBendAnglesDefault") or "flat")
    if found in ("flat", "restShape"):
        return found
    LOGGER.warning(
        "%s: invalid physics:restBendAnglesDefault %r, not 'restShape': using 'flat'",
        prim.GetPath(), found,
    )  # fmt: skip
    return "flat"


def simulation(thicknesses: Elements | None, own: Elements | None) -> dict[str, Any]:
    """What `add_usd` returns of thicknesses and masses that a geometry states."""
    found: dict[str, Any] = {}
    if thicknesses is not None:
        found["thicknesses"] = thicknesses.told(implied=False)
    if own is not None:
        found["masses"] = own.told(implied=True)
    return {"simulation": found} if found else {}


def _one(values: tuple[Any, ...] | None, place: int) -> float | None:
    value = None if values is None else values[place]
    return None if value is None else float(value[0])


def _faces(mesh: Any, matrix: np.ndarray) -> Faces | None:
    """The faces of a mesh as fans of triangles; None, with a line, where they do not fit."""
    from pxr import UsdGeom

    path = mesh.GetPath()
    points, counts = mesh.GetPointsAttr().Get(), mesh.GetFaceVertexCountsAttr().Get()
    corners = mesh.GetFaceVertexIndicesAttr().Get()
    if not points or not counts or not corners:
        LOGGER.warning("%s: cloth mesh missing points / topology: it is left out", path)
        return None
    sizes, indices = np.array(counts, dtype=int), np.array(corners, dtype=int)
    problem = ""
    if (sizes < 3).any():
        problem = "has a face with fewer than 3 vertices"
    elif sizes.sum() != len(indices):
        problem = f"faceVertexCounts sum {sizes.sum()} != faceVertexIndices length {len(indices)}"
    elif (indices < 0).any() or (indices >= len(points)).any():
        problem = f"has a face vertex index outside the {len(points)}-point array"
    if problem:
        LOGGER.warning("%s: cloth mesh %s: it is left out", path, problem)
        return None
    starts = np.cumsum(sizes) - sizes
    sources = np.repeat(np.arange(len(sizes)), sizes - 2)
    steps = np.concatenate([np.arange(size - 2) for size in sizes.tolist()])
    hubs = starts[sources]
    authored = np.stack([indices[hubs], indices[hubs + steps + 1], indices[hubs + steps + 2]], 1)
    left = mesh.GetOrientationAttr().Get() == UsdGeom.Tokens.leftHanded
    flipped = left != reflects(matrix)
    turned = authored[:, ::-1] if flipped else authored
    return Faces(len(sizes), turned, authored, sources, flipped)


@dataclass(slots=True)
class Thickness:
    """How thick a cloth is at its triangles and its points [m].

    Attributes:
        faces: (t,).
        points: (n,).
        by_points: Whether points state it.
    """

    faces: np.ndarray
    points: np.ndarray
    by_points: bool

    @staticmethod
    def of(stated: Elements | None, faces: Faces, count: int, usual: float) -> Thickness:
        """The thicknesses that a geometry states; points have the mean of the faces at them."""
        if stated is None or stated.kind == "constant":
            value = usual if stated is None else stated.values[0]
            return Thickness(np.full(len(faces.triangles), value), np.full(count, value), False)
        values = np.array(stated.values)
        if stated.kind == "point":
            return Thickness(values[faces.triangles].mean(axis=1), values, True)
        at = np.unique(np.stack([faces.triangles.reshape(-1), np.repeat(faces.sources, 3)]), axis=1)
        sums = np.bincount(at[0], weights=values[at[1]], minlength=count)
        counts = np.bincount(at[0], minlength=count)
        points = np.where(counts > 0, sums / np.maximum(counts, 1), usual)
        return Thickness(values[faces.sources], points, False)

    def at_edges(self, edges: Edges) -> np.ndarray:
        """The mean of the ends of edges, or of the triangles beside them."""
        if self.by_points:
            return self.points[edges.rows[:, 2:]].mean(axis=1)
        first = self.faces[edges.beside[:, 0]]
        second = self.faces[edges.beside[:, 1]]
        return np.where(edges.beside[:, 1] >= 0, 0.5 * (first + second), first)


def _usual_thickness(
    reading: Reading, prim: Any, material: Material, stated: Elements | None
) -> float:
    """The thickness where the geometry states none."""
    found = material.get("surfaceThickness", material.get("thickness"))
    if found is None and usd.get_attribute(prim, "newton:massModel") == "shell":
        shell = usd.get_float(prim, "newton:shellThickness")
        found = shell if shell is not None and shell > 0.0 else None
    if found is not None:
        return found
    usual = materials.THICKNESS / reading.metres
    if stated is None:
        warn(
            f"{prim.GetPath()}: no valid surface thickness is stated: the 1 mm physical fallback"
            f" ({usual:g} stage units) counts; physics:thicknesses = [{2.0 * usual:g}] with"
            " physics:thicknesses:elementType = 'constant' keeps Newton's previous 2 mm default"
        )
    return usual


def stiffnesses(
    material: Material | None, thickness: np.ndarray, metres: float
) -> tuple[Any, Any, Any] | None:
    """Stiffnesses of a plate: stretch and shear [N/m], bend [N m].

    Each is that of the material, else one of an earlier draft, per thickness or its cube, else
    that of a plate of its Young's modulus and Poisson's ratio: E h / (1 - nu^2), G h and
    E h^3 / (12 (1 - nu^2)).

    Args:
        material: Its numbers.
        thickness: (n,).
        metres: In a unit of the stage.

    Returns:
        Arrays (n,), None for what is not stated; None where there is no material.
    """
    if material is None:
        return None
    factors = (thickness, thickness, thickness**3)
    earlier = [
        None if (value := material.get(f"{mode.lower()}Stiffness")) is None else value * factor
        for mode, factor in zip(_MODES, factors, strict=True)
    ]
    if any(name in material for name in _EARLIER) and not any(n in material for n in _PRESENT):
        return earlier[0], earlier[1], earlier[2]
    young = material.get("youngsModulus", materials.YOUNG * metres)
    poisson = material.get("poissonsRatio", materials.POISSON)
    plane = 1.0 - poisson**2
    derived = (
        young * thickness / plane,
        0.5 * young / (1.0 + poisson) * thickness,
        young * thickness**3 / (12.0 * plane),
    )
    found: list[Any] = []
    for mode, before, usual in zip(_MODES, earlier, derived, strict=True):
        own = material.get(f"surface{mode}Stiffness")
        given = usual if before is None else before
        found.append(given if own is None else np.full_like(thickness, own))
    return found[0], found[1], found[2]


class _Added:
    """A cloth of a builder whose rows are corrected.

    Args:
        reading: The stage.
        prim: The mesh.
        start: Its first particle, triangle and edge.
        faces: Its triangles.
        thickness: How thick it is.
    """

    def __init__(
        self,
        reading: Reading,
        prim: Any,
        start: tuple[int, int, int],
        faces: Faces,
        thickness: Thickness,
    ) -> None:
        self._builder, self._metres = reading.builder, reading.metres
        self._prim, self._faces, self._thickness = prim, faces, thickness
        self._particle, self._triangle, self._edge = start
        rows = np.array(self._builder.edge_indices[self._edge :], dtype=int).reshape(-1, 4)
        local = np.where(rows >= 0, rows - self._particle, -1)
        self._edges = Edges.of(local, faces.triangles)

    def write_rest(self, rest: Rest) -> None:
        """Write triangles without load, lengths of edges, and radii of particles."""
        builder = self._builder
        builder.particle_radius[self._particle :] = (0.5 * self._thickness.points).tolist()
        if rest.stated:
            builder.tri_poses[self._triangle :] = rest.poses.tolist()
            builder.tri_areas[self._triangle :] = rest.areas.tolist()
            lengths = self._edges.lengths(rest, str(self._prim.GetPath()))
            builder.edge_rest_length[self._edge :] = lengths.tolist()

    def write_stiffnesses(self, material: Material | None) -> None:
        """Write stiffnesses where the thickness is not the same everywhere."""
        builder = self._builder
        if material is None:
            return
        at_faces, at_edges = self._thickness.faces, self._thickness.at_edges(self._edges)
        if (at_faces != at_faces[0]).any():
            found = stiffnesses(material, at_faces, self._metres)
            stretch = None if found is None else found[0]
            for number, row in enumerate(builder.tri_materials[self._triangle :]):
                ke = builder.default_tri_ke if stretch is None else float(stretch[number])
                builder.tri_materials[self._triangle + number] = (ke, *row[1:])
        if len(at_edges) and (at_edges != at_faces[0]).any():
            found = stiffnesses(material, at_edges, self._metres)
            bend = None if found is None else found[2]
            for number, row in enumerate(builder.edge_bending_properties[self._edge :]):
                ke = builder.default_edge_ke if bend is None else float(bend[number])
                builder.edge_bending_properties[self._edge + number] = (ke, *row[1:])

    def write_angles(self, rest: Rest, bending: str) -> None:
        """Write angles between faces without load.

        Args:
            rest: Triangles without load.
            bending: "flat" or "restShape", where the prim states no angles.
        """
        builder, prim = self._builder, self._prim
        path = prim.GetPath()
        live = np.array(builder.edge_rest_angle[self._edge :], dtype=float)
        names = ("restAdjTriPairs", "restBendAngles")
        overridden = any(
            np.size(value) for name in names if (value := read(prim, name)) is not None
        )
        angles, applied = np.zeros(len(live)), False
        if bending == "restShape":
            angles = self._edges.angles(rest) if rest.stated or overridden else live
        if overridden:
            try:
                angles, applied = stated_angles(prim, self._edges, self._faces.sources, angles)
            except (TypeError, ValueError) as error:
                LOGGER.warning(
                    "%s: invalid authored rest bend angles (%s): %r counts", path, error, bending
                )
        unstated = read(prim, "restBendAnglesDefault") is None and bending == "flat"
        bent = np.abs(live[self._edges.inner]) > _BENT
        if unstated and not rest.stated and not applied and bent.any():
            warn(
                f"{path}: physics:restBendAnglesDefault is not stated, and so 'flat' replaces"
                " non-planar rest angles: 'restShape' keeps them"
            )
        builder.edge_rest_angle[self._edge :] = angles.tolist()

    def weigh(self, volumes: np.ndarray, density: float) -> Elements | None:
        """Write masses of particles; return those that the prim states."""
        builder, triangles = self._builder, self._faces.triangles
        count = builder.particle_count - self._particle
        own = masses.to_points(density * volumes, triangles, count)
        builder.particle_mass[self._particle :] = own.tolist()
        parts = masses.Simplices("face", triangles, volumes, self._faces.count, self._faces.sources)
        return masses.weigh_particles(builder, self._prim, self._particle, parts)


def _tell_of_shear(path: str, material: Material | None) -> None:
    for name in ("surfaceShearStiffness", "shearStiffness"):
        if name in (material or {}):
            warn(
                f"{path}: {name} is not applied: stretch and shear of cloth have one modulus;"
                " path_cloth_attrs has it"
            )
            return


def _tell_of_earlier(path: str, material: Material | None) -> None:
    names = material or {}
    if "surfaceThickness" in names:
        warn(
            f"{path}: physics:surfaceThickness on the material is deprecated: state"
            " physics:thicknesses with physics:thicknesses:elementType on the geometry",
            NewtonDeprecationWarning,
        )
    if any(name in names for name in _EARLIER):
        warn(
            f"{path}: unprefixed surface material attributes are deprecated: state"
            " physics:thicknesses on the geometry, and physics:surface*Stiffness",
            NewtonDeprecationWarning,
        )
