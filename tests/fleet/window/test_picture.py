"""Pictures of a fleet that need no page."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from unibody import bullet, fleet
from unibody.cli import main
from unibody.fleet.window.picture import picture_of

SCENARIO = """\
simulation: {timestep: 0.1, physics: false, duration: 0.2, monitor: false}
entities:
  - name: box
    type: sim_object
    mass: 0.0
    visual_shape: {shape_type: box, half_extents: [1, 1, 1], rgba_color: [0.9, 0.1, 0.1, 1.0]}
    collision_shape: {shape_type: box, half_extents: [1, 1, 1]}
    pose: [0, 0, 1]
"""


def reds(image):
    image = image[..., :3].astype(int)
    return (image[..., 0] > 90) & (image[..., 1] < 60)


def test_a_run_ends_with_a_picture_where_one_is_asked_for(tmp_path, capsys):
    (tmp_path / "one.yaml").write_text(SCENARIO, encoding="utf-8")
    file = tmp_path / "end.png"
    command = ["fleet", "run", str(tmp_path / "one.yaml"), "--quiet", "--picture", str(file)]
    assert main(command) == 0
    assert str(file) in capsys.readouterr().out
    near = reds(np.asarray(Image.open(file))).mean()
    assert main([*command, "--look", "0", "-20", "1", "0", "0", "1"]) == 0
    far = reds(np.asarray(Image.open(file))).mean()
    assert near > 3 * far > 0.0


def test_a_picture_of_another_kind_is_refused_before_the_run(tmp_path, capsys):
    (tmp_path / "one.yaml").write_text(SCENARIO, encoding="utf-8")
    assert main(["fleet", "run", str(tmp_path / "one.yaml"), "--picture", "end.tiff"]) == 1
    assert "--picture end.tiff" in capsys.readouterr().err


@pytest.mark.parametrize("floor", [True, False])
def test_an_empty_fleet_has_a_picture_of_its_floor_alone(floor):
    core = fleet.MultiRobotSimulationCore(
        fleet.SimulationParams(gui=False, monitor=False, physics=False, enable_floor=floor)
    )
    try:
        image = picture_of(core, 64, 48)
        assert image.shape == (48, 64, 4)
        assert (len(np.unique(image.reshape(-1, 4), axis=0)) > 1) is floor
    finally:
        bullet.disconnect(core.client)
