"""How MJCF files are read, and what their numbers mean."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import warp as wp


@dataclass
class MjcfOptions:
    """How an MJCF file is read; the arguments of `add_mjcf` of the same names."""

    armature_scale: float
    scale: float
    hide_visuals: bool
    parse_visuals_as_colliders: bool
    parse_meshes: bool
    parse_sites: bool
    parse_visuals: bool
    ignore_names: Sequence[str]
    ignore_classes: Sequence[str]
    visual_classes: Sequence[str]
    collider_classes: Sequence[str]
    no_class_as_colliders: bool
    force_show_colliders: bool
    ignore_inertial_definitions: bool
    convert_3d_hinge_to_ball_joints: bool
    mesh_maxhullvert: int | None
    ctrl_direct: bool
    legacy_margin_gap: bool

    def ignores(self, name: str, cls: str) -> bool:
        """Whether a name or a class is left out."""
        return matches(self.ignore_names, name) or matches(self.ignore_classes, cls)


def matches(patterns: Sequence[str], text: str) -> bool:
    """Whether a text begins with one of some patterns."""
    return any(re.match(pattern, text) for pattern in patterns)


def stiffness_of(solref: Any) -> tuple[float, float]:
    """Stiffness and damping of MuJoCo's time constant and damping ratio, or of their negatives."""
    constant, ratio = (float(v) for v in solref)
    if constant < 0.0:
        return -constant, -ratio
    if constant == 0.0 or ratio == 0.0:
        return 2500.0, 100.0
    return 1.0 / (constant * ratio) ** 2, 2.0 / constant


def pose_of(position: Any, quat: Any) -> wp.transform:
    """A position and a quaternion wxyz as a pose."""
    w, x, y, z = (float(v) for v in quat)
    return wp.transform(wp.vec3(*(float(v) for v in position)), wp.quat(x, y, z, w))
