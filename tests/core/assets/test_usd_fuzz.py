"""Damaged stages: always assets or an error of ours, and the process lives on."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

pytest.importorskip("pxr")

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.core.assets import usd_texts as t
from unibody.core.assets.description import Asset
from unibody.core.assets.paths import SearchPath
from unibody.core.assets.usd import load_usd
from unibody.errors import AssetError, UnibodyError

MESH = t.body("m", t.shape("Mesh", inner=t.BOWL, api="PhysicsMeshCollisionAPI"))
BALL = t.joint("SphericalJoint", "ball", "/box", "/m", "    float physics:coneAngle0Limit = 30")
SOURCE = t.ROBOT + MESH + BALL
NASTY = (
    "nan", "inf", "-inf", "1e400", "-1", "0", "[]", "[0]", "(0, 0, 0)", '"X"', '"none"', "true",
    "</Robot>", "</Robot/arm>", "</nothing>", "@x.usda@", "99999999999", "\x00", "\u00e9", "{", "}",
    "instanceable = true", 'def "x" {\n}', "None",
)  # fmt: skip


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


@st.composite
def damaged_text(draw: st.DrawFn) -> bytes:
    """A stage with a few words, lines or bytes changed."""
    lines = SOURCE.split("\n")
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(1, len(lines) - 1))
        action = draw(st.sampled_from(["delete", "double", "swap", "value", "value", "word"]))
        if action == "delete":
            del lines[place]
        elif action == "double":
            lines.insert(place, lines[place])
        elif action == "swap":
            other = draw(st.integers(1, len(lines) - 1))
            lines[place], lines[other] = lines[other], lines[place]
        elif action == "value" and "=" in lines[place]:
            head = lines[place].split("=")[0]
            lines[place] = f"{head}= {draw(st.sampled_from(NASTY))}"
        else:
            lines[place] += " " + draw(st.sampled_from(NASTY))
    data = bytearray("\n".join(lines).encode())
    if draw(st.integers(0, 4)) == 0:
        data[draw(st.integers(0, len(data) - 1))] = draw(st.integers(0, 255))
    return bytes(data)


def check(path: Path) -> None:
    try:
        assets = load_usd(path, search_path=SearchPath())
    except UnibodyError as error:
        assert str(error)
        return
    for asset in assets:
        check_asset(asset)


def check_asset(asset: Asset) -> None:
    """What every asset promises."""
    names = [link.name for link in asset.links]
    assert len(set(names)) == len(names)
    for index, link in enumerate(asset.links):
        assert link.parent < index
        numbers = [*link.joint.origin.pos, *link.joint.origin.quat, *link.joint.axis]
        numbers += [link.inertial.mass, *link.inertial.inertia, *link.inertial.pose.pos]
        for shape in (*link.visuals, *link.collisions):
            numbers += [*shape.size, *shape.pose.pos, *shape.pose.quat]
        assert all(map(math.isfinite, numbers))
        assert math.isclose(math.hypot(*link.joint.origin.quat), 1.0, rel_tol=1e-9)


@settings(
    max_examples=50,
    deadline=timedelta(seconds=10),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(data=damaged_text())
@pytest.mark.thorough
def test_damaged_text_gives_assets_or_an_error(tmp_path, data):
    path = tmp_path / "stage.usda"
    path.write_bytes(data)
    check(path)


@settings(
    max_examples=4,  # each is a process
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(changes=st.lists(st.tuples(st.floats(0, 1), st.integers(0, 255)), min_size=1, max_size=4))
@pytest.mark.thorough
def test_damaged_binary_gives_assets_or_an_error(tmp_path, changes):
    from pxr import Sdf

    layer = Sdf.Layer.CreateAnonymous(".usda")
    layer.ImportFromString(SOURCE)
    path = tmp_path / "stage.usdc"
    layer.Export(str(path))
    data = bytearray(path.read_bytes())
    for place, value in changes:
        data[8 + int(place * (len(data) - 9))] = value
    path.write_bytes(data)
    check(path)


def test_a_damaged_binary_stage_is_refused_without_being_opened_in_this_process(
    tmp_path, monkeypatch
):
    from pxr import Sdf

    layer = Sdf.Layer.CreateAnonymous(".usda")
    layer.ImportFromString(SOURCE)
    path = tmp_path / "stage.usdc"
    layer.Export(str(path))
    data = bytearray(path.read_bytes())
    data[16:24] = (1 << 40).to_bytes(8, "little")  # where the table of contents begins
    path.write_bytes(data)
    opened = []
    monkeypatch.setattr(Sdf.Layer, "FindOrOpen", opened.append)
    with pytest.raises(AssetError, match="cannot be read") as caught:
        load_usd(path, search_path=SearchPath())
    assert caught.value.file == str(path)
    assert not opened


def test_a_child_that_dies_once_is_not_taken_for_a_damaged_stage(tmp_path, monkeypatch):
    from pxr import Sdf

    from unibody.core.assets.usd import probe

    layer = Sdf.Layer.CreateAnonymous(".usda")
    layer.ImportFromString(SOURCE)
    path = tmp_path / "stage.usdc"
    layer.Export(str(path))
    mark = tmp_path / "mark"
    once = f"import os; m = {str(mark)!r}; os.path.exists(m) or open(m, 'w').close() or os.abort()"
    monkeypatch.setattr(probe, "_START", f"{once}; {probe._START}")
    load_usd(path, search_path=SearchPath())
    assert mark.exists()


def test_a_binary_stage_that_ends_the_process_is_an_error(tmp_path, monkeypatch):
    from pxr import Sdf

    from unibody.core.assets.usd import probe

    layer = Sdf.Layer.CreateAnonymous(".usda")
    layer.ImportFromString(SOURCE)
    path = tmp_path / "stage.usdc"
    layer.Export(str(path))
    monkeypatch.setattr(probe, "_START", "import os; os.abort()")
    with pytest.raises(UnibodyError, match="crashes on it"):
        load_usd(path, search_path=SearchPath())
    monkeypatch.setattr(probe, "_START", "import time; time.sleep(60)")
    monkeypatch.setattr(probe, "_SECONDS", 0.2)
    with pytest.raises(UnibodyError, match="does not come back"):
        load_usd(path, search_path=SearchPath())
