"""``isaacgym.gymutil``: command lines, configurations, wire frames, domain randomisation."""

from __future__ import annotations

from xml.etree import ElementTree

from unibody.isaacgym.arguments import parse_arguments, parse_bool, parse_device_str
from unibody.isaacgym.line_geometry import (
    AxesGeometry,
    LineGeometry,
    WireframeBBoxGeometry,
    WireframeBoxGeometry,
    WireframeSphereGeometry,
    draw_line,
    draw_lines,
)
from unibody.isaacgym.randomization import (
    apply_random_samples,
    check_buckets,
    generate_random_samples,
    get_bucketed_val,
    get_default_setter_args,
    get_property_getter_map,
    get_property_setter_map,
)
from unibody.isaacgym.sim_config import parse_flex_config, parse_physx_config, parse_sim_config

__all__ = [
    "AxesGeometry",
    "LineGeometry",
    "WireframeBBoxGeometry",
    "WireframeBoxGeometry",
    "WireframeSphereGeometry",
    "apply_random_samples",
    "check_buckets",
    "draw_line",
    "draw_lines",
    "generate_random_samples",
    "get_bucketed_val",
    "get_default_setter_args",
    "get_property_getter_map",
    "get_property_setter_map",
    "parse_arguments",
    "parse_bool",
    "parse_device_str",
    "parse_flex_config",
    "parse_physx_config",
    "parse_sim_config",
]


def _indent_xml(elem: ElementTree.Element, level: int = 0) -> None:
    """Lay out an XML tree in place. Scripts that write models call it, in spite of its name."""
    ElementTree.indent(elem, "  ", level)
