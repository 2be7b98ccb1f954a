"""`unibody view` shows files with their joints on sliders."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from PIL import Image

pytest.importorskip("viser")

from unibody import sample_assets
from unibody.cli.view import Showroom, main, read
from unibody.core.assets.description import ShapeKind
from unibody.core.render.camera import look_at, perspective
from unibody.errors import AssetError
from unibody.sample_assets import originals
from unibody.viewer.framing import box_of
from unibody.viewer.viewer import FOV, HELP


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


def test_a_model_of_pybullet_is_named_with_the_command_that_shows_it(tmp_path, monkeypatch):
    model = tmp_path / "pybullet_data" / "franka_panda" / "panda.urdf"
    model.parent.mkdir(parents=True)
    model.write_text('<robot name="r"><link name="a"/></robot>')
    monkeypatch.setenv(originals.FOLDER, str(tmp_path))
    monkeypatch.setattr(originals, "installed", lambda: None)
    with pytest.raises(AssetError) as problem:
        read("franka_panda/panda.urdf")
    expected = f"no such file; PyBullet's is there: unibody view {model}"
    assert problem.value.problem == expected


def test_a_usd_stage_is_shown_with_its_joints(tmp_path):
    pytest.importorskip("pxr")
    from tests.core.assets.usd_texts import ROBOT

    (tmp_path / "robot.usda").write_text(ROBOT)
    showroom = Showroom(read(str(tmp_path / "robot.usda")), 0)
    try:
        assert showroom.sliders
    finally:
        showroom.viewer.close()


def test_the_page_offers_no_button_that_does_nothing():
    showroom = Showroom(read(f"{sample_assets.getDataPath()}/cube.urdf"), 0)
    try:
        assert showroom.viewer.controls._run.options == ("Reset",)
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


def test_the_ground_is_below_all_and_the_camera_sees_all():
    file = f"{sample_assets.stand_ins()}/husky/husky.urdf"
    showroom = Showroom(read(file) + read(file), 0)
    try:
        _, positions, quats = showroom._pose_reader.poses()
        *parts, ground = showroom.viewer._parts
        boxes = [
            box_of([part for part in parts if part.owner[0] == body], positions, quats)
            for body in (0, 1)
        ]
        assert ground.shape.kind is ShapeKind.PLANE
        assert ground.shape.pose.pos[2] == pytest.approx(min(low[2] for low, _ in boxes))
        assert boxes[1][0][1] - boxes[0][1][1] == pytest.approx(0.5)  # side by side, with a gap
        view = showroom.viewer._sight().view
        matrix = perspective(FOV, 1.0, 0.01, 100.0) @ look_at(view.position, view.target, view.up)
        corners = np.array(list(itertools.product(*np.array(boxes).reshape(-1, 3).T)))
        seen = np.column_stack([corners, np.ones(len(corners))]) @ matrix.T
        assert (np.abs(seen[:, :2]) < seen[:, 3:]).all()
        assert np.abs(seen[:, :2] / seen[:, 3:]).max() > 0.3  # and not from afar
    finally:
        showroom.viewer.close()


def test_the_page_says_what_mouse_and_keys_do():
    showroom = Showroom(read(f"{sample_assets.stand_ins()}/cube.urdf"), 0)
    try:
        text = showroom.viewer.controls._help.content
        assert all(f"| {key} | {what} |" in text for key, what in HELP)
    finally:
        showroom.viewer.close()


def test_a_mesh_has_the_texture_that_its_file_names(tmp_path):
    Image.new("RGB", (4, 4), (200, 40, 40)).save(tmp_path / "red.png")
    (tmp_path / "leaf.mtl").write_text("newmtl red\nmap_Kd red.png\n", encoding="utf-8")
    (tmp_path / "leaf.obj").write_text(
        "mtllib leaf.mtl\nv 0 0 0\nv 1 0 0\nv 0 0 1\nvt 0 0\nvt 1 0\nvt 0 1\nusemtl red\n"
        "f 1/1 2/2 3/3\n",
        encoding="utf-8",
    )
    (tmp_path / "leaf.urdf").write_text(
        '<robot name="leaf"><link name="leaf"><visual><geometry><mesh filename="leaf.obj"/>'
        "</geometry></visual></link></robot>",
        encoding="utf-8",
    )
    showroom = Showroom(read(str(tmp_path / "leaf.urdf")), 0)
    try:
        (leaf,) = (part for part in showroom.viewer._parts if part.shape.kind is ShapeKind.MESH)
        assert leaf.texture == str(tmp_path / "red.png")
    finally:
        showroom.viewer.close()
