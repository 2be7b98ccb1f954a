"""`unibody view` shows files with their joints on sliders."""

from __future__ import annotations

import math

import numpy as np
import pytest

pytest.importorskip("viser")

from unibody import sample_assets
from unibody.cli.view import Showroom, main, read


def test_a_slider_turns_its_joint():
    showroom = Showroom(read(f"{sample_assets.getDataPath()}/cartpole.urdf"), 0)
    try:
        before = showroom._pose_reader.poses()[1].copy()
        for slider in showroom.sliders.values():
            slider.value = 0.25
        showroom.update()
        after = showroom._pose_reader.poses()[1]
        assert len(showroom.sliders) == 2
        assert np.abs(after - before).max() == pytest.approx(0.25)  # the cart moved
    finally:
        showroom.viewer.close()


def test_models_stand_side_by_side():
    file = f"{sample_assets.getDataPath()}/cube.urdf"
    showroom = Showroom(read(file) + read(file), 0)
    try:
        showroom.update()
        positions = showroom._pose_reader.poses()[1]
        assert math.dist(positions[1], positions[2]) >= 0.5
    finally:
        showroom.viewer.close()


@pytest.mark.parametrize("name", ["missing.urdf", "missing.obj", "model.docx"])
def test_what_cannot_be_shown_is_named(name, tmp_path, capsys):
    assert main([str(tmp_path / name)]) == 1
    assert (".docx" if name.endswith("docx") else name) in capsys.readouterr().out


def test_a_usd_stage_is_shown_with_its_joints(tmp_path):
    pytest.importorskip("pxr")
    from tests.core.assets.usd_texts import ROBOT

    (tmp_path / "robot.usda").write_text(ROBOT)
    showroom = Showroom(read(str(tmp_path / "robot.usda")), 0)
    try:
        assert showroom.sliders
    finally:
        showroom.viewer.close()


def test_reset_puts_the_sliders_back():
    showroom = Showroom(read(f"{sample_assets.getDataPath()}/cartpole.urdf"), 0)
    try:
        before = [slider.value for slider in showroom.sliders.values()]
        for slider in showroom.sliders.values():
            slider.value = 0.25
        showroom._reset()
        assert [slider.value for slider in showroom.sliders.values()] == before
    finally:
        showroom.viewer.close()
