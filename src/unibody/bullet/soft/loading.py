"""loadSoftBody: cloth and solids from meshes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from unibody.bullet import constants as c
from unibody.bullet.arguments.finite import finite
from unibody.bullet.arguments.vectors import vector
from unibody.bullet.clients.client import Client
from unibody.bullet.clients.registry import get_client
from unibody.bullet.convert import wxyz
from unibody.bullet.errors import error, naming
from unibody.bullet.soft.meshes import SoftMesh, load_soft_mesh
from unibody.bullet.soft.reduced import load_reduced
from unibody.bullet.soft.registering import register
from unibody.core.assets.description import (
    Asset,
    Inertial,
    Link,
    Pose,
    ReducedDeformable,
)
from unibody.core.assets.paths import SearchPath
from unibody.core.deform.motion import mass_centre, moved
from unibody.core.deform.pbd.links import Links
from unibody.core.deform.state import State
from unibody.core.deform.tables import Springs, Tables, Tetrahedra
from unibody.core.deform.topology import across_one, edges
from unibody.core.engine.soft.bodies import SoftBody
from unibody.errors import AssetError, InvalidArgumentError

_HERE = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))
_BENDS = 0.5  # share that links of bending put right, where the world is not deformable
_FRICTION = 0.5  # of all soft bodies, where the world is not deformable
_FAILED = "Cannot load soft body."


@dataclass(frozen=True)
class Material:
    """What a soft body is made of; zero where it has none of it.

    Attributes:
        mass: Of all of it [kg].
        margin: How far its surface is from what it touches [m].
        friction: Its coefficient.
        stretch: Stiffness of the springs along edges [N/m].
        damping: Of a change of their length [N s/m].
        drag: Of any motion of their ends beside one another [N s/m].
        bend: Stiffness of springs between particles with a neighbour in common [N/m].
        shear: First parameter of Bullet's neo-Hookean law [Pa].
        volume: Second parameter of it [Pa].
        viscosity: Its damping, a share of the parameters [s].
        corotated: Lame parameters of further resistance of tetrahedra [Pa].
        gravity: Factor on gravity.
        touches_itself: Whether its surface touches itself.
    """

    mass: float = 1.0
    margin: float = 0.02
    friction: float = 1.0
    stretch: float = 0.0
    damping: float = 0.0
    drag: float = 0.0
    bend: float = 0.0
    shear: float = 0.0
    volume: float = 0.0
    viscosity: float = 0.0
    corotated: tuple[float, float] = (0.0, 0.0)
    gravity: float = 1.0
    touches_itself: bool = False


def loadSoftBody(
    fileName: str,
    basePosition: Sequence[float] = (0.0, 0.0, 0.0),
    baseOrientation: Sequence[float] = (0.0, 0.0, 0.0, 1.0),
    scale: float = -1.0,
    mass: float = -1.0,
    collisionMargin: float = -1.0,
    useMassSpring: int = 0,
    useBendingSprings: int = 0,
    useNeoHookean: int = 0,
    springElasticStiffness: float = 1.0,
    springDampingStiffness: float = 0.1,
    springDampingAllDirections: int = 0,
    springBendingStiffness: float = 0.1,
    NeoHookeanMu: float = 1.0,
    NeoHookeanLambda: float = 1.0,
    NeoHookeanDamping: float = 0.1,
    frictionCoeff: float = 0.0,
    useFaceContact: int = 0,
    useSelfCollision: int = 0,
    repulsionStiffness: float = 0.5,
    simFileName: str = "",
    physicsClientId: int = 0,
) -> int:
    """Load cloth or a solid that deforms, and return its body id.

    Args:
        fileName: An .obj file (a surface) or a .vtk file (tetrahedra).
        basePosition: Where its origin goes [m].
        baseOrientation: (x, y, z, w).
        scale: Factor on every length; 1 unless positive.
        mass: Of all of it, shared out evenly to the particles [kg]; 1 unless positive.
        collisionMargin: How far its surface is from what it touches [m]; 0.02 unless positive.
        useMassSpring: 1 puts a spring on every edge.
        useBendingSprings: 1 gives springs to particles with a neighbour in common.
        useNeoHookean: 1 makes tetrahedra resist stretch, shear and change of volume.
        springElasticStiffness: Of the springs on edges [N/m].
        springDampingStiffness: Of the springs on edges [N s/m].
        springDampingAllDirections: 1 damps turns of the springs of a surface too.
        springBendingStiffness: Of the springs of `useBendingSprings` [N/m].
        NeoHookeanMu: First parameter of the law [Pa].
        NeoHookeanLambda: Second parameter of the law [Pa].
        NeoHookeanDamping: Share of the parameters that resists the rate of strain [s].
        frictionCoeff: Its coefficient of friction.
        useFaceContact: Accepted: faces touch whatever it says, as in PyBullet, where the world is
            deformable.
        useSelfCollision: 1 lets it touch itself.
        repulsionStiffness: Accepted: contacts between soft bodies are firm.
        simFileName: The mesh that is simulated, where it is another than the one that is drawn.
        physicsClientId: The client.

    Raises:
        error: Not connected, or the file cannot be loaded; the message says why.
    """
    client = get_client(physicsClientId)
    if not os.fspath(fileName):
        return -1
    pos = vector(basePosition, 3, "Cannot convert basePosition.")
    quat = vector(baseOrientation, 4, "Cannot convert baseOrientation.")
    numbers = {
        "scale": scale, "mass": mass, "collisionMargin": collisionMargin,
        "springElasticStiffness": springElasticStiffness,
        "springDampingStiffness": springDampingStiffness,
        "springBendingStiffness": springBendingStiffness, "NeoHookeanMu": NeoHookeanMu,
        "NeoHookeanLambda": NeoHookeanLambda, "NeoHookeanDamping": NeoHookeanDamping,
        "frictionCoeff": frictionCoeff, "repulsionStiffness": repulsionStiffness,
    }  # fmt: skip
    for name, value in (*numbers.items(), *(("basePosition", v) for v in pos)):
        finite(name, value)
    finite("baseOrientation", *quat)
    springs, bends, solid = bool(useMassSpring), bool(useBendingSprings), bool(useNeoHookean)
    material = Material(
        mass=mass if mass > 0.0 else 1.0,
        margin=collisionMargin if collisionMargin > 0.0 else 0.02,
        friction=frictionCoeff,
        stretch=springElasticStiffness if springs else 0.0,
        damping=0.0 if springDampingAllDirections else springDampingStiffness * springs,
        drag=springDampingStiffness * springs if springDampingAllDirections else 0.0,
        bend=springBendingStiffness if springs and bends else 0.0,
        shear=NeoHookeanMu if solid else 0.0,
        volume=NeoHookeanLambda if solid else 0.0,
        viscosity=NeoHookeanDamping if solid else 0.0,
        touches_itself=bool(useSelfCollision),
    )
    try:
        drawn = _found(client, fileName)
        simulated = _found(client, simFileName) if simFileName else drawn
        name = os.path.splitext(os.path.basename(drawn))[0]
        asset = Asset(name=name, links=[Link(name=name, inertial=Inertial(mass=0.0))], file=drawn)
        return add_soft_body(
            client, material, load_soft_mesh(simulated, drawn), asset, Pose(pos, wxyz(quat)),
            scale if scale > 0.0 else 1.0,
        )  # fmt: skip
    except (AssetError, InvalidArgumentError) as problem:
        raise error(f"{_FAILED} {naming(fileName, problem)}") from problem


def _found(client: Client, name: str) -> str:
    file = SearchPath(client.search_path, confined=False).locate(os.fspath(name))
    if file is None:
        raise AssetError(name, "", "there is no such file")
    return str(file)


def load_deformable(client: Client, asset: Asset, pose: Pose, scale: float, flags: int) -> int:
    """Put the deformable body of a URDF file into the client's world.

    Args:
        client: The client.
        asset: What the file describes.
        pose: Where its origin goes.
        scale: Factor on every length.
        flags: ``URDF_*``.

    Returns:
        Its body id.

    Raises:
        AssetError: Its mesh cannot be read.
        InvalidArgumentError: If a number of the file is not allowed.
    """
    body = asset.deformable
    assert body is not None
    if isinstance(body, ReducedDeformable):
        return load_reduced(client, body, asset, pose, scale)
    shear, volume, viscosity = body.neo_hookean
    material = Material(
        mass=body.mass, margin=body.margin, friction=body.friction, gravity=body.gravity,
        stretch=body.spring_stiffness, damping=body.spring_damping, bend=body.bending_stiffness,
        shear=shear, volume=volume, viscosity=viscosity, corotated=body.corotated,
        touches_itself=bool(flags & c.URDF_USE_SELF_COLLISION),
    )  # fmt: skip
    return add_soft_body(client, material, load_soft_mesh(body.file), asset, pose, scale)


def add_soft_body(
    client: Client, material: Material, mesh: SoftMesh, asset: Asset, pose: Pose, scale: float
) -> int:
    """Put a soft body into the client's world.

    Args:
        client: The client.
        material: What it is made of; where the world is not deformable, only mass and margin
            count, as in PyBullet, and links hold it together.
        mesh: What is simulated.
        asset: Its names and file; its one link gets what is drawn.
        pose: Where its origin goes.
        scale: Factor on every length.

    Returns:
        Its body id.

    Raises:
        InvalidArgumentError: If an element has no length, area or volume.
    """
    points = mesh.points * scale
    count = len(points)
    places = moved(points, _HERE, (pose.pos, pose.quat))
    if not client.deformable_world:
        masses = _masses_by_area(points, mesh.faces, material.mass)
        soft = SoftBody(
            Tables(masses), State.at(places), mesh.faces, radius=material.margin,
            friction=_FRICTION, links=_links(points, mesh),
        )  # fmt: skip
        rest = points - mass_centre(points, masses)
        return register(client, asset, mesh, soft, rest, mesh.drawing(scale))
    masses = np.full(count, material.mass / count)
    tables = Tables(masses, **_elements(points, mesh, material))
    fall = material.gravity * np.array(client.scene.options.gravity)  # a guess for the first step
    soft = SoftBody(
        tables, State.at(places, accelerations=fall), mesh.faces, radius=material.margin,
        friction=material.friction, gravity=material.gravity,
        rest=places if material.touches_itself else None, faces_touch=True,
    )  # fmt: skip
    rest = points - mass_centre(points, masses)
    return register(client, asset, mesh, soft, rest, mesh.drawing(scale))


def _masses_by_area(points: Any, faces: Any, mass: float) -> Any:
    """A share of the mass for each particle, by the area of its triangles (btSoftBody)."""
    corners = points[faces]
    sides = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    areas = np.linalg.norm(sides, axis=1)
    shares = np.bincount(faces.reshape(-1), np.repeat(areas, 3), minlength=len(points))
    shares = np.maximum(shares, 1e-6 * shares.max(initial=1e-300))
    return mass * shares / shares.sum()


def _links(points: Any, mesh: SoftMesh) -> Links:
    """Bullet's: on each edge, and half as hard between particles with a neighbour in common."""
    ends = edges(mesh.tetrahedra if len(mesh.tetrahedra) else mesh.faces)
    bends = across_one(ends)
    shares = np.where(np.arange(len(ends) + len(bends)) < len(ends), 1.0, _BENDS)
    return Links.at_rest(points, np.concatenate([ends, bends]), shares)


def _elements(points: Any, mesh: SoftMesh, material: Material) -> dict[str, Any]:
    """The elements of a mesh that its material has."""
    found: dict[str, Any] = {}
    solid = len(mesh.tetrahedra) > 0
    if material.stretch or material.bend:
        ends = edges(mesh.tetrahedra if solid else mesh.faces)
        bends = across_one(ends) if material.bend else ends[:0]
        pairs = np.concatenate([ends, bends])
        first = np.arange(len(pairs)) < len(ends)
        found["springs"] = Springs.at_rest(
            points, pairs,
            stiffness=np.where(first, material.stretch, material.bend),
            damping=material.damping, drag=material.drag,
        )  # fmt: skip
    if solid and (material.shear or material.volume or any(material.corotated)):
        # Bullet's law has the barrier of Smith, de Goes and Kim 2018, section 3.4; the corotated
        # one is that of small strains.
        shear = material.shear + material.corotated[0]
        stretch = material.volume - material.shear + material.corotated[1]
        found["tetrahedra"] = Tetrahedra.at_rest(
            points, mesh.tetrahedra, shear=shear, stretch=stretch,
            damping=0.5 * material.viscosity * material.shear,
            dilation=material.viscosity * material.volume,
            barrier=material.shear / shear if shear else 0.0,
        )  # fmt: skip
    return found
