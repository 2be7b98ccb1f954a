"""`unibody run --record` for scripts of Isaac Gym, Isaac core, Newton and bare batches."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.support.process import run_python

av = pytest.importorskip("av")

GYM = """
from isaacgym import gymapi

gym = gymapi.acquire_gym()
params = gymapi.SimParams()
params.up_axis = gymapi.UP_AXIS_Z
params.gravity = gymapi.Vec3(0, 0, -9.81)
sim = gym.create_sim(0, -1, gymapi.SIM_PHYSX, params)
plane = gymapi.PlaneParams()
plane.normal = gymapi.Vec3(0, 0, 1)
gym.add_ground(sim, plane)
box = gym.create_box(sim, 0.4, 0.4, 0.4)
for number, x in enumerate((-1.0, 1.0)):
    env = gym.create_env(sim, gymapi.Vec3(-1, -1, 0), gymapi.Vec3(1, 1, 2), 2)
    pose = gymapi.Transform()
    pose.p = gymapi.Vec3(0, 0, 1.2)
    actor = gym.create_actor(env, box, pose, "box", number, 1)
    gym.set_rigid_body_color(env, actor, 0, gymapi.MESH_VISUAL, gymapi.Vec3(1, 0, 0))
gym.prepare_sim(sim)
for _ in range(60):
    gym.simulate(sim)
"""
CORE = """
from isaacsim import SimulationApp

app = SimulationApp({"headless": True})
import numpy as np
from isaacsim.core.api import World
from isaacsim.core.api.objects import DynamicCuboid, VisualCuboid

world = World()
world.scene.add_default_ground_plane()
for number, kind in enumerate((DynamicCuboid, VisualCuboid)):
    world.scene.add(kind(prim_path=f"/World/cube_{number}", name=f"cube_{number}", size=0.4,
                         position=np.array([2.0 * number, 0, 1.2]), color=np.array([1.0, 0, 0])))
world.reset()
for _ in range(60):
    world.step(render=False)
app.close()
"""
NEWTON = """
import newton
import warp as wp

builder = newton.ModelBuilder()
builder.add_ground_plane()
for x in (0.0, 2.0):
    body = builder.add_body(xform=wp.transform((x, 0.0, 1.2), wp.quat_identity()))
    builder.add_shape_box(body, hx=0.2, hy=0.2, hz=0.2)
model = builder.finalize()
model.shape_color.assign([[0.5, 0.5, 0.5], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
solver = newton.solvers.SolverSemiImplicit(model)
state, following, control = model.state(), model.state(), model.control()
for _ in range(60):
    state.clear_forces()
    solver.step(state, following, control, None, 1.0 / 60.0)
    state, following = following, state
"""
SCRIPTS = {"isaacgym": (GYM, None), "isaac_core": (CORE, "pxr"), "newton": (NEWTON, "warp")}


def film(tmp_path, script, name="film.mp4"):
    (tmp_path / "script.py").write_text(script)
    words = ["-m", "unibody", "run", "--record", name, "script.py"]
    done = run_python(words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert f"recorded {tmp_path / name}" in done.stderr


def red(image):
    """Where a picture is red: (n, 2), row and column."""
    values = image.astype(int)
    return np.argwhere((values[..., 0] > 90) & (values[..., 1:].max(axis=-1) < 60))


@pytest.mark.parametrize("surface", SCRIPTS)
@pytest.mark.thorough
def test_a_film_shows_what_a_script_steps(tmp_path, surface):
    script, needed = SCRIPTS[surface]
    if needed:
        pytest.importorskip(needed)
    film(tmp_path, script)
    with av.open(str(tmp_path / "film.mp4")) as file:
        images = [frame.to_ndarray(format="rgb24") for frame in file.decode(video=0)]
        assert file.streams.video[0].average_rate == 30
    # A second of simulated time; `reset` of Isaac core makes steps, too.
    assert len(images) in ((30, 31) if surface == "isaac_core" else (30,))
    first, last = red(images[0]), red(images[8])  # 0.27 s: 0.35 m of 1 m to the ground
    assert len(first) > 1000 and len(last) > 500
    # The camera sees both boxes: what is red is wider than one of them, 0.4 m of at least 2.4 m.
    across = np.ptp(first[:, 1])
    assert 2.4 / 0.4 * math.sqrt(len(first) / 2.0) * 0.3 < across < images[0].shape[1]
    assert last[:, 0].mean() > first[:, 0].mean() + 10  # they fall


@pytest.mark.parametrize("surface", SCRIPTS)
@pytest.mark.thorough
def test_pictures_of_a_data_set_have_the_colours_that_a_film_has(tmp_path, surface):
    script, needed = SCRIPTS[surface]
    for package in ("pyarrow", *((needed,) if needed else ())):
        pytest.importorskip(package)
    (tmp_path / "script.py").write_text(script)
    words = ["-m", "unibody", "run", "--dataset", "data", "--pictures", "320x240", "script.py"]
    done = run_python(words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (video,) = (tmp_path / "data").rglob("*.mp4")
    with av.open(str(video)) as file:
        first = next(iter(file.decode(video=0))).to_ndarray(format="rgb24")
    assert len(red(first)) > 1000


@pytest.mark.thorough
def test_a_page_is_written_of_a_script_of_isaac_gym(tmp_path):
    pytest.importorskip("viser")
    film(tmp_path, GYM, "film.html")
    assert (tmp_path / "film.html").stat().st_size > 100_000


def test_a_script_that_steps_nothing_is_told(tmp_path):
    (tmp_path / "script.py").write_text("print('nothing')\n")
    words = ["-m", "unibody", "run", "--record", "film.mp4", "script.py"]
    done = run_python(words, cwd=tmp_path)
    assert "nothing to record" in done.stderr and not (tmp_path / "film.mp4").exists()
