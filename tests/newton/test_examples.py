"""Viewers, and the conventions of example scripts."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import warp as wp

from unibody import cli, newton
from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.newton import examples, viewer
from unibody.newton.examples import checks


class Falling:
    """An example: a ball that falls for a tenth of a second."""

    def __init__(self, shown: Any) -> None:
        builder = newton.ModelBuilder()
        body = builder.add_body(
            xform=wp.transform(wp.vec3(0, 0, 1), wp.quat_identity()), key="ball"
        )
        builder.add_shape_sphere(body, radius=0.1)
        self.model = builder.finalize()
        self.solver = newton.solvers.SolverMuJoCo(self.model)
        self.state_0, self.state_1 = self.model.state(), self.model.state()
        self.viewer, self.height = shown, 0.96
        self.viewer.set_model(self.model)

    def step(self) -> None:
        self.solver.step(self.state_0, self.state_1, None, None, 0.01)
        self.state_0, self.state_1 = self.state_1, self.state_0

    def render(self) -> None:
        self.viewer.begin_frame(0.0)
        self.viewer.log_state(self.state_0)
        self.viewer.end_frame()

    def test_final(self) -> None:
        height = self.height
        examples.test_body_state(
            self.model, self.state_0, "fallen", lambda q, qd: q[2] < height and qd[2] < 0.0
        )


def test_an_example_runs_for_its_frames_and_is_checked() -> None:
    example = Falling(viewer.ViewerNull(num_frames=10))
    examples.run(example, argparse.Namespace(test=True))
    # g t^2 / 2 after 0.1 s, and a step of Euler's method too much: 0.049 + 0.005
    assert example.state_0.body_q.numpy()[0, 2] == pytest.approx(1.0 - 0.049 - 0.005, abs=1e-3)
    example = Falling(viewer.ViewerNull(num_frames=3))
    with pytest.raises(ValueError, match=r"fallen.*ball"):
        examples.run(example, argparse.Namespace(test=True))


def test_arguments_choose_the_viewer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["example.py", "--viewer", "null", "--num-frames", "7"])
    shown, args = examples.init()
    assert (shown.num_frames, args.test) == (7, False)
    monkeypatch.setattr("sys.argv", ["example.py", "--viewer", "usd"])
    with pytest.raises(NotSupportedError, match="ViewerFile"):
        examples.init()


def test_assets_are_those_of_a_folder_that_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNIBODY_NEWTON_ASSETS", "/somewhere")
    assert Path(examples.get_asset("ant.xml")) == Path("/somewhere/ant.xml")
    monkeypatch.delenv("UNIBODY_NEWTON_ASSETS")
    monkeypatch.setattr("sys.path", [])
    with pytest.raises(NotSupportedError, match="UNIBODY_NEWTON_ASSETS"):
        examples.get_asset("ant.xml")


def test_states_are_recorded_and_played_back(tmp_path: Path) -> None:
    file = tmp_path / "run.npz"
    shown = viewer.ViewerFile(str(file), max_history_size=5)
    example = Falling(shown)
    for _ in range(8):
        example.step()
        example.render()
    shown.close()
    other = viewer.ViewerFile(str(file), auto_save=False)
    other.load_recording()
    assert other.get_frame_count() == 5
    state = example.model.state()
    other.load_state(state, 4)
    np.testing.assert_array_equal(state.body_q.numpy(), example.state_0.body_q.numpy())
    with pytest.raises(InvalidArgumentError, match="0 to 4"):
        other.load_state(state, 5)


def test_worlds_stand_in_a_grid_about_the_origin() -> None:
    builder = newton.ModelBuilder()
    one = newton.ModelBuilder()
    one.add_body()
    builder.replicate(one, 4)
    shown = viewer.ViewerNull()
    shown.set_model(builder.finalize())
    shown.set_world_offsets((2.0, 4.0, 0.0))
    assert shown.world_offsets is not None
    places = shown.world_offsets.numpy()
    assert {tuple(row) for row in places.tolist()} == {
        (x, y, 0.0) for x in (-1.0, 1.0) for y in (-2.0, 2.0)
    }


def test_a_model_is_shown_on_a_page() -> None:
    pytest.importorskip("viser")
    shown = viewer.ViewerViser(port=0, verbose=False)
    example = Falling(shown)
    shown.set_camera((3.0, 0.0, 1.0), -10.0, 180.0)
    example.render()
    assert shown.url.startswith("http://127.0.0.1")
    assert shown.is_running()
    shown.close()
    assert not shown.is_running()


def test_examples_add_their_arguments_once(monkeypatch: pytest.MonkeyPatch) -> None:
    parser = examples.add_world_count_arg(examples.add_world_count_arg(examples.create_parser()))
    for add in (examples.add_broad_phase_arg, examples.add_mujoco_contacts_arg):
        add(parser)
    monkeypatch.setattr("sys.argv", ["example.py", "--viewer", "null", "--world-count", "3"])
    assert examples.init(parser)[1].world_count == 3


def test_numbers_that_are_none_are_found() -> None:
    state = Falling(viewer.ViewerNull()).state_0
    assert checks.find_nan_members(state) == checks.find_nonfinite_members(state) == []
    state.body_q.fill_(float("nan"))
    state.body_qd.fill_(float("inf"))
    assert checks.find_nan_members(state) == ["body_q"]
    assert set(checks.find_nonfinite_members(state)) == {"body_q", "body_qd"}
    assert checks.most(np.array([1, 1, 1, 1, 0]))
    assert not checks.most(np.array([1, 0]))
    with pytest.raises(AssertionError):
        checks.assert_np_equal(np.ones(2), np.zeros(2), tol=0.5)


def test_robots_are_those_of_a_clone_or_of_what_newton_has_kept(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("NEWTON_CACHE_PATH", str(tmp_path / "kept"))
    monkeypatch.setenv("UNIBODY_NEWTON_ASSETS", str(tmp_path / "mine"))
    with pytest.raises(NotSupportedError, match=r"git clone .*newton-assets"):
        newton.utils.download_asset("arm/usd")
    unfinished = tmp_path / "kept" / "newton-assets_arm_12345678_87654321_p1_t2" / "arm" / "usd"
    kept = tmp_path / "kept" / "newton-assets_arm_12345678_87654321" / "arm" / "usd"
    for place in (unfinished, kept):
        place.mkdir(parents=True)
    assert newton.utils.download_asset("arm/usd") == kept
    clone = tmp_path / "mine" / "newton-assets" / "arm" / "usd"
    clone.mkdir(parents=True)
    assert newton.utils.download_asset("arm/usd") == clone
    other = tmp_path / "mine" / "bolts"
    other.mkdir()
    found = examples.download_external_git_folder("https://example.org/shop.git", "bolts")
    assert found == other
    with pytest.raises(NotSupportedError, match=r"ref='v1'"):
        newton.utils.download_asset("arm/usd", ref="v1")
    with pytest.raises(InvalidArgumentError, match="folder"):
        newton.utils.download_asset("../secrets")


def test_viewers_take_what_scripts_of_1_x_show() -> None:
    shown = viewer.ViewerNull(num_frames=1)
    pose = wp.transform_identity()
    shown.log_gizmo("hand", pose, translate=[newton.Axis.X], rotate=(), snap_to=pose)
    shown.log_scalar("force", 1.0, clear=True, smoothing=5)
    shown.log_arrows("push", None, None, None, width=0.1)
    shown.log_image("camera", np.zeros((2, 2, 3)), fullscreen=True)
    shown.log_mesh("m", None, None, color=(1.0, 0.0, 0.0), opacity=0.5)
    assert shown.is_running()


@pytest.mark.parametrize("program", [["-m", "unibody", "run"], []])
def test_scripts_of_a_folder_of_examples_run_as_modules(program: list[str], tmp_path: Path) -> None:
    script = tmp_path / "basic" / "example_told.py"
    script.parent.mkdir()
    script.write_text(
        "import sys, newton\nprint(newton.__name__, __name__, __file__, sys.argv[1])\n"
    )
    children = Path(cli.__file__).parent / "children"
    environment = {**os.environ, "PYTHONPATH": str(children), "UNIBODY_NEWTON_API": "1"}
    environment["UNIBODY_NEWTON_EXAMPLES"] = str(tmp_path)
    command = [sys.executable, *program, "-m", "newton.examples.basic.example_told", "argument"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["unibody.newton", "__main__", str(script), "argument"]


def test_cloth_is_seen_where_its_particles_are() -> None:
    pytest.importorskip("viser")
    builder = newton.ModelBuilder()
    builder.add_cloth_grid(
        pos=wp.vec3(-0.5, -0.5, 0.0), rot=wp.quat_identity(), vel=wp.vec3(0.0, 0.0, 0.0),
        dim_x=2, dim_y=2, cell_x=0.5, cell_y=0.5, mass=0.1,
    )  # fmt: skip
    model = builder.finalize()
    shown = viewer.ViewerGL(80, 60)
    shown.set_model(model)
    shown.set_camera(wp.vec3(0.0, 0.0, 4.0), -89.9, 90.0)
    state = model.state()

    def seen() -> int:
        shown.log_state(state)
        image = shown.get_frame().numpy().astype(int)
        return int((image[..., 0] > 2 * image[..., 2]).sum())

    whole = seen()
    assert whole > 100
    state.particle_q.assign(0.5 * state.particle_q.numpy())
    # half as wide and half as high; the outline is a pixel at most
    assert seen() == pytest.approx(0.25 * whole, rel=0.3)
    filled = wp.zeros((60, 80, 3), dtype=wp.uint8)
    assert shown.get_frame(filled) is filled
    assert filled.numpy().any()
    with pytest.raises(InvalidArgumentError, match="target_image"):
        shown.get_frame(wp.zeros((6, 8, 3), dtype=wp.uint8))
    with pytest.raises(NotSupportedError, match="render_ui"):
        shown.get_frame(render_ui=True)
    shown.close()
