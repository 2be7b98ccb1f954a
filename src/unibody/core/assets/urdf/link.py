"""URDF link elements: inertial, contact parameters and shapes."""

from __future__ import annotations

from collections.abc import Callable

from unibody.core.assets.description import ContactParameters, Inertial, Link
from unibody.core.assets.urdf.node import Node
from unibody.core.assets.urdf.notes import read_notes
from unibody.core.assets.urdf.shape import (
    Material,
    apply_materials,
    lacks_mesh,
    read_collision,
    read_visual,
)
from unibody.core.assets.urdf.soft import read_soft
from unibody.errors import NotSupportedError

# PyBullet sets contact stiffness and damping together; these hold for the one not stated.
_CONTACT_STIFFNESS = 1e4
_CONTACT_DAMPING = 1.0
SOFT_INSTEAD = (
    "load_asset of Isaac Gym's API reads such links; loadSoftBody of PyBullet's and add_soft_mesh "
    "of Newton's make soft bodies of other files"
)


def read_link(node: Node, materials: dict[str, Material]) -> Link:
    """Reads a ``<link>``; materials defined in it are entered into ``materials``.

    Raises:
        AssetError: Something that PyBullet also refuses, or a value without a meaning.
        NotSupportedError: The link is a soft body of Isaac Gym's; PyBullet passes over such.
    """
    name = node.name()
    node = node.at(f"link {name!r}")
    fem = None if node.context.pybullet_defaults else node.child("fem")
    if fem is not None and not node.context.soft_links:
        feature = f"<fem> in link {name!r} of {node.context.file}, a soft body,"
        raise NotSupportedError(feature, SOFT_INSTEAD)
    link = Link(name)
    link.contact = _read_contact(node)
    link.inertial = _read_inertial(node, name)
    link.visuals = [
        read_visual(child, materials)
        for child in _shape_nodes(node, "visual")
        if not (node.context.skip_missing_visuals and lacks_mesh(child))
    ]
    apply_materials(link.visuals, materials)
    link.collisions = [read_collision(child) for child in _shape_nodes(node, "collision")]
    link.notes = read_notes(node)
    link.soft = None if fem is None else read_soft(fem)
    return link


def _shape_nodes(node: Node, tag: str) -> list[Node]:
    nodes = node.children(tag) if node.context.shapes else []
    limit = node.context.limits.shapes
    if len(nodes) > limit:
        raise node.error(f"{len(nodes)} <{tag}> elements, the limit is {limit}")
    return nodes


def _read_inertial(node: Node, name: str) -> Inertial:
    inertial = node.child("inertial")
    if not node.context.pybullet_defaults:
        return Inertial(stated=False) if inertial is None else _read_stated(inertial)
    if inertial is None:
        if name == "world":  # the name that fixes the base to the world
            return Inertial(stated=False)
        node.warn("no <inertial>, mass 1 and inertia 1 1 1 taken")
        return Inertial(mass=1.0, inertia=(1.0, 1.0, 1.0, 0.0, 0.0, 0.0), stated=False)
    mass, inertia = inertial.child("mass"), inertial.child("inertia")
    if mass is None:
        raise inertial.error("has no <mass>")
    if inertia is None:
        raise inertial.error("has no <inertia>")
    pose = inertial.pose()
    return Inertial(mass.number("value"), pose, _read_inertia(inertia))


def _read_stated(node: Node) -> Inertial:
    """An ``<inertial>`` of which any part may be missing."""
    inertial = Inertial(pose=node.pose())
    mass, inertia, density = (node.child(tag) for tag in ("mass", "inertia", "density"))
    if mass is not None:
        inertial.mass = mass.number("value")
    if inertia is not None:
        inertial.inertia = _read_inertia(inertia)
    if density is not None:
        inertial.density = density.number("value")
    inertial.stated = mass is not None or inertia is not None
    return inertial


def _read_inertia(node: Node) -> tuple[float, float, float, float, float, float]:
    xx, yy, zz = (node.number(key) for key in ("ixx", "iyy", "izz"))
    products = ("ixy", "ixz", "iyz")
    if any(node.get(key) is None for key in products):  # all three or none, as in PyBullet
        return (xx, yy, zz, 0.0, 0.0, 0.0)
    xy, xz, yz = (node.number(key) for key in products)
    return (xx, yy, zz, xy, xz, yz)


def _read_contact(node: Node) -> ContactParameters:
    contact = node.child("contact")
    if contact is None:
        return ContactParameters()

    def value(tag: str) -> float | None:
        child = contact.child(tag)
        return None if child is None else child.number("value")

    parameters = contact_parameters(contact, value)
    parameters.cfm, parameters.erp = value("contact_cfm"), value("contact_erp")
    return parameters


def contact_parameters(contact: Node, value: Callable[[str], float | None]) -> ContactParameters:
    """What a ``<contact>`` states, in URDF as in SDF.

    Args:
        contact: The element.
        value: The number that the child with a tag states, None where there is none.
    """
    stiffness, damping = value("stiffness"), value("damping")
    if stiffness is None and damping is not None:
        stiffness = _CONTACT_STIFFNESS
    if damping is None and stiffness is not None:
        damping = _CONTACT_DAMPING
    return ContactParameters(
        lateral_friction=value("lateral_friction"),
        rolling_friction=value("rolling_friction"),
        spinning_friction=value("spinning_friction"),
        restitution=value("restitution"),
        stiffness=stiffness,
        damping=damping,
        inertia_scaling=value("inertia_scaling"),
        friction_anchor=contact.child("friction_anchor") is not None,
    )
