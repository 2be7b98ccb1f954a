"""Videos and pages of a world, by simulated time."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("av")

import unibody.bullet as p
from tests.support.duo import DATA
from tests.viewer.videos import frames_of
from unibody.bullet.clients.registry import get_client
from unibody.bullet.window.film import ReplayLog

SOURCE = Path(__file__).parents[3] / "src"


@pytest.fixture
def windowless(monkeypatch):
    monkeypatch.setenv("UNIBODY_VIEWER", "off")


def red_box(position):
    shape = p.createCollisionShape(p.GEOM_BOX, halfExtents=[0.2] * 3)
    look = p.createVisualShape(p.GEOM_BOX, halfExtents=[0.2] * 3, rgbaColor=[1, 0, 0, 1])
    return p.createMultiBody(1.0, shape, look, position)


def heights(pictures):
    """Mean row of the red pixels of each picture."""
    red = (pictures[..., 0] > 120) & (pictures[..., 1] < 90) & (pictures[..., 2] < 90)
    return np.array([np.argwhere(image)[:, 0].mean() for image in red])


def look_from_the_front():
    p.resetDebugVisualizerCamera(1.73, 0.0, 0.0, [0, 0, 1])


def test_a_video_log_plays_as_fast_as_the_world_went(tmp_path, windowless):
    client = p.connect(p.GUI, options="--width=160 --height=120 --mp4fps=20")
    red_box([0, 0, 1.5])
    look_from_the_front()
    p.setGravity(0, 0, -5)
    log = p.startStateLogging(p.STATE_LOGGING_VIDEO_MP4, str(tmp_path / "fall.mp4"))
    for _ in range(120):
        p.stepSimulation()
    p.stopStateLogging(log)
    p.stepSimulation()
    p.disconnect(client)
    pictures, rate, duration = frames_of(tmp_path / "fall.mp4")
    assert pictures.shape == (10, 120, 160, 3)
    assert (rate, duration) == (20.0, pytest.approx(0.5, abs=0.001))
    assert np.all(np.diff(heights(pictures)) > 0.0)  # it falls: rows count downwards


def test_the_option_mp4_records_from_the_beginning_to_the_end(tmp_path, windowless):
    file = tmp_path / "a b.mp4"
    client = p.connect(p.GUI, options=f'--width=64 --height=48 --mp4="{file}"')
    p.resetSimulation()  # a log would end here
    red_box([0, 0, 1])
    for _ in range(24):
        p.stepSimulation()
    p.disconnect(client)
    pictures, rate, duration = frames_of(file)
    assert (len(pictures), rate) == (6, 60.0)
    assert duration == pytest.approx(0.1, abs=0.001)


def test_single_step_rendering_is_a_frame_for_each_call(tmp_path, windowless):
    file = tmp_path / "single.mp4"
    client = p.connect(p.GUI, options=f"--width=64 --height=48 --mp4={file} --mp4fps=240")
    look_from_the_front()
    body = red_box([0, 0, 1])
    for height in (0.8, 1.0, 1.2):
        p.resetBasePositionAndOrientation(body, [0, 0, height], [0, 0, 0, 1])
        p.configureDebugVisualizer(p.COV_ENABLE_SINGLE_STEP_RENDERING, 1)
        p.stepSimulation()
    p.disconnect(client)
    pictures, *_ = frames_of(file)
    assert len(pictures) == 3
    assert np.all(np.diff(heights(pictures)) < 0.0)


def test_debug_lines_are_in_the_video(tmp_path, windowless):
    file = tmp_path / "line.mp4"
    client = p.connect(p.GUI, options=f"--width=160 --height=120 --mp4={file}")
    look_from_the_front()
    p.addUserDebugLine([-1, 0, 1], [1, 0, 1], [0, 1, 0], 5)
    for _ in range(8):
        p.stepSimulation()
    p.disconnect(client)
    image = frames_of(file)[0][-1].astype(int)
    assert np.sum((image[..., 1] > 150) & (image[..., 0] < 110) & (image[..., 2] < 110)) > 100


def test_a_direct_client_can_be_filmed_too(tmp_path):
    client = p.connect(p.DIRECT)
    red_box([0, 0, 1])
    log = p.startStateLogging(p.STATE_LOGGING_VIDEO_MP4, str(tmp_path / "direct"))
    for _ in range(4):
        p.stepSimulation()
    p.disconnect(client)  # completes it
    assert log == 0
    assert frames_of(tmp_path / "direct")[0].shape == (1, 768, 1024, 3)


def test_a_video_that_cannot_be_made_is_refused_and_leaves_no_client(tmp_path, windowless):
    with pytest.raises(FileNotFoundError):
        p.connect(p.GUI, options=f"--mp4={tmp_path}/none/a.mp4")
    assert not p.isConnected()
    client = p.connect(p.DIRECT)
    with pytest.raises(p.error, match="No such file"):
        p.startStateLogging(p.STATE_LOGGING_VIDEO_MP4, str(tmp_path / "none" / "a.mp4"))
    p.disconnect(client)


def test_without_the_library_there_is_no_video_and_the_script_goes_on(
    tmp_path, monkeypatch, windowless, capsys
):
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    monkeypatch.setattr("unibody.notices._told", set())
    client = p.connect(p.GUI, options=f"--mp4={tmp_path}/w.mp4")
    logs = [p.startStateLogging(p.STATE_LOGGING_VIDEO_MP4, str(tmp_path / "a.mp4")) for _ in "ab"]
    p.stepSimulation()
    for log in logs:
        p.stopStateLogging(log)
    p.disconnect(client)
    assert logs == [0, 1]
    assert not list(tmp_path.iterdir())
    said = capsys.readouterr().err
    assert said.count("connect(GUI) writes no video") == 1
    assert said.count("startStateLogging writes no video") == 1
    assert "[viewer]" in said


SCRIPT = """
import pybullet as p
p.connect(p.DIRECT)
p.createMultiBody(1, p.createCollisionShape(p.GEOM_SPHERE, radius=0.2), basePosition=[0, 0, 1])
for _ in range(80):
    p.stepSimulation()
"""


def run_recorded(tmp_path, file, script=SCRIPT, *options):
    (tmp_path / "script.py").write_text(script)
    call = "import sys; from unibody.cli import main; sys.exit(main(sys.argv[1:]))"
    words = ["run", *options, "--record", file, "script.py"]
    return subprocess.run(
        [sys.executable, "-c", call, *words],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_run_records_a_script_that_knows_nothing_of_it(tmp_path):
    done = run_recorded(tmp_path, "out.mp4")
    assert done.returncode == 0, done.stderr
    pictures, rate, duration = frames_of(tmp_path / "out.mp4")
    assert (len(pictures), rate) == (20, 60.0)
    assert duration == pytest.approx(80 / 240, abs=0.001)


def test_run_records_a_page_that_needs_no_server(tmp_path):
    pytest.importorskip("viser")
    done = run_recorded(tmp_path, "out.html", SCRIPT, "--max-steps", "60")
    assert done.returncode == 0, done.stderr
    assert "__VISER_EMBED_DATA__" in (tmp_path / "out.html").read_text()


def test_run_says_what_it_cannot_record(tmp_path):
    done = run_recorded(tmp_path, "out.gif")
    assert done.returncode == 2
    assert "--record='out.gif' is not allowed" in done.stderr
    done = run_recorded(tmp_path, "out.mp4", "print('no world')")
    assert done.returncode == 0
    assert "no world was opened" in done.stderr
    assert not (tmp_path / "out.mp4").exists()


FULL = """
import resource
for step in range(2):
    p.stepSimulation()
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))
for step in range(80):
    p.stepSimulation()
print("the script has ended")
"""


@pytest.mark.parametrize("name", ["out.mp4", "out.html"])
def test_a_recording_on_a_full_disk_leaves_the_one_before_and_the_script_goes_on(tmp_path, name):
    pytest.importorskip("viser")
    (tmp_path / name).write_text("before")
    done = run_recorded(tmp_path, name, SCRIPT + FULL)
    assert done.returncode == 0, done.stderr
    assert "the script has ended" in done.stdout
    assert done.stderr.count("File too large") == 1
    assert "recorded" not in done.stderr
    assert (tmp_path / name).read_text() == "before"
    assert sorted(file.name for file in tmp_path.iterdir()) == [name, "script.py"]


def _fading_cloth():
    """A red cloth that a script makes narrower between two steps."""
    p.resetSimulation(p.RESET_USE_DEFORMABLE_WORLD)
    cloth = p.loadSoftBody(f"{DATA}/cloth_z_up.obj", useMassSpring=1, springElasticStiffness=0.1)
    p.changeVisualShape(cloth, -1, rgbaColor=[1, 0, 0, 1])
    p.resetDebugVisualizerCamera(3.0, 0.0, -89.0, [0, 0, 0])
    return cloth


def _halve(cloth):
    places = p.getMeshData(cloth, -1, flags=p.MESH_DATA_SIMULATION_MESH)[1]
    p.resetMeshData(cloth, [(0.5 * x, y, z) for x, y, z in places])


def test_a_video_shows_soft_bodies_as_they_are_in_each_frame(tmp_path, windowless):
    client = p.connect(p.GUI, options="--width=160 --height=120 --mp4fps=240")
    cloth = _fading_cloth()
    log = p.startStateLogging(p.STATE_LOGGING_VIDEO_MP4, str(tmp_path / "cloth.mp4"))
    p.stepSimulation()
    _halve(cloth)
    p.stepSimulation()
    p.stopStateLogging(log)
    p.disconnect(client)
    pictures = frames_of(tmp_path / "cloth.mp4")[0]
    red = (pictures[..., 0] > 120) & (pictures[..., 1] < 90) & (pictures[..., 2] < 90)
    before, after = (np.ptp(np.argwhere(image), axis=0) for image in red)
    # A pixel of 160 is blurred at either side.
    assert after[1] == pytest.approx(before[1] / 2, abs=2)
    assert after[0] == pytest.approx(before[0], abs=2)


def test_a_page_that_plays_gets_new_vertices_of_a_soft_body_and_no_new_mesh(tmp_path, windowless):
    pytest.importorskip("viser")
    client = p.connect(p.GUI)
    cloth = _fading_cloth()
    log = ReplayLog(get_client(client), str(tmp_path / "cloth.html"))
    log.single_frame()
    (group,) = log._viewer._stage._groups.values()
    handle, before = group.handle, group.handle.vertices.copy()
    log.single_frame()
    np.testing.assert_array_equal(handle.vertices, before)
    _halve(cloth)
    log.single_frame()
    assert log._viewer._stage._groups[next(iter(log._viewer._stage._groups))].handle is handle
    np.testing.assert_allclose(handle.vertices, before * [0.5, 1, 1], atol=1e-6)
    log.close()
    p.disconnect(client)
    assert (tmp_path / "cloth.html").stat().st_size > 0
