"""What actuators of MJCF files may hold that MuJoCo refuses and the original reads."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable
from xml.etree import ElementTree

from unibody.errors import NotSupportedError
from unibody.newton.dialect import is_after_first_of_1

_SHARED = ("affine", "muscle", "user", "dcmotor")
KINDS: dict[str, tuple[str, ...]] = {
    "gaintype": ("fixed", *_SHARED),
    "biastype": ("none", *_SHARED),
    "dyntype": ("none", "integrator", "filter", "filterexact", *_SHARED[1:]),
}
_CRANK = ("cranksite", "slidersite")
_TARGETS = ("joint", "jointinparent", "tendon", "site", "body")
_ELSEWHERE = ("attach", "include", "replicate")  # have sites, of other names
_UNMAPPED = ("ff", "none")  # inputs of motors that no control is for


def accept(root: ElementTree.Element, warn: Callable[[str], None]) -> None:
    """Change actuators so that MuJoCo reads what releases after newton 1.0 read.

    Args:
        root: The ``<mujoco>`` element.
        warn: Called with a line about each actuator that is left out.

    Raises:
        NotSupportedError: A motor has no control of its own, or several.
        ValueError: The length of a crank is not positive.
    """
    if not is_after_first_of_1():
        return
    for section in root.findall("actuator"):
        for element in list(section):
            _drop_unknown_kinds(element)
            _check_input(element)
            if element.get("jointinparent") is not None:
                element.attrib.pop("inheritrange", None)
    leave_out(root, warn)


def leave_out(root: ElementTree.Element, warn: Callable[[str], None]) -> None:
    """Remove actuators that act on nothing, which releases after newton 1.0 leave out.

    Args:
        root: The ``<mujoco>`` element.
        warn: Called with a line about each.

    Raises:
        ValueError: The length of a crank is not positive.
    """
    if not is_after_first_of_1():
        return
    sites = {element.get("name") for element in root.iter("site")}
    elsewhere = any(root.find(f".//{tag}") is not None for tag in _ELSEWHERE)
    for section in root.findall("actuator"):
        for element in list(section):
            problem = _problem_of_target(element, None if elsewhere else sites)
            if problem:
                warn(f"actuator {element.get('name', '')!r} {problem}, skipping")
                section.remove(element)


def _drop_unknown_kinds(element: ElementTree.Element) -> None:
    for attribute, known in KINDS.items():
        value = element.get(attribute)
        if value is not None and value not in known:
            logging.getLogger("newton").warning(
                "unsupported %s '%s' on actuator '%s': expected one of %s; the usual one counts",
                *(attribute, value, element.get("name", ""), ", ".join(known)),
            )
            del element.attrib[attribute]


def _check_input(element: ElementTree.Element) -> None:
    words = element.get("input", "").split()
    if element.tag == "dcmotor" and words and (len(words) > 1 or words[0] in _UNMAPPED):
        raise NotSupportedError(
            f"actuator {element.get('name', '')!r} with input={' '.join(words)!r}",
            "one DC-motor control input is for one actuator",
        )


def _problem_of_target(element: ElementTree.Element, sites: set[str | None] | None) -> str:
    """Why an actuator acts on nothing; "": it acts on something."""
    named = [element.get(attribute) for attribute in _CRANK]
    if named == [None, None]:
        known = element.tag in {"adhesion", "plugin"} or any(t in element.attrib for t in _TARGETS)
        return "" if known else "has no joint, tendon, site, body, or slider-crank target"
    if None in named:
        return "requires both cranksite and slidersite"
    for attribute, name in zip(_CRANK, named, strict=True):
        if sites is not None and name not in sites:
            return f"references unknown {attribute} {name!r}"
    length = float(element.get("cranklength", "1"))  # else that of a class, which MuJoCo checks
    if not (math.isfinite(length) and length > 0.0):
        raise ValueError(
            f"actuator {element.get('name', '')!r} has cranklength={length}: cranklength must be"
            " positive"
        )
    return ""
