"""Deformable bodies of URDF files, as PyBullet reads them."""

from __future__ import annotations

from unibody.core.assets.description import Asset, Deformable, Inertial, Link, ReducedDeformable
from unibody.core.assets.suffixes import suffix_of
from unibody.core.assets.urdf.node import Node
from unibody.core.assets.urdf.notes import read_notes
from unibody.errors import NotSupportedError

_FILES = (".obj", ".vtk")
_DEFAULTS = Deformable("")
_REDUCED = ReducedDeformable("")
_STRIDE = 2


def read_deformable(robot: Node, *, allowed: bool) -> Asset | None:
    """Read the deformable body of a file.

    Args:
        robot: The root element.
        allowed: Whether there may be one.

    Returns:
        A body of one link without shapes, and the deformable body; None: there is none.

    Raises:
        AssetError: A value or file is missing, or there may be no deformable body.
        NotSupportedError: Its bending springs have another stride than 2.
    """
    reduced, node = robot.child("reduced_deformable"), robot.child("deformable")
    for found in (reduced, node):
        if found is not None and not allowed:
            raise found.error("describes a deformable body, which is not a tree of rigid links")
    node = node if reduced is None else reduced
    if node is None:
        return None
    name = node.name()
    node = node.at(f"{'deformable' if reduced is None else 'reduced_deformable'} {name!r}")
    body = _read(node) if reduced is None else _read_reduced(node)
    link = Link(name="", inertial=Inertial(mass=0.0))
    return Asset(name=name, links=[link], deformable=body, notes=read_notes(node))


def _read_reduced(node: Node) -> ReducedDeformable:
    simulated, count = node.child("collision"), _value(node, "num_modes", _REDUCED.modes)
    if not (count >= 1 and count == int(count)):
        raise node.error(f"<num_modes value={count:g}>: a positive whole number")
    return ReducedDeformable(
        file=_file(_required(node, "visual")),
        simulated="" if simulated is None else _file(simulated),
        modes=int(count),
        mass=_value(node, "mass", _REDUCED.mass),
        stiffness=_value(node, "stiffness_scale", _REDUCED.stiffness),
        damping=_value(node, "damping_coefficient", _REDUCED.damping),
        margin=_value(node, "collision_margin", _REDUCED.margin),
        friction=_value(node, "friction", _REDUCED.friction),
        correction=_value(node, "erp", _REDUCED.correction),
        softness=_value(node, "cfm", _REDUCED.softness),
    )


def _read(node: Node) -> Deformable:
    inertial = _required(node, "inertial")
    corotated, springs = node.child("corotated"), node.child("spring")
    mu, stretch, viscosity = _lame(node.child("neohookean"))
    visual, simulated = _required(node, "visual"), node.child("collision")
    if simulated is not None and simulated.require("filename") != visual.require("filename"):
        simulated.warn("PyBullet simulates the mesh of <visual> all the same, and so it is here")
    return Deformable(
        file=_file(visual),
        mass=_required(inertial, "mass").number("value"),
        margin=_value(node, "collision_margin", _DEFAULTS.margin),
        friction=_value(node, "friction", _DEFAULTS.friction),
        repulsion=_value(node, "repulsion_stiffness", _DEFAULTS.repulsion),
        gravity=_value(node, "gravity_factor", _DEFAULTS.gravity),
        spring_stiffness=0.0 if springs is None else springs.number("elastic_stiffness"),
        spring_damping=0.0 if springs is None else springs.number("damping_stiffness"),
        bending_stiffness=0.0 if springs is None else _bending(springs),
        neo_hookean=(mu, stretch, viscosity),
        corotated=_lame(corotated)[:2],
    )


def _bending(springs: Node) -> float:
    stiffness = springs.number("bending_stiffness", 0.0)
    stride = springs.number("bending_stride", float(_STRIDE))
    if stiffness and stride != _STRIDE:
        raise NotSupportedError(
            f"{springs.context.file}: {springs.label()}: bending_stride={stride:g}",
            f"{_STRIDE}, bending springs between particles with a neighbour in common",
        )
    return stiffness


def _required(node: Node, tag: str) -> Node:
    found = node.child(tag)
    if found is None:
        raise node.error(f"has no <{tag}>")
    return found


def _value(node: Node, tag: str, default: float) -> float:
    found = node.child(tag)
    return default if found is None else found.number("value")


def _lame(node: Node | None) -> tuple[float, float, float]:
    """The two parameters of a law, and its damping."""
    if node is None:
        return 0.0, 0.0, 0.0
    return node.number("mu"), node.number("lambda"), node.number("damping", 0.0)


def _file(node: Node) -> str:
    reference = node.require("filename")
    if suffix_of(reference) not in _FILES:
        raise node.error(f"filename={reference!r}: soft bodies are made of .obj and .vtk files")
    context = node.context
    found = context.search_path.resolve(reference, referrer=context.referrer, element=node.label())
    if found is None:
        raise node.error(f"mesh {reference!r} not found")
    return found
