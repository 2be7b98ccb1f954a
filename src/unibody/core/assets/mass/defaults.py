"""Mass properties that a file leaves open, and those that shapes override."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from unibody.core.assets.description import Asset, Inertial, JointType
from unibody.core.assets.mass import properties as mass
from unibody.errors import AssetError

_SMALLEST = 1e-9  # kg: what is lighter has no mass of its own


def complete(tree: Asset, density: float) -> None:
    """Give links the mass, centre and inertia that the file does not state.

    They follow from the collision shapes: mass from density, inertia from shape and mass. A link
    with neither a mass nor a shape has no mass.

    Args:
        tree: Its links are changed.
        density: Where the file states none [kg/m^3].

    Raises:
        AssetError: A mass is negative.
    """
    for link in tree.links:
        stated = link.inertial
        if stated.mass < 0.0 or stated.density < 0.0:
            found = f"mass {stated.mass}, density {stated.density}"
            raise AssetError(tree.file, f"link {link.name!r}", f"{found}: expected positive ones")
        if stated.mass and any(stated.inertia):
            continue
        shape = mass.geometry(link.collisions)
        total = stated.mass or (stated.density or density) * shape.mass
        if not shape.mass > 0.0 or not total > 0.0:
            continue
        solid = shape.scaled(total / shape.mass)
        if stated.stated:
            com = np.array(stated.pose.pos)
            solid = mass.Solid(total, com, solid.about(com))
        if stated.mass or not any(stated.inertia):
            link.inertial = mass.to_inertial(solid)
        else:
            link.inertial = replace(stated, mass=total)


def override(tree: Asset, *, com: bool, inertia: bool) -> None:
    """Compute mass centres, inertias or both from the collision shapes.

    The masses stay. The links are changed.
    """
    if not (com or inertia):
        return
    for link in tree.links:
        shape = mass.geometry(link.collisions)
        stated = mass.of_inertial(link.inertial)
        if not shape.mass > 0.0 or not stated.mass > 0.0:
            continue
        solid = shape.scaled(stated.mass / shape.mass)
        centre = solid.com if com else stated.com
        moments = solid.about(centre) if inertia else stated.inertia
        link.inertial = mass.to_inertial(mass.Solid(stated.mass, centre, moments))


def thicken(tree: Asset, armature: float, virtual: set[str]) -> None:
    """Add to the diagonals of the inertias of all links but the virtual ones [kg m^2]."""
    for link in tree.links:
        if armature and link.name not in virtual:
            solid = mass.of_inertial(link.inertial)
            solid.inertia = solid.inertia + armature * np.eye(3)
            link.inertial = mass.to_inertial(solid)


def weigh_down(tree: Asset, *, fixed: bool) -> None:
    """Give 1 kg and 1 kg m^2 to links that move and carry no mass at all, as PhysX does.

    A link without mass that carries another with mass stays as it is.
    """
    carried = [link.inertial.mass for link in tree.links]
    for number in range(len(tree.links) - 1, -1, -1):
        link = tree.links[number]
        moves = link.joint.type is not JointType.FIXED if number else not fixed
        if moves and carried[number] < _SMALLEST:
            link.inertial = Inertial(1.0, inertia=(1.0, 1.0, 1.0, 0.0, 0.0, 0.0))
            carried[number] = 1.0
        if number:
            carried[link.parent] += carried[number]
