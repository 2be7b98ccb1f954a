"""Recordings of models and states."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import warp as wp

from unibody import newton
from unibody.newton.viewer.file import ViewerFile


def _model() -> newton.Model:
    builder = newton.ModelBuilder()
    body = builder.add_body(xform=wp.transform((0.0, 0.0, 0.95), wp.quat_identity()), key="part")
    cube = newton.Mesh.create_box(1.0, 1.0, 1.0)
    builder.add_shape_mesh(body, mesh=cube)
    builder.add_shape_mesh(body, mesh=cube, scale=(0.5, 0.5, 0.5))
    field = newton.Heightfield(np.zeros((3, 3)), 3, 3, hx=2.0, hy=2.0)
    builder.add_shape_heightfield(heightfield=field)
    return builder.finalize(device="cpu")


def test_a_recorded_model_collides_as_the_one_that_was_recorded(tmp_path: Path) -> None:
    model = _model()
    viewer = ViewerFile(str(tmp_path / "run.npz"), auto_save=False)
    viewer.set_model(model)
    assert viewer.is_running()
    viewer.log_state(model.state())
    viewer.close()  # which writes the file, whatever is saved between frames
    assert not viewer.is_running()

    again = ViewerFile(str(tmp_path / "run.npz"), auto_save=False)
    assert not again.has_model()
    again.load_recording()
    assert again.has_model()
    other = newton.Model(device="cpu")
    again.load_model(other)
    assert (other.body_count, other.shape_count) == (1, 3)
    assert other.body_key == ["part"]
    assert other.shape_source[0] is other.shape_source[1]
    state = other.state()
    again.load_state(state, 0)
    found, expected = other.collide(state), model.collide(model.state())
    count = int(expected.rigid_contact_count.numpy()[0])
    assert found.rigid_contact_count.numpy()[0] == count > 0
    points = found.rigid_contact_point0.numpy()[:count]
    assert np.array_equal(points, expected.rigid_contact_point0.numpy()[:count])


def test_a_recording_without_a_model_says_so(tmp_path: Path) -> None:
    viewer = ViewerFile(str(tmp_path / "run.npz"), auto_save=False)
    with pytest.raises(ValueError, match=r"no model.*run\.npz"):
        viewer.load_model(newton.Model(device="cpu"))


def test_a_short_history_keeps_the_last_frames_whoever_adds_them(tmp_path: Path) -> None:
    viewer = ViewerFile(str(tmp_path / "run.npz"), auto_save=False, max_history_size=3)
    for number in range(5):
        viewer.history.append({"time": np.array(number)})
    assert [int(frame["time"]) for frame in viewer.history] == [2, 3, 4]
