"""Soft bodies of assets: tetrahedra of one material, alone or on a rigid link."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np

from unibody.core.assets.description import Asset, JointType, Link, Pose, SoftSolid
from unibody.core.assets.link_tree import renumbered
from unibody.core.assets.mesh.tet import load_tet
from unibody.core.assets.rotations import rotations
from unibody.core.assets.transforms import pose_multiply
from unibody.core.deform.topology import normals, surface
from unibody.core.engine.soft.solids import solid
from unibody.errors import AssetError, InvalidArgumentError, NotSupportedError
from unibody.isaacgym.types.properties import SoftMaterial

_HALF = 0.5
_MOST_POISSON = 0.499  # a solid that keeps its volume exactly has no finite stiffness


@dataclass(eq=False)
class SoftInfo:
    """A soft body of an asset.

    Attributes:
        name: Of its link.
        carrier: Name of the rigid link that carries it; "": it is alone.
        points: Its particles in the frame of that link, alone in that of the asset, (p, 3) [m].
        tetrahedra: (n, 4), particles.
        faces: Triangles of the surface, counter-clockwise from outside, (f, 3), particles.
        parents: The tetrahedron of each triangle, (f,).
        density: [kg/m^3].
        attach_distance: Particles as near as this to the carrier's shapes go along [m].
        material: What actors start with.
    """

    name: str
    carrier: str
    points: Any
    tetrahedra: Any
    faces: Any
    parents: Any
    density: float
    attach_distance: float
    material: SoftMaterial

    def corners(self) -> Any:
        """For each particle a triangle that begins with it, (p, 3); inside thrice the particle."""
        found = np.repeat(np.arange(len(self.points))[:, None], 3, axis=1)
        for shift in range(3):
            turned = np.roll(self.faces, -shift, axis=1)
            found[turned[:, 0]] = turned
        return found

    def normals(self, positions: Any) -> Any:
        """Unit normals of the surface at its particles, zeros inside, (p, 3)."""
        found = normals(positions, self.faces)
        sizes = np.linalg.norm(found, axis=1, keepdims=True)
        return np.divide(found, sizes, out=np.zeros_like(found), where=sizes > 0.0)


def take_soft_links(tree: Asset) -> list[SoftInfo]:
    """Take the soft links out of a tree; one that is alone stays, without shape and mass.

    Raises:
        AssetError: A file of tetrahedra is missing or malformed.
        NotSupportedError: A soft link moves on a joint, carries links, or has shapes.
    """
    carriers = {link.parent for link in tree.links}
    found: list[SoftInfo] = []
    for number, link in enumerate(tree.links):
        if link.soft is None:
            continue
        _check(tree, number, link, carries=number in carriers)
        pose = pose_multiply(link.joint.origin, link.soft.pose) if number else link.soft.pose
        carrier = tree.links[link.parent].name if number else ""
        found.append(_info(link.name, carrier, pose, link.soft))
    rigid = [n for n, link in enumerate(tree.links) if link.soft is None or n == 0]
    if len(rigid) < len(tree.links):
        tree.links = renumbered(tree.links, rigid)
    return found


def _check(tree: Asset, number: int, link: Link, *, carries: bool) -> None:
    where = f"in the soft link {link.name!r} of {tree.file}"
    if carries:
        raise NotSupportedError(f"a link below {where[3:]}", "a soft link fixed to a rigid one")
    if number and link.joint.type is not JointType.FIXED:
        raise NotSupportedError(f"a {link.joint.type.value} joint above {where[3:]}", "a fixed one")
    if link.visuals or link.collisions:
        raise NotSupportedError(f"a shape {where}", "a shape of a rigid link that carries it")


def soft_file(file: str, density: float) -> tuple[Asset, SoftInfo]:
    """A soft body from a .tet file alone, of the material that a ``<fem>`` states by default."""
    name = os.path.splitext(os.path.basename(file))[0]
    tree = Asset(name, [Link(name)], file=file)
    return tree, _info(name, "", Pose(), SoftSolid(file, density=density))


def _info(name: str, carrier: str, pose: Pose, stated: SoftSolid) -> SoftInfo:
    mesh = load_tet(stated.file)
    turn = rotations(np.array(pose.quat))
    points = mesh.points @ turn.T + np.array(pose.pos)
    try:
        elements = solid(points, mesh.corners, young=1.0, poisson=0.0, damping=0.0)
    except InvalidArgumentError as problem:
        raise AssetError(stated.file, "", str(problem)) from problem
    tetrahedra = elements.corners
    faces = surface(tetrahedra, points)
    material = SoftMaterial()
    material.youngs, material.poissons = stated.young, stated.poisson
    material.damping = stated.damping
    return SoftInfo(
        name, carrier, points, tetrahedra, faces, _parents(faces, tetrahedra),
        stated.density, stated.attach_distance, material,
    )  # fmt: skip


def _parents(faces: Any, tetrahedra: Any) -> Any:
    """The tetrahedron of each triangle of the surface, (f,)."""
    sides = np.array([[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]])
    every = np.sort(tetrahedra[:, sides], axis=2).reshape(-1, 3).tolist()
    owner = {tuple(side): number // 4 for number, side in enumerate(every)}
    return np.array([owner[tuple(face)] for face in np.sort(faces, axis=1).tolist()], np.int64)


def checked_material(name: str, material: SoftMaterial) -> SoftMaterial:
    """A material that can be simulated.

    Raises:
        InvalidArgumentError: A number is not allowed.
        NotSupportedError: It is a muscle.
    """
    if material.activation:
        raise NotSupportedError(
            f"{name}.activation = {material.activation:g}, a muscle,", "activation 0"
        )
    for field, good, allowed in (
        ("youngs", material.youngs > 0.0, "a positive number"),
        ("poissons", 0.0 <= material.poissons <= _HALF, "from 0 to 0.5"),
        ("damping", material.damping >= 0.0, "zero or a positive number"),
    ):
        if not good or not np.isfinite(getattr(material, field)):
            raise InvalidArgumentError(f"{name}.{field}", getattr(material, field), allowed)
    return material


def elements_of(info: SoftInfo, material: SoftMaterial, most: float) -> Any:
    """The tetrahedra of a soft body, at most as stiff as stated [Pa]."""
    return solid(
        info.points, info.tetrahedra, young=min(float(material.youngs), most),
        poisson=min(float(material.poissons), _MOST_POISSON), damping=float(material.damping),
    )  # fmt: skip
