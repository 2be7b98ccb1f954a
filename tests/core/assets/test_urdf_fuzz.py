"""Damaged robots: always an asset or an asset error, in bounded time."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from xml.etree import ElementTree

import pybullet_data
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.core.assets.urdf_texts import RICH
from unibody.core.assets.description import Asset
from unibody.core.assets.paths import SearchPath
from unibody.core.assets.urdf import UrdfOptions, parse_urdf_text
from unibody.errors import AssetError

DATA = Path(pybullet_data.getDataPath())
SOURCES = [RICH, (DATA / "r2d2.urdf").read_text(), (DATA / "franka_panda/panda.urdf").read_text()]
SEARCH = SearchPath((str(DATA), str(DATA / "franka_panda")))
BOMB = '<!DOCTYPE robot [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;"><!ENTITY c "&b;&b;&b;">]>'
NASTY = (
    "", " ", "nan", "inf", "-inf", "1e400", "-1e308", "1e-320", "0", "-1", "0 0 0", "1 2",
    "1 2 3 4", "0x7fffffffffffffffffff", "9" * 5000, "&c;", "\u00e9\u4e16", "${x}",
    "../../../../etc/passwd", "file:///etc/hostname.stl", "a\x00b", "fixed", "planar",
    "world", "base",
)  # fmt: skip


@st.composite
def damaged(draw: st.DrawFn) -> str:
    """A URDF with a few elements, attributes or characters changed."""
    tree = ElementTree.fromstring(draw(st.sampled_from(SOURCES)))
    for _ in range(draw(st.integers(0, 4))):
        _damage_tree(draw, tree)
    text = ElementTree.tostring(tree, encoding="unicode")
    for _ in range(draw(st.integers(0, 2))):
        text = _damage_text(draw, text)
    return text


def _damage_tree(draw: st.DrawFn, tree: ElementTree.Element) -> None:
    elements = list(tree.iter())
    element = elements[draw(st.integers(0, len(elements) - 1))]
    other = elements[draw(st.integers(0, len(elements) - 1))]
    action = draw(st.sampled_from(["delete", "double", "move", "drop", "value", "tag"]))
    if action == "delete" and len(element):
        element.remove(element[draw(st.integers(0, len(element) - 1))])
    elif action == "double" and len(element):
        element.append(element[draw(st.integers(0, len(element) - 1))])
    elif action == "move" and element not in other.iter():
        element.append(ElementTree.fromstring(ElementTree.tostring(other)))
    elif action == "drop" and element.attrib:
        del element.attrib[draw(st.sampled_from(sorted(element.attrib)))]
    elif action == "value" and element.attrib:
        element.set(draw(st.sampled_from(sorted(element.attrib))), draw(st.sampled_from(NASTY)))
    elif action == "tag":
        element.tag = other.tag


def _damage_text(draw: st.DrawFn, text: str) -> str:
    at = draw(st.integers(0, len(text)))
    action = draw(st.sampled_from(["cut", "insert", "remove", "nest", "bomb", "number"]))
    if action == "cut":
        return text[:at]
    if action == "insert":
        return text[:at] + draw(st.text(max_size=8)) + text[at:]
    if action == "remove":
        return text[:at] + text[at + draw(st.integers(1, 40)) :]
    if action == "nest":
        depth = draw(st.sampled_from([50, 200, 100_000]))
        return text.replace("<link", "<a>" * depth + "</a>" * depth + "<link", 1)
    if action == "bomb":
        return BOMB + text.replace("name=", 'x="&c;" name=', 1)
    return text.replace(draw(st.sampled_from("0123456789.")), draw(st.sampled_from(NASTY)), 3)


def _check(text: str, options: UrdfOptions) -> None:
    try:
        asset = parse_urdf_text(text, search_path=SEARCH, options=options)
    except AssetError:
        return
    _check_asset(asset)


def _check_asset(asset: Asset) -> None:
    """What the contract of ``Asset`` promises to everything that uses one."""
    for index, link in enumerate(asset.links):
        assert link.parent < index
        assert (link.parent == -1) == (index == 0)
        assert math.hypot(*link.joint.axis) == pytest.approx(1.0)
        assert math.hypot(*link.joint.origin.quat) == pytest.approx(1.0)
        numbers = [link.inertial.mass, *link.inertial.inertia, *link.inertial.pose.pos]
        numbers += [link.joint.damping, link.joint.friction, *link.joint.origin.pos]
        for shape in (*link.visuals, *link.collisions):
            numbers += [*shape.size, *shape.pose.pos, *shape.pose.quat]
        assert all(map(math.isfinite, numbers))
        assert not math.isnan(link.joint.lower + link.joint.effort)


OPTIONS = st.builds(
    UrdfOptions, fixed_base=st.booleans(), merge_fixed_links=st.booleans(), scale=st.just(2.0)
)
# A hang shows as a missed deadline: these files are read in milliseconds.
DEADLINE = timedelta(seconds=20)


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    logging.disable(logging.WARNING)
    yield
    logging.disable(logging.NOTSET)


@settings(max_examples=100, deadline=DEADLINE, suppress_health_check=[*HealthCheck])
@given(damaged(), OPTIONS)
def test_a_damaged_robot_gives_an_asset_or_an_asset_error(text: str, options: UrdfOptions) -> None:
    _check(text, options)


@pytest.mark.slow
@settings(max_examples=500, deadline=DEADLINE, suppress_health_check=[*HealthCheck])
@given(damaged(), OPTIONS)
def test_many_damaged_robots_give_an_asset_or_an_asset_error(
    text: str, options: UrdfOptions
) -> None:
    _check(text, options)


@settings(max_examples=100, deadline=DEADLINE)
@given(st.text(max_size=200))
def test_any_text_gives_an_asset_or_an_asset_error(text: str) -> None:
    _check(text, UrdfOptions())
    _check(f'<robot name="r">{text}</robot>', UrdfOptions())
