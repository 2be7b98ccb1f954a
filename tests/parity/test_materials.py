"""Colours of materials in URDF files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support.duo import both

TEXTURE = '<texture filename="tray/tray.jpg"/>'
KNOWN = (
    f'<material name="wood">{TEXTURE}</material><material name="bare"/>'
    '<material name="green"><color rgba="0 1 0 1"/></material>'
)
GREY, WHITE, GREEN = (0.8, 0.8, 0.8, 1.0), (1.0, 1.0, 1.0, 1.0), (0.0, 1.0, 0.0, 1.0)


@pytest.mark.parametrize(
    ("material", "colour"),
    [
        ("", WHITE),
        (f'<material name="own">{TEXTURE}</material>', GREY),
        ('<material name="own"><specular rgb="1 0 0"/></material>', GREY),
        ('<material name="own"/>', WHITE),
        ('<material name="wood"/>', GREY),
        ('<material name="bare"/>', GREY),
        ('<material name="green"/>', GREEN),
        (f'<material name="green">{TEXTURE}</material>', GREY),
    ],
)
def test_a_material_without_a_colour_is_light_grey(
    tmp_path: Path, material: str, colour: tuple[float, ...]
) -> None:
    # PyBullet reads a file of one name once: each case has a name of its own.
    file = tmp_path / "box.urdf"
    file.write_text(
        f'<robot name="r">{KNOWN}<link name="base"><inertial><mass value="1"/>'
        '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
        f'<visual><geometry><box size="1 1 1"/></geometry>{material}</visual></link></robot>'
    )

    def script(p: Any) -> list[float]:
        body = p.loadURDF(str(file))
        view = p.computeViewMatrixFromYawPitchRoll([0, 0, 0], 3, 20, -60, 0, 2)
        lens = p.computeProjectionMatrixFOV(30, 1, 0.1, 10)
        picture = np.reshape(p.getCameraImage(32, 32, view, lens)[2], (32, 32, 4))
        shade = picture[16, 16, :3] / 255.0
        return [*p.getVisualShapeData(body)[0][7], *shade]

    theirs, ours = both(script)
    np.testing.assert_allclose(ours[:4], colour, rtol=0, atol=1e-6)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1.5 / 255)  # a shade of rounding


@pytest.mark.parametrize("name", ["", "paint"])
def test_a_colour_counts_for_shapes_before_it_under_its_name(tmp_path: Path, name: str) -> None:
    inertial = (
        '<inertial><mass value="1"/>'
        '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
    )
    red = f'<material name="{name}"><color rgba="1 0 0 1"/></material>'
    links = [f'<material name="{name}"/>', "", red, f'<material name="{name}"/>', ""]
    text = '<robot name="r">'
    for number, material in enumerate(links):
        shape = f'<visual><geometry><box size="1 1 1"/></geometry>{material}</visual>'
        text += f'<link name="l{number}">{inertial}{shape}</link>'
        if number:
            ends = f'<parent link="l0"/><child link="l{number}"/>'
            text += f'<joint name="j{number}" type="fixed">{ends}</joint>'
    file = tmp_path / f"{name or 'nameless'}.urdf"
    file.write_text(text + "</robot>")

    def script(p: Any) -> list[Any]:
        return [shape[7] for shape in p.getVisualShapeData(p.loadURDF(str(file)))]

    theirs, ours = both(script)
    np.testing.assert_array_equal(ours, theirs)
    assert ours[0].tolist() == [1.0, 0.0, 0.0, 1.0]
