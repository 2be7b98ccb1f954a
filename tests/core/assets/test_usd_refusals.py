"""Stages that are refused, each with what is wrong with it."""

from __future__ import annotations

import dataclasses
import os
import zipfile

import pytest

pytest.importorskip("pxr")

from tests.core.assets import usd_texts as t
from unibody.core.assets.limits import DEFAULT_LIMITS
from unibody.core.assets.paths import SearchPath
from unibody.core.assets.usd import UsdOptions, load_usd, probe_child
from unibody.errors import AssetError, NotSupportedError

TWO = t.body("a", t.shape("Cube")) + t.body("b", t.shape("Cube"))
NESTED = 'def "a" {\n' * 200 + "}\n" * 200


def bomb() -> str:
    """Ten prims that each refer to the next ten times: 10^10 prims."""
    text = "#usda 1.0\n"
    for level in range(10):
        text += f'def "p{level}"\n{{\n'
        for number in range(10):
            text += f'    def "c{number}" (\n        references = </p{level + 1}>\n    )\n'
            text += "    {\n    }\n"
        text += "}\n"
    return text + 'def "p10"\n{\n}\n'


def referring(path: str) -> str:
    return t.ROBOT + f'def "x" (\n    prepend references = @{path}@\n)\n{{\n}}\n'


REFUSED = {
    "is not there": referring("./gone.usda"),
    "outside the directories": referring("/etc/passwd"),
    "download it": referring("https://example.org/a.usd"),
    "is an expression": referring("`${HOME}`"),
    "nested deeper than 100": "#usda 1.0\n" + NESTED,
    "composes more than": bomb(),
    "refers to itself": '#usda 1.0\ndef "a" (\n    references = </a>\n)\n{\n}\n',
    "neither a body nor a shape": '#usda 1.0\ndef "a"\n{\n}\n',
    "cannot be read": "#usda 1.0\ndef def",
    "metersPerUnit": t.header(-1.0) + TWO,
    "with itself": t.header() + TWO + t.joint("FixedJoint", "j", "/a", "/a"),
    "neither moves by itself": t.header()
    + t.body("a", t.shape("Cube"), more="bool physics:kinematicEnabled = 1")
    + t.body("b", t.shape("Cube"), more="bool physics:kinematicEnabled = 1")
    + t.joint("FixedJoint", "j", "/a", "/b"),
    "above upper limit": t.header() + TWO + t.joint(
        "RevoluteJoint", "j", "/a", "/b",
        "    float physics:lowerLimit = 20\n    float physics:upperLimit = 10",
    ),
    "is not a finite number": t.header() + TWO + t.joint(
        "RevoluteJoint", "j", "/a", "/b", "    point3f physics:localPos0 = (nan, 0, 0)"
    ),
    r"has a number above 1e\+15": t.header() + TWO + t.joint(
        "RevoluteJoint", "j", "/a", "/b", "    point3f physics:localPos0 = (0, 0, 1e30)"
    ),
    "radius=.* is not a number": t.header()
    + t.body("a", t.shape("Cylinder", inner="    undeclared radius = 0.1")),
    "the counts ask for": t.header() + t.shape(
        "Mesh", inner=t.TETRAHEDRON.replace("[3, 3, 3, 3]", "[3, 3, 3, 4]")
    ),
    "face index 9": t.header() + t.shape(
        "Mesh", inner=t.TETRAHEDRON.replace("0, 3, 2]", "0, 9, 2]")
    ),
}  # fmt: skip


@pytest.mark.parametrize("problem", REFUSED)
def test_the_error_names_the_file_and_the_problem(tmp_path, problem):
    (tmp_path / "stage.usda").write_text(REFUSED[problem])
    with pytest.raises(AssetError, match=problem) as caught:
        load_usd(tmp_path / "stage.usda", search_path=SearchPath())
    assert "stage.usda" in str(caught.value)


UNSUPPORTED = {
    "a joint of type 'PhysicsDistanceJoint'": t.header()
    + TWO
    + t.joint("DistanceJoint", "j", "/a", "/b"),
    "a capsule with two radii": t.header()
    + t.body("a", t.shape("Capsule_1", inner="    double radiusTop = 0.1")),
}


@pytest.mark.parametrize("feature", UNSUPPORTED)
def test_what_nothing_here_can_hold_is_named(tmp_path, feature):
    (tmp_path / "stage.usda").write_text(UNSUPPORTED[feature])
    with pytest.raises(NotSupportedError, match=feature):
        load_usd(tmp_path / "stage.usda", search_path=SearchPath())


def test_a_reference_through_a_link_out_of_the_roots_is_refused(tmp_path):
    outside = tmp_path / "far" / "away"
    outside.mkdir(parents=True)
    (outside / "part.usda").write_text(t.ROBOT)
    deep = tmp_path / "a" / "b" / "c" / "d" / "e"
    deep.mkdir(parents=True)
    os.symlink(outside / "part.usda", deep / "part.usda")
    (deep / "stage.usda").write_text(referring("./part.usda"))
    with pytest.raises(AssetError, match="outside the directories"):
        load_usd(deep / "stage.usda", search_path=SearchPath())
    assert load_usd(deep / "stage.usda", search_path=SearchPath((str(outside),)))


def test_files_of_other_kinds_are_not_layers(tmp_path):
    (tmp_path / "part.txt").write_text(t.ROBOT)
    (tmp_path / "stage.usda").write_text(referring("./part.txt"))
    with pytest.raises(AssetError, match=r"'\.txt' is not one of"):
        load_usd(tmp_path / "stage.usda", search_path=SearchPath())


def test_all_layers_together_have_a_limit(tmp_path):
    (tmp_path / "stage.usda").write_text(t.ROBOT)
    limits = dataclasses.replace(DEFAULT_LIMITS, mesh_bytes=100)
    with pytest.raises(AssetError, match="the limit is 100"):
        load_usd(tmp_path / "stage.usda", search_path=SearchPath(), limits=limits)


@pytest.mark.parametrize(("field", "value"), [("links", 2), ("shapes", 0)])
def test_bodies_and_shapes_have_a_limit(tmp_path, field, value):
    (tmp_path / "stage.usda").write_text(t.ROBOT)
    limits = dataclasses.replace(DEFAULT_LIMITS, **{field: value})
    with pytest.raises(AssetError, match=rf"the limit is 2|more than {value} shapes"):
        load_usd(tmp_path / "stage.usda", search_path=SearchPath(), limits=limits)


def test_a_package_whose_names_lead_out_of_it_is_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "stage.usdz", "w") as package:
        package.writestr("../stage.usda", t.ROBOT)
    with pytest.raises(AssetError, match="leads out of the package"):
        load_usd(tmp_path / "stage.usdz", search_path=SearchPath())


@pytest.mark.parametrize("root", ["/nothing", "not a path"])
def test_a_root_that_is_not_there_is_named(tmp_path, root):
    (tmp_path / "stage.usda").write_text(t.ROBOT)
    with pytest.raises(AssetError, match=root):
        load_usd(tmp_path / "stage.usda", search_path=SearchPath(), options=UsdOptions(root=root))


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(AssetError, match=r"nothing\.usda: no such file"):
        load_usd(tmp_path / "nothing.usda", search_path=SearchPath())


def test_a_texture_outside_the_roots_is_left_out(tmp_path):
    text = (
        t.header()
        + """
def Material "m"
{
    token outputs:surface.connect = </m/shader.outputs:surface>
    def Shader "shader"
    {
        uniform token info:id = "UsdPreviewSurface"
        asset inputs:file = @/etc/passwd@
        color3f inputs:diffuseColor = (1, 0, 0)
        token outputs:surface
    }
}
def Sphere "a" (
    prepend apiSchemas = ["MaterialBindingAPI"]
)
{
    rel material:binding = </m>
}
"""
    )
    (tmp_path / "stage.usda").write_text(text)
    (asset,) = load_usd(tmp_path / "stage.usda", search_path=SearchPath())
    (visual,) = asset.links[0].visuals
    assert (visual.texture, visual.rgba) == ("", (1.0, 0.0, 0.0, 1.0))


def test_a_limit_of_memory_of_the_user_does_not_make_binary_stages_damaged(monkeypatch):
    resource = pytest.importorskip("resource")
    hard, asked = 1 << 40, []

    def set_limit(kind: int, limits: tuple[int, int]) -> None:
        if limits[1] != hard:  # which is what the system says
            raise ValueError("not allowed to raise maximum limit")
        asked.append(limits)

    monkeypatch.setattr(resource, "getrlimit", lambda kind: (hard, hard))
    monkeypatch.setattr(resource, "setrlimit", set_limit)
    probe_child._bound_memory(1 << 30)
    probe_child._bound_memory(1 << 50)
    assert asked == [(1 << 30, hard), (hard, hard)]
