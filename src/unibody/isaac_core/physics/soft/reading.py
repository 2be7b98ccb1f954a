"""Meshes of a stage as particles and elements: cloth of particles, and deformable bodies."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from pxr import Usd, UsdGeom, UsdShade

from unibody.core.assets.limits import DEFAULT_LIMITS
from unibody.core.assets.usd.geometry import read_mesh
from unibody.core.deform.embedding import Embedding, in_tetrahedra
from unibody.core.deform.lattice import lattice
from unibody.core.deform.state import State
from unibody.core.deform.tables import Springs, Tables
from unibody.core.deform.topology import across_one, edges, inner_edges, surface
from unibody.core.engine.soft.bodies import SoftBody
from unibody.core.engine.soft.solids import particle_masses, solid, stiffest, substeps_of
from unibody.errors import AssetError, InvalidArgumentError
from unibody.isaac_core import handles
from unibody.isaac_core.physics.soft.attributes import number, numbers, switch, value
from unibody.notices import tell_once

CLOTH, BODY = "PhysxParticleClothAPI", "PhysxDeformableBodyAPI"
AUTO = "physxAutoParticleCloth:spring"
_PARTICLE_MASS = 0.01  # kg, where nothing says more
_DENSITY = 1000.0  # kg/m^3, PhysX's for what states none
_OFFSET = 0.05  # PhysX's distance of particles at which contacts begin
_REST = 0.99  # of it: where they rest
_RESOLUTION = 10
_STEPS = 60.0  # of a second, where nothing says more
_SKIN = 0.02  # of a cell: how far a deformable body is from what it touches, if it does not say
_FRICTION = {"PBD": 0.2, "DeformableBody": 0.25}
_UNUSED = ("lift", "drag", "adhesion", "cohesion")


@dataclass(eq=False)
class Found:
    """A soft body of a stage.

    Attributes:
        soft: Its particles, in the world.
        drawing: How the points of the mesh follow them; None: they are the particles.
        damping: Of velocities [1/s].
    """

    soft: SoftBody
    drawing: Embedding | None
    damping: float


def is_soft(prim: Usd.Prim) -> bool:
    """Whether a prim is a mesh that is simulated as cloth or as a deformable body."""
    if not prim.IsA(UsdGeom.Mesh) or not (prim.HasAPI(CLOTH) or prim.HasAPI(BODY)):
        return False
    name = (
        "physxParticle:particleEnabled"
        if prim.HasAPI(CLOTH)
        else "physxDeformable:deformableEnabled"
    )
    return switch(prim, name, default=True)


def read(prim: Usd.Prim) -> Found:
    """A mesh that is simulated.

    Raises:
        AssetError: It has no triangles, or they enclose nothing that could be a body, or what the
            stage says of it is not allowed.
    """
    file, path = str(prim.GetStage().GetRootLayer().identifier), str(prim.GetPath())
    mesh = read_mesh(UsdGeom.Mesh(prim), DEFAULT_LIMITS, file)
    points = UsdGeom.Mesh(prim).GetPointsAttr().Get()
    if mesh is None or points is None:
        raise AssetError(file, path, "has no faces, so that it cannot be soft")
    places = in_world(prim, np.array(points, np.float64))
    faces = np.asarray(mesh.faces, np.int64)
    try:
        found = (_cloth if prim.HasAPI(CLOTH) else _body)(prim, places, faces)
    except InvalidArgumentError as problem:
        raise AssetError(file, path, str(problem)) from problem
    if not math.isfinite(found.soft.radius):
        raise AssetError(file, path, "is too large for how far it is from what it touches")
    return found


def in_world(prim: Usd.Prim, points: Any) -> Any:
    """Points of a prim in the world, (n, 3)."""
    matrix = np.array(UsdGeom.XformCache().GetLocalToWorldTransform(prim))
    return points @ matrix[:3, :3] + matrix[3, :3]


def _cloth(prim: Usd.Prim, points: Any, faces: Any) -> Found:
    count = len(points)
    mass = number(prim, "physics:mass", 0.0, least=0.0) or _PARTICLE_MASS * count
    system = _target(prim, "physxParticle:particleSystem")
    offset = number(system, "particleContactOffset", _OFFSET, least=0.0)
    rest = number(system, "restOffset", -1.0)
    radius = rest if rest >= 0.0 else _REST * offset
    own = switch(prim, "physxParticle:selfCollision", default=True)
    every = switch(system, "globalSelfCollisionEnabled", default=True) if system else True
    material = _material(prim) or (_material(system) if system else None)
    _tell_of_cloth(prim, system, material)
    soft = SoftBody(
        Tables(np.full(count, mass / count), springs=springs_of(prim, points, faces)),
        State.at(points, _stated_velocities(prim, count)),
        faces,
        radius=radius,
        friction=number(material, "physxPBDMaterial:friction", _FRICTION["PBD"], least=0.0),
        gravity=number(material, "physxPBDMaterial:gravityScale", 1.0),
        rest=points.copy() if own and every and radius > 0.0 else None,
    )
    return Found(soft, None, number(material, "physxPBDMaterial:damping", 0.0))


def _stated_velocities(prim: Usd.Prim, count: int) -> Any:
    stated = UsdGeom.Mesh(prim).GetVelocitiesAttr().Get()
    known = stated is not None and len(stated) == count
    return np.array(stated, np.float64) if known else 0.0


def springs_of(prim: Usd.Prim, points: Any, faces: Any) -> Springs:
    """Springs of a cloth: those that the stage lists, else those of its edges.

    Edges resist stretch; the corners across an edge shear; what is two edges apart bends.
    """
    listed = numbers(prim, "physxParticle:springIndices", 2)
    if listed is None:
        pairs, stiffness = _automatic(prim, faces)
    else:
        pairs, stiffness = listed.astype(np.int64), np.zeros(len(listed))
    stated = _listed(prim, "springStiffnesses", len(pairs))
    damping = _listed(prim, "springDampings", len(pairs))
    if damping is None:
        damping = np.full(len(pairs), number(prim, f"{AUTO}Damping", 0.0))
    found = Springs.at_rest(
        points, pairs, stiffness=stiffness if stated is None else stated, damping=damping
    )
    lengths = _listed(prim, "springRestLengths", len(pairs))
    if lengths is None:
        return found
    return Springs(found.corners, lengths, found.stiffness, found.damping, found.drag)


def _automatic(prim: Usd.Prim, faces: Any) -> tuple[Any, Any]:
    stretch = edges(faces)
    shear = np.unique(np.sort(inner_edges(faces)[:, :2], axis=1), axis=0)
    bend = across_one(stretch)
    known = {tuple(pair) for pair in (*stretch.tolist(), *shear.tolist())}
    bend = np.array([pair for pair in bend.tolist() if tuple(pair) not in known], np.int64)
    parts = [stretch, shear, bend.reshape(-1, 2)]
    kinds = ("Stretch", "Shear", "Bend")
    sizes = [number(prim, f"{AUTO}{kind}Stiffness", 0.0) for kind in kinds]
    return np.concatenate(parts), np.repeat(sizes, [len(part) for part in parts])


def _listed(prim: Usd.Prim, name: str, count: int) -> Any:
    found = numbers(prim, f"physxParticle:{name}")
    return found if found is not None and len(found) == count else None


def _body(prim: Usd.Prim, points: Any, faces: Any) -> Found:
    indices = numbers(prim, "physxDeformable:simulationIndices", 4)
    nodes = numbers(prim, "physxDeformable:simulationRestPoints", 3)
    name = "physxDeformable:simulationHexahedralResolution"
    resolution = max(int(number(prim, name, _RESOLUTION)), 1)
    if indices is not None and nodes is not None:
        places, tetrahedra = in_world(prim, nodes), indices.astype(np.int64)
    else:
        places, tetrahedra = lattice(points, faces, resolution)
    material = _material(prim)
    tables = _solid(prim, material, places, tetrahedra)
    cell = float(np.ptp(points, axis=0).max()) / resolution
    rest = number(prim, "physxCollision:restOffset", -1.0)
    touches = switch(prim, "physxDeformable:selfCollision", default=False)
    weightless = switch(prim, "physxDeformable:disableGravity", default=False)
    soft = SoftBody(
        tables,
        State.at(places),
        surface(tetrahedra, places),
        radius=rest if rest > 0.0 else _SKIN * cell,
        friction=number(
            material,
            "physxDeformableBodyMaterial:dynamicFriction",
            _FRICTION["DeformableBody"],
            least=0.0,
        ),
        gravity=0.0 if weightless else 1.0,
        rest=places.copy() if touches else None,
    )
    damping = number(prim, "physxDeformable:vertexVelocityDamping", 0.005)
    return Found(soft, in_tetrahedra(points, places, tetrahedra), damping)


def _solid(prim: Usd.Prim, material: Any, places: Any, tetrahedra: Any) -> Tables:
    name = "physxDeformableBodyMaterial"
    metres = UsdGeom.GetStageMetersPerUnit(prim.GetStage())
    density = (
        number(material, f"{name}:density", 0.0, least=0.0)
        or number(prim, "physics:density", 0.0, least=0.0)
        or _DENSITY * metres**3
    )
    masses = particle_masses(density, places, tetrahedra)
    whole = number(prim, "physics:mass", 0.0, least=0.0)
    masses *= whole / masses.sum() if whole > 0.0 else 1.0
    found = solid(
        places, tetrahedra,
        young=_converging(
            prim, number(material, f"{name}:youngsModulus", 5e7), masses, places, tetrahedra
        ),
        poisson=min(number(material, f"{name}:poissonsRatio", 0.45), 0.499),
        damping=number(material, f"{name}:elasticityDamping", 0.005)
        * number(material, f"{name}:dampingScale", 1.0),
    )  # fmt: skip
    return Tables(masses, tetrahedra=found)


def _converging(prim: Usd.Prim, young: float, masses: Any, places: Any, tetrahedra: Any) -> float:
    """The modulus, or the largest at which steps of the solver come to their end."""
    most = stiffest(masses, places, tetrahedra, 1.0 / _rate(prim.GetStage()))
    if young <= most:
        return young
    tell_once(
        f"{prim.GetPath()}: a Young's modulus of {young:.3g} Pa is simulated as {most:.3g} Pa, the "
        "largest that its steps of time are short enough for"
    )
    return most


def _rate(stage: Usd.Stage) -> float:
    """Substeps of a second."""
    scene = handles.physics_scene(stage)
    rate = number(scene or None, "physxScene:timeStepsPerSecond", 0.0, least=0.0) or _STEPS
    return rate * substeps_of(1.0 / rate)


def _target(prim: Usd.Prim, name: str) -> Any:
    relation = prim.GetRelationship(name)
    targets = relation.GetTargets() if relation else []
    found = prim.GetStage().GetPrimAtPath(targets[0]) if targets else None
    return found if found else None


def _material(prim: Usd.Prim) -> Any:
    """The prim of the material of the physics that is bound; None without one."""
    api = UsdShade.MaterialBindingAPI(prim)
    found = api.ComputeBoundMaterial("physics")[0]
    return found.GetPrim() if found else None


def _tell_of_cloth(prim: Usd.Prim, system: Any, material: Any) -> None:
    asked = [("pressure", number(prim, "physxParticle:pressure", 0.0))]
    asked += [(name, number(material, f"physxPBDMaterial:{name}", 0.0)) for name in _UNUSED]
    wind = value(system, "wind", None) if system else None
    asked += [("wind", wind is not None and any(wind))]
    named = [name for name, found in asked if found]
    if named:
        tell_once(f"{prim.GetPath()}: {', '.join(named)} of cloth is left out: it has no effect")
