"""Collision groups of stages: which shapes meet which."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("pxr")

from tests.core.assets import usd_texts as t
from unibody.core.assets.description import Asset
from unibody.core.assets.paths import SearchPath
from unibody.core.assets.usd import load_usd


def read(folder: Path, text: str) -> dict[str, Asset]:
    """Assets of a stage by name."""
    (folder / "stage.usda").write_text(text)
    return {one.name: one for one in load_usd(folder / "stage.usda", search_path=SearchPath())}


def test_collision_groups_and_filtered_pairs_keep_bodies_apart(tmp_path):
    text = t.header()
    for name in "abc":
        text += t.body(name, t.shape("Cube"))
    text += """
def PhysicsCollisionGroup "first"
{
    rel collection:colliders:includes = </a/shape>
    rel physics:filteredGroups = </second>
}
def PhysicsCollisionGroup "second"
{
    rel collection:colliders:includes = </b/shape>
}
"""
    assets = read(tmp_path, text)
    bits = {
        name: (assets[name].links[0].collisions[0].group, assets[name].links[0].collisions[0].mask)
        for name in "abc"
    }

    def meets(one, other):
        return bool(bits[one][0] & bits[other][1]) and bool(bits[other][0] & bits[one][1])

    assert not meets("a", "b")
    assert meets("a", "c")
    assert meets("b", "c")


def test_collision_groups_without_shapes_take_no_bit(tmp_path):
    text = t.header() + t.body("a", t.shape("Cube"))
    text += "".join(f'def PhysicsCollisionGroup "empty{n}"\n{{\n}}\n' for n in range(40))
    text += """
def PhysicsCollisionGroup "own"
{
    rel collection:colliders:includes = </a/shape>
}
"""
    asset = read(tmp_path, text)["a"]
    assert asset.links[0].collisions[0].group == 2


def test_groups_of_an_inverted_scene_meet_those_they_name_alone(tmp_path):
    text = t.header() + "".join(t.body(name, t.shape("Cube")) for name in "abc")
    text += """
def PhysicsScene "scene"
{
    custom bool physxScene:invertCollisionGroupFilter = 1
}
"""
    for name, met in (("a", "b"), ("b", "a"), ("c", "c")):
        text += f"""
def PhysicsCollisionGroup "group_{name}"
{{
    rel collection:colliders:includes = </{name}/shape>
    rel physics:filteredGroups = </group_{met}>
}}
"""
    assets = read(tmp_path, text)
    shapes = {name: assets[name].links[0].collisions[0] for name in "abc"}
    assert shapes["a"].group & shapes["b"].mask and shapes["b"].group & shapes["a"].mask
    assert not shapes["a"].group & shapes["c"].mask
    assert not shapes["c"].group & shapes["b"].mask
