# pyright: reportAttributeAccessIssue=false
"""Prims of a stage that deformable bodies are made of, found in one walk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from unibody.newton.exceptions import warn
from unibody.newton.importers.deformables.reading import (
    LOGGER,
    body_of,
    geometries,
    has_collider,
    is_ignored,
    read,
    schemas,
)
from unibody.newton.usd_values import has_applied_api_schema

_SIMULATED = {
    "TetMesh": "PhysicsVolumeDeformableSimAPI",
    "BasisCurves": "PhysicsCurvesDeformableSimAPI",
    "Mesh": "PhysicsSurfaceDeformableSimAPI",
}
_POINTS = "NewtonPointsDeformableSimAPI"  # particles, which the original simulates as grains
_SITES = ("NewtonSiteAPI", "MjcSiteAPI")


@dataclass(slots=True)
class Candidates:
    """Prims that may become deformable bodies, or say something of them, in the stage's order.

    Attributes:
        curves: Cables.
        surfaces: Cloths.
        volumes: Soft bodies; meshes of tetrahedra that no schema says to simulate are among them.
        attachments: What holds them at points.
        filters: What lets parts of them not collide.
        owners: Path of a deformable body -> that of the one geometry that is simulated.
        drawn: Path of a deformable body -> meshes that are only drawn.
        apart: Paths of prims that are no rigid shapes, and are not drawn as such.
    """

    curves: list[Any] = field(default_factory=list[Any])
    surfaces: list[Any] = field(default_factory=list[Any])
    volumes: list[Any] = field(default_factory=list[Any])
    attachments: list[Any] = field(default_factory=list[Any])
    filters: list[Any] = field(default_factory=list[Any])
    owners: dict[str, str] = field(default_factory=dict[str, str])
    drawn: dict[str, list[Any]] = field(default_factory=dict[str, list[Any]])
    apart: list[str] = field(default_factory=list[str])


def scout(stage: Any, root: str, ignored: Sequence[str]) -> Candidates:
    """Find what deformable bodies of a stage are made of, instances included.

    Args:
        stage: A ``Usd.Stage``.
        root: Path of the prim that is read, with all below it.
        ignored: Patterns; prims whose paths begin with one are as if they were not there.
    """
    from pxr import Usd

    found = Candidates()
    first = stage.GetPrimAtPath(root)
    if not first:
        return found
    for prim in Usd.PrimRange(first, Usd.TraverseInstanceProxies()):
        kind = str(prim.GetTypeName())
        if not kind or is_ignored(str(prim.GetPath()), ignored):
            continue
        if kind == "PhysicsAttachment":
            found.attachments.append(prim)
        elif kind == "PhysicsElementCollisionFilter":
            found.filters.append(prim)
        else:
            _note(found, prim)
    _note_parts(found, stage, root, ignored)
    return found


def _note(found: Candidates, prim: Any) -> None:
    from pxr import UsdGeom

    family = next((f for f in _SIMULATED if prim.IsA(getattr(UsdGeom, f))), "")
    if not family:
        return
    rows = {"TetMesh": found.volumes, "BasisCurves": found.curves, "Mesh": found.surfaces}[family]
    if _SIMULATED[family] not in schemas(prim):
        if family == "TetMesh":
            rows.append(prim)
        return
    path, body = str(prim.GetPath()), body_of(prim)
    if body is not None and _is_rigid_too(prim, body):
        return
    enabled = read(body or prim, "bodyEnabled")
    if enabled is not None and not enabled:
        warn(
            f"{path}: physics:bodyEnabled is false: it is no deformable body. What collides stays"
            " as colliders of the world, but for curves and tetrahedra"
        )
        found.apart += [path] if family != "Mesh" else []
        return
    rows.append(prim)
    found.apart.append(path)
    if body is not None:
        found.owners.setdefault(str(body.GetPath()), path)


def _is_rigid_too(prim: Any, body: Any) -> bool:
    """Whether a deformable body is a rigid one, too, which it then is alone."""
    from pxr import UsdPhysics

    if not body.HasAPI(UsdPhysics.RigidBodyAPI):
        return False
    warn(
        f"{prim.GetPath()}: PhysicsDeformableBodyAPI on {body.GetPath()} conflicts with its"
        " RigidBodyAPI: it is read as a rigid body"
    )
    return True


def _note_parts(found: Candidates, stage: Any, root: str, ignored: Sequence[str]) -> None:
    """Note what of deformable bodies is drawn, or collides, and is not simulated."""
    from pxr import UsdGeom

    for path in found.owners:
        body = stage.GetPrimAtPath(path)
        for prim in drawn_of(body):
            own = str(prim.GetPath())
            if any(has_applied_api_schema(prim, schema) for schema in _SITES):
                continue
            if not prim.GetPath().HasPrefix(root) or is_ignored(own, ignored):
                continue
            found.apart.append(own)
            if prim.IsA(UsdGeom.Mesh):
                found.drawn.setdefault(path, []).append(prim)
            elif not prim.IsA(UsdGeom.TetMesh):
                LOGGER.warning(
                    "%s: unsupported graphics geometry of deformable body %s: it is left out",
                    own, path,
                )  # fmt: skip
        for prim in geometries(body, ignored):
            if has_collider(prim):
                found.apart.append(str(prim.GetPath()))


def drawn_of(body: Any) -> list[Any]:
    """The geometries of a deformable body that neither move by themselves nor collide."""
    simulated = {*_SIMULATED.values(), _POINTS}
    return [
        prim
        for prim in geometries(body, ())
        if not has_collider(prim) and simulated.isdisjoint(schemas(prim))
    ]


def is_simulated_by_another(found: Candidates, prim: Any) -> bool:
    """Whether the body of a geometry has one before it that is simulated."""
    body = body_of(prim, tell=False)
    owner = None if body is None else found.owners.get(str(body.GetPath()))
    return owner is not None and owner != str(prim.GetPath())


def tell_of_second(found: Candidates, prim: Any) -> bool:
    """Likewise, with a warning."""
    if not is_simulated_by_another(found, prim):
        return False
    body = body_of(prim, tell=False).GetPath()
    warn(
        f"{prim.GetPath()}: deformable body {body} already has simulation geometry"
        f" {found.owners[str(body)]}; skipping additional simulation geometry"
    )
    return True
