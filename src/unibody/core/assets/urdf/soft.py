"""Soft links of URDF files: the element ``<fem>``, which is Isaac Gym's."""

from __future__ import annotations

from unibody.core.assets.description import SoftSolid
from unibody.core.assets.suffixes import suffix_of
from unibody.core.assets.urdf.node import Node

_PLAIN = SoftSolid("")
_VALUES = {
    "density": ("density", _PLAIN.density),
    "youngs": ("young", _PLAIN.young),
    "poissons": ("poisson", _PLAIN.poisson),
    "damping": ("damping", _PLAIN.damping),
    "attachDistance": ("attach_distance", _PLAIN.attach_distance),
}
_MOST_POISSON = 0.5


def read_soft(node: Node) -> SoftSolid:
    """Read a ``<fem>``.

    Raises:
        AssetError: There is no file of tetrahedra, or a value is not allowed.
    """
    for child in node.element:
        if child.tag not in (*_VALUES, "origin", "tetmesh"):
            node.warn(f"<{child.tag}> in <fem> is left out")
    numbers = {name: _value(node, tag, plain) for tag, (name, plain) in _VALUES.items()}
    for name, allowed, good in (
        ("density", "a positive number", numbers["density"] > 0.0),
        ("young", "a positive number", numbers["young"] > 0.0),
        ("poisson", "from 0 to below 0.5", 0.0 <= numbers["poisson"] < _MOST_POISSON),
        ("damping", "zero or a positive number", numbers["damping"] >= 0.0),
        ("attach_distance", "zero or a positive number", numbers["attach_distance"] >= 0.0),
    ):
        if not good:
            raise node.error(f"{name} is {numbers[name]:g}, expected {allowed}")
    return SoftSolid(_file(node), node.pose(), **numbers)


def _value(node: Node, tag: str, default: float) -> float:
    found = node.child(tag)
    return default if found is None else found.number("value")


def _file(node: Node) -> str:
    mesh = node.child("tetmesh")
    if mesh is None:
        raise node.error("has no <tetmesh>")
    reference = mesh.require("filename")
    if suffix_of(reference) != ".tet":
        raise mesh.error(f"filename={reference!r}: tetrahedra are read from .tet files")
    context = node.context
    found = context.search_path.resolve(reference, referrer=context.referrer, element=mesh.label())
    if found is None:
        raise mesh.error(f"mesh {reference!r} not found")
    return found
