"""Meshes of tetrahedra of a stage as soft bodies."""

from __future__ import annotations

import copy
import warnings
from typing import Any

import numpy as np
import warp as wp

from unibody.newton import usd, usd_looks
from unibody.newton.enums import AttributeFrequency
from unibody.newton.exceptions import NewtonDeprecationWarning, warn
from unibody.newton.importers.deformables import masses, materials
from unibody.newton.importers.deformables.cloths import simulation
from unibody.newton.importers.deformables.context import Reading
from unibody.newton.importers.deformables.places import (
    placed,
    reflects,
    rest_corners,
    rest_points,
    rest_shape,
    same_corners,
)
from unibody.newton.importers.deformables.reading import (
    LOGGER,
    collides,
    owner_above,
    reason_to_skip,
    tell_of_lost,
    tell_of_particles,
)
from unibody.newton.importers.deformables.scout import tell_of_second
from unibody.newton.tet_mesh import TetMesh
from unibody.newton.usd_values import has_applied_api_schema

_SCHEMA = "PhysicsVolumeDeformableSimAPI"
_MATERIAL = "PhysicsVolumeDeformableMaterialAPI"
_FREQUENCIES = {
    AttributeFrequency.PARTICLE: "particle",
    AttributeFrequency.TETRAHEDRON: "tetrahedron",
    AttributeFrequency.TRIANGLE: "triangle",
}


def add_volumes(reading: Reading) -> None:
    """Add the meshes of tetrahedra of a stage as soft bodies.

    Those that no schema says to simulate are soft bodies, too, unless they are parts of one.
    """
    for prim in reading.found.volumes:
        path, marked = prim.GetPath(), has_applied_api_schema(prim, _SCHEMA)
        body = None if marked else owner_above(prim)
        if body is not None:
            warn(
                f"{path}: a non-simulation TetMesh under deformable body {body.GetPath()} is"
                " graphics/collision geometry: it is left out"
            )
            continue
        reason = reason_to_skip(prim)
        if reason:
            warn(f"{path}: {reason}: it is left out")
        elif not (marked and tell_of_second(reading.found, prim)):
            _add(reading, prim, marked=marked)


def _add(reading: Reading, prim: Any, *, marked: bool) -> None:
    builder, path = reading.builder, str(prim.GetPath())
    if marked:
        tell_of_lost(prim, _MATERIAL)
    try:
        mesh = _read_mesh(prim, marked=marked)
    except ValueError as error:
        LOGGER.warning("%s: invalid TetMesh (%s): it is left out", path, error)
        return
    mesh.custom_attributes = _attributes(builder, prim, mesh)
    matrix = reading.matrix(prim)
    points = placed(mesh.vertices, matrix).astype(np.float32)
    corners = np.asarray(mesh.tet_indices, dtype=int).reshape(-1, 4)
    if reflects(matrix):
        corners = corners[:, (0, 2, 1, 3)]
    collide, _ = collides(prim, reading.ignored) if marked else (True, [])
    tell_of_particles(path, collide=collide)
    given: dict[str, Any] = {}
    rest = None
    if marked:
        given |= _filling(reading, prim, mesh)
        rest = _rest(prim, matrix, corners, len(points))
    kept = _kept(path, points, corners, rest is not None)
    if kept is None:
        return
    look = usd_looks.look_of(prim)
    start = (builder.particle_count, builder.tet_count)
    builder.add_soft_mesh(
        pos=wp.vec3(),
        rot=wp.quat_identity(),
        scale=1.0,
        vel=wp.vec3(),
        mesh=mesh,
        vertices=points,
        indices=corners.reshape(-1),
        color=look.color,
        opacity=look.opacity,
        label=path,
        **given,
    )
    volumes = np.abs(_edges(points.astype(float), corners)[1])
    if rest is not None:
        builder.tet_poses[start[1] :] = rest[0][kept].tolist()
        volumes = rest[1]
        weights = given["density"] * volumes[kept]
        own = masses.to_points(weights, corners[kept], len(points))
        builder.particle_mass[start[0] :] = own.tolist()
    stated = None
    if marked:
        parts = masses.Simplices("tetrahedron", corners[kept], volumes[kept], len(corners), kept)
        stated = masses.weigh_particles(builder, prim, start[0], parts)
    ends = (builder.particle_count, builder.tet_count)
    reading.softs[path] = dict(zip(("particle", "tet"), zip(start, ends, strict=True), strict=True))
    density = given.get("density", mesh.density)
    density = builder.default_tet_density if density is None else density
    reading.attributes["soft"][path] = {"resolved_density": density, **simulation(None, stated)}


def _read_mesh(prim: Any, *, marked: bool) -> TetMesh:
    """A mesh, whose material counts where its schema says what tetrahedra are made of.

    Older names count for meshes that no schema says to simulate, with a warning.
    """
    material = materials.bound(prim)
    allowed: tuple[str, ...] = ()
    if not marked and material is not None and not has_applied_api_schema(material, _MATERIAL):
        spaces = usd.DEFORMABLE_LEGACY_NAMESPACES
        names = ("youngsModulus", "poissonsRatio", "density")
        if any(usd.has_attribute(material, f"{space}:{n}") for space in spaces for n in names):
            allowed = spaces
            warn(
                f"{prim.GetPath()}: the material has legacy vendor-namespaced deformable material"
                f" attributes ({', '.join(spaces)}) without {_MATERIAL}, which is deprecated",
                NewtonDeprecationWarning,
            )
    if marked:
        with warnings.catch_warnings():  # told of by the readers of its family
            warnings.simplefilter("ignore")
            mesh = usd.get_tetmesh(prim, compat_namespaces=allowed)
    else:
        mesh = usd.get_tetmesh(prim, compat_namespaces=allowed)
    return copy.copy(mesh)


def _filling(reading: Reading, prim: Any, mesh: TetMesh) -> dict[str, Any]:
    """Elastic parameters and density of a soft body."""
    material = materials.of_volume(prim)
    stated = mesh.density if material is None else material.get("density")
    found: dict[str, Any] = {
        "density": materials.density_of(
            prim, stated, reading.metres, read_material=material is None and mesh.density is None
        )
    }
    if material is not None:
        young = material.get("youngsModulus", materials.YOUNG * reading.metres)
        poisson = material.get("poissonsRatio", materials.POISSON)
        found["k_mu"], found["k_lambda"] = materials.lame(young, poisson)
    return found


def _edges(points: np.ndarray, corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Edges of tetrahedra from their first corners, as columns, and their volumes."""
    at = points[corners]
    edges = np.stack([at[:, place] - at[:, 0] for place in (1, 2, 3)], axis=2)
    with np.errstate(over="ignore", invalid="ignore"):
        return edges, np.linalg.det(edges) / 6.0


def _rest(
    prim: Any, matrix: np.ndarray, corners: np.ndarray, count: int
) -> tuple[np.ndarray, np.ndarray] | None:
    """Inverse edges and volumes of tetrahedra without load, where the prim states them."""
    from pxr import UsdGeom

    path = prim.GetPath()
    stated, own = rest_shape(prim, "restTetVertexIndices")
    if stated is None:
        authored = UsdGeom.TetMesh(prim).GetTetVertexIndicesAttr().Get()
        if own is not None and not same_corners(own, authored, 4):
            LOGGER.warning(
                "%s: restTetVertexIndices is authored without restShapePoints and is not the"
                " simulation topology: it is left out",
                path,
            )
        return None
    try:
        points = rest_points(stated, matrix)
        found = rest_corners(own, corners, (count, len(points)), "restTetVertexIndices")
        orientation = str(UsdGeom.TetMesh(prim).GetOrientationAttr().Get()).lower()
        if own is not None and (orientation == "lefthanded") != reflects(matrix):
            found = found[:, (0, 2, 1, 3)]
        edges, volumes = _edges(points, found)
        if not np.isfinite(volumes).all():
            raise ValueError("non-finite tetrahedron volume")
        if (volumes <= 0.0).any():
            raise ValueError("inverted or degenerate tetrahedron")
        return np.linalg.inv(edges), volumes
    except (TypeError, ValueError, np.linalg.LinAlgError) as error:
        LOGGER.warning(
            "%s: invalid volume rest shape (%s): the simulation shape counts", path, error
        )
        return None


def _kept(path: str, points: np.ndarray, corners: np.ndarray, rests: bool) -> np.ndarray | None:
    """The tetrahedra that a builder keeps; None, with a line, where there is no soft body."""
    everything = np.arange(len(corners))
    if not rests:
        return everything
    if not np.isfinite(points).all():
        LOGGER.warning("%s: non-finite points; skipping the prim", path)
        return None
    volumes = _edges(points.astype(float), corners)[1]
    if not np.isfinite(volumes).all():
        LOGGER.warning("%s: non-finite tetrahedron volumes; skipping the prim", path)
        return None
    kept = np.flatnonzero(volumes > 0.0)
    if not len(kept):
        LOGGER.warning("%s: no positive-volume tetrahedra; skipping the prim", path)
        return None
    if len(kept) < len(corners):
        gone = np.flatnonzero(volumes <= 0.0)
        LOGGER.warning(
            "%s: the TetMesh has %s inverted or degenerate tetrahedron(s), first at %s",
            path, len(gone), gone[:5].tolist(),
        )  # fmt: skip
    return kept


def _attributes(builder: Any, prim: Any, mesh: TetMesh) -> dict[str, Any]:
    """What the builder's attributes of particles, tetrahedra and triangles are for a mesh."""
    counts = {
        AttributeFrequency.PARTICLE: len(mesh.vertices),
        AttributeFrequency.TETRAHEDRON: len(mesh.tet_indices) // 4,
        AttributeFrequency.TRIANGLE: mesh.tri_count,
    }
    found: dict[str, Any] = {}
    for attribute in builder.custom_attributes.values():
        rows = _stated(prim, attribute)
        if rows is None:
            continue
        told = f"{prim.GetPath()}: registered TetMesh attribute '{attribute.usd_attribute_name}'"
        if attribute.frequency == AttributeFrequency.ONCE:
            warn(f"{told} has ONCE frequency, and so belongs to no soft body: it is not imported")
        elif attribute.frequency in counts:
            values, count = np.asarray(rows), counts[attribute.frequency]
            length = values.shape[0] if values.ndim else 1
            if values.ndim and length == count:
                found[attribute.key] = (values, attribute.frequency)
                continue
            name = _FREQUENCIES[attribute.frequency]
            warn(
                f"{told} has array length {length}, which does not match {name} count {count}: it"
                " is left out"
            )
    return found


def _stated(prim: Any, attribute: Any) -> Any:
    """The values that a prim states for an attribute of a builder, or None."""
    from pxr import UsdGeom

    name = attribute.usd_attribute_name
    if not name or name == "*":
        return None
    own = prim.GetAttribute(name)
    if not own or not own.HasAuthoredValue():
        return None
    primvar = UsdGeom.Primvar(own)
    value = primvar.ComputeFlattened() if primvar else own.Get()
    change = attribute.usd_value_transformer
    if value is None or change is None:
        return value
    return change(value, {"prim": prim, "attr": attribute})
