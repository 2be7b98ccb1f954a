"""What MJCF documents may not say, in later releases of 1.x."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np

from unibody.newton.exceptions import warn
from unibody.newton.solvers.mujoco.attributes import FLAGS

_ENDS = 6  # numbers of two points
_MODES = ("convex", "exact", "legacy", "shell")
_PER_VERTEX = {"normal": 3, "texcoord": 2}


def check_document(root: ElementTree.Element) -> None:
    """Check sites, meshes and couplings of joints.

    Args:
        root: The ``<mujoco>`` element, without includes.

    Raises:
        ValueError: One is not allowed.
    """
    _check_sites(root)
    _check_couplings(root)
    _warn_of_limits(root)
    for mesh in root.iter("mesh"):
        mode = mesh.get("inertia", _MODES[0])
        if mode not in _MODES:
            name = mesh.get("name", "")
            raise ValueError(f"Mesh {name!r} has an unsupported inertia {mode!r}: one of {_MODES}")
        if mesh.get("vertex"):
            _check_inline(mesh)


def drop_flags(root: ElementTree.Element) -> None:
    """Take away flags that have no attribute, with a warning."""
    for element in root.iterfind("option/flag"):
        unknown = sorted(set(element.attrib) - {*FLAGS, "gravity"})
        for name in unknown:
            del element.attrib[name]
        if unknown:
            warn(f"MJCF option <flag> has attributes that are not supported and ignored: {unknown}")


def _check_inline(mesh: ElementTree.Element) -> None:
    what = f"Inline MJCF mesh {mesh.get('name', '')!r}"
    counts: dict[str, int] = {}
    for key in ("vertex", "face", *_PER_VERTEX, "refpos", "refquat"):
        words = mesh.get(key, "").split()
        try:
            np.array(words, float)
        except ValueError as error:
            raise ValueError(f"{what} has invalid {key} data: {error}") from error
        counts[key] = len(words)
    if counts["face"] % 3:
        raise ValueError(f"{what}: face has {counts['face']} indices, not a multiple of 3")
    for key, width in _PER_VERTEX.items():
        shared = key == "normal" and counts[key] == width
        if counts[key] and not shared and counts[key] * 3 != counts["vertex"] * width:
            raise ValueError(
                f"{what}: {key} has {counts[key]} numbers, not {width} values per vertex"
            )


def _check_couplings(root: ElementTree.Element) -> None:
    names = {joint.get("name") for body in root.iter("body") for joint in body.iter()}
    for coupling in root.iterfind("equality/joint"):
        ends = [coupling.get(key) for key in ("joint1", "joint2")]
        for end in ends:
            if end is not None and end not in names:
                raise ValueError(f"Joint equality refers to an unknown joint {end!r}")
        if ends[0] is not None and ends[0] == ends[1]:
            raise ValueError(f"Joint equality uses joint {ends[0]!r} as both endpoints")


def _check_sites(root: ElementTree.Element) -> None:
    """Refuse sites between two points that have a position beside them, or no length."""
    usual = {d.get("class"): s.attrib for d in root.iter("default") for s in d.findall("site")}
    for site in root.iter("site"):
        stated = {**usual.get(site.get("class"), {}), **site.attrib}
        ends = stated.get("fromto", "").split()
        if len(ends) != _ENDS:
            continue
        name = site.get("name", "")
        if "pos" in stated:
            raise ValueError(f"Site {name!r} has both pos and fromto: expected one of them")
        if np.allclose(np.array(ends[:3], float), np.array(ends[3:], float), rtol=0.0):
            raise ValueError(f"Site {name!r} has a zero-length fromto={' '.join(ends)!r}")


def _warn_of_limits(root: ElementTree.Element) -> None:
    """Tell of joints whose limits are soft in no way that MuJoCo has."""
    for joint in root.iter("joint"):
        stated = joint.get("solreflimit", "").split()
        if len(stated) != 2:
            continue
        first, second = (float(number) for number in stated)
        if first * second <= 0.0 and (first, second) != (0.0, 0.0):
            warn(
                f"joint {joint.get('name', '')!r} has an invalid solreflimit={' '.join(stated)!r}:"
                " both numbers are positive, or both negative"
            )
