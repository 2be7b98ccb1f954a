"""What MJCF files may hold that MuJoCo refuses and the original reads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple
from xml.etree import ElementTree

import numpy as np
import warp as wp

from unibody.core.assets.mjcf.model import REPEATED
from unibody.newton.dialect import is_after_first_of_1
from unibody.newton.importers import mjcf_actuator_leniency as actuator_leniency
from unibody.newton.importers.mjcf_checks import check_document, drop_flags

FRICTION = (1.0000000123, 0.0050000000123, 0.00010000000123)
"""Friction of geoms whose file states none: next to MuJoCo's own, and in no file."""
SOLREF = (0.0200000000123, 1.0000000000123)
"""The same of ``solref``."""
_MARKED = {"friction": FRICTION, "solref": SOLREF}
_AUTO = 2
_LEAST = 2e-15  # mass and inertia of bodies that have none: MuJoCo takes no less
_FULL, _QUAT = 6, 4
_NAMED = ("body", "joint", "freejoint")
_REFERENCES = ("body", "body1", "body2", "joint", "joint1", "joint2", "jointinparent")


def accept(
    root: ElementTree.Element, tell: Callable[[str], None], warn: Callable[[str], None]
) -> None:
    """Change a document so that MuJoCo reads what the original reads.

    Args:
        root: The ``<mujoco>`` element, without includes.
        tell: Called with a line about each element that is left out.
        warn: Called with a line about each actuator that is left out.
    """
    _drop_incomplete_exclusions(root, tell)
    _apply_body_defaults(root)
    _define_unknown_classes(root)
    _mark_defaults(root)
    _read_joint_types(root)
    _let_damping_win(root)
    for inertial in root.iter("inertial"):
        _turn_full_inertia(inertial)
    if is_after_first_of_1():
        check_document(root)
        drop_flags(root)
    actuator_leniency.accept(root, warn)
    _write_names(root)
    _tell_bodies_apart(root)


def without_bounds(values: Any) -> Any:
    """Masses and inertias of bodies, with zero for what `adjust` lets MuJoCo take."""
    found = np.asarray(values, dtype=float)
    return np.where(found <= _LEAST, 0.0, found)


def is_stated(values: Any, usual: tuple[float, ...]) -> Any:
    """Which numbers of a geom its file states."""
    return np.asarray(values)[: len(usual)] != np.array(usual)


def _drop_incomplete_exclusions(root: ElementTree.Element, tell: Callable[[str], None]) -> None:
    known = {body.get("name") for body in root.iter("body")} | {"world"}
    for section in root.findall("contact"):
        for element in section.findall("exclude"):
            names = [element.get(key) for key in ("body1", "body2")]
            if not all(name in known for name in names):
                tell(
                    f"Warning: <exclude> of {names[0]} and {names[1]} names no two bodies: left out"
                )
                section.remove(element)


def _apply_body_defaults(root: ElementTree.Element) -> None:
    """Defaults of bodies, which MuJoCo has none of, become attributes of the bodies."""
    found: dict[str | None, dict[str, str]] = {None: {}}

    def read(element: ElementTree.Element, above: dict[str, str], name: str | None) -> None:
        own = dict(above)
        for body in element.findall("body"):
            own |= body.attrib
            element.remove(body)
        found[name] = found.get(name, {}) | own
        for inner in element.findall("default"):
            read(inner, own, inner.get("class"))

    def apply(element: ElementTree.Element, name: str | None) -> None:
        for child in element:
            inner = child.get("childclass", name)
            if child.tag == "body":
                own = child.attrib.pop("class", inner)
                for key, value in found.get(own, found[None]).items():
                    child.attrib.setdefault(key, value)
            apply(child, inner)

    for default in root.findall("default"):
        read(default, found[None], None)
    for world in root.findall("worldbody"):
        apply(world, None)


def _define_unknown_classes(root: ElementTree.Element) -> None:
    defined = {default.get("class") for default in root.iter("default")} | {"main"}
    for element in root.iter():
        for key in ("class", "childclass"):
            name = element.get(key)
            if element.tag != "default" and name is not None and name not in defined:
                ElementTree.SubElement(_main_default(root), "default", {"class": name})
                defined.add(name)


def _mark_defaults(root: ElementTree.Element) -> None:
    """Let geoms of files that state nothing be told from those that state MuJoCo's own values."""
    main = _main_default(root)
    geom = main.find("geom")
    if geom is None:
        geom = ElementTree.SubElement(main, "geom")
    for key, usual in _MARKED.items():
        given = geom.get(key, "").split()
        geom.set(key, " ".join([*given, *map(repr, usual[len(given) :])]))


def _main_default(root: ElementTree.Element) -> ElementTree.Element:
    for default in root.findall("default"):
        if default.get("class") in {None, "main"}:
            return default
    made = ElementTree.Element("default")
    root.insert(0, made)
    return made


def _read_joint_types(root: ElementTree.Element) -> None:
    """Joints of the type "slider" slide, and those of the type "fixed" are none."""
    for parent in list(root.iter()):
        for joint in parent.findall("joint"):
            if joint.get("type") == "slider":
                joint.set("type", "slide")
            elif joint.get("type") == "fixed":
                parent.remove(joint)


def _let_damping_win(root: ElementTree.Element) -> None:
    """A position actuator with a damping of its own needs no ratio of it."""
    for actuator in root.iter("position"):
        if actuator.get("kv") is not None:
            actuator.attrib.pop("dampratio", None)


def _turn_full_inertia(inertial: ElementTree.Element) -> None:
    """A whole tensor in a frame of its own, which MuJoCo takes in the body's only."""
    numbers, quat = inertial.get("fullinertia", "").split(), inertial.get("quat", "").split()
    if len(numbers) != _FULL or len(quat) != _QUAT:
        return
    xx, yy, zz, xy, xz, yz = map(float, numbers)
    w, x, y, z = map(float, quat)
    turn = np.array(wp.quat_to_matrix(wp.normalize(wp.quatd(x, y, z, w)))).reshape(3, 3)
    own = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    turned = turn @ own @ turn.T
    order = (0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)
    inertial.set("fullinertia", " ".join(repr(float(turned[place])) for place in order))
    del inertial.attrib["quat"]


def _tell_bodies_apart(root: ElementTree.Element) -> None:
    """Bodies of one name in different places; references mean the first of them."""
    seen: set[str] = set()
    for number, body in enumerate(root.iter("body")):
        name = body.get("name")
        if name in seen:
            body.set("name", f"{name}{REPEATED}{number}")
        elif name is not None:
            seen.add(name)


def _write_names(root: ElementTree.Element) -> None:
    """Names of bodies and joints without hyphens, which paths of USD do not have."""
    for element in root.iter():
        keys = _REFERENCES if element.tag not in _NAMED else ("name", *_REFERENCES)
        for key in keys:
            if "-" in element.get(key, ""):
                element.set(key, element.attrib[key].replace("-", "_"))


class Activation(NamedTuple):
    """What a file says of the state of an actuator.

    Attributes:
        limited: 0, 1, or 2: where a range is stated.
        range: Its bounds.
        dimension: How many numbers it has; -1: as its dynamics need.
        early: Whether the force follows the next state.
    """

    limited: int
    range: tuple[float, float]
    dimension: int
    early: bool


def without_dynamics(spec: Any) -> dict[int, Activation]:
    """Take away what a file says of the states of actuators that have none.

    Returns:
        Number of the actuator -> that.
    """
    found: dict[int, Activation] = {}
    for number, actuator in enumerate(spec.actuators):
        if int(actuator.dyntype) != 0:
            continue
        low, high = (float(v) for v in actuator.actrange)
        dimension, limited = int(actuator.actdim), int(actuator.actlimited)
        found[number] = Activation(limited, (low, high), dimension, bool(actuator.actearly))
        actuator.actrange[:] = (0.0, 0.0)
        actuator.actdim, actuator.actlimited, actuator.actearly = -1, _AUTO, 0
    return found


def adjust(spec: Any) -> None:
    """Let MuJoCo compile bodies without mass, and ranges that are not switched on.

    Such ranges do not act where the file says ``autolimits="false"``.
    """
    spec.compiler.boundmass = max(spec.compiler.boundmass, _LEAST)
    spec.compiler.boundinertia = max(spec.compiler.boundinertia, _LEAST)
    if spec.compiler.autolimits:
        return
    if is_after_first_of_1():
        _check_ranges(spec)
    kinds = {"limited", "actfrclimited", "ctrllimited", "forcelimited", "actlimited"}
    for element in (*spec.joints, *spec.tendons, *spec.actuators):
        for name in kinds:
            if int(getattr(element, name, 0)) == _AUTO:
                setattr(element, name, 0)


def _check_ranges(spec: Any) -> None:
    """Refuse ranges of joints that are neither switched on nor off, where no default does that."""
    for joint in spec.joints:
        for switch, span in (("limited", "range"), ("actfrclimited", "actfrcrange")):
            stated = np.any(np.asarray(getattr(joint, span), float))
            if stated and int(getattr(joint, switch)) == _AUTO:
                raise ValueError(
                    f'Joint {joint.name!r} has a {span} and autolimits="false": expected'
                    f" {switch}= beside it"
                )
