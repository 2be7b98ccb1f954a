"""Scripts of Isaac core under `unibody run`."""

from __future__ import annotations

from pathlib import Path

from tests.support.process import run_python

ENDLESS = """
from isaacsim import SimulationApp
app = SimulationApp({"headless": True})
from isaacsim.core.api import World
from isaacsim.core.api.objects import DynamicCuboid
world = World()
world.scene.add_default_ground_plane()
world.scene.add(DynamicCuboid("/World/cube", "cube", position=[0.0, 0.0, 1.0]))
world.reset()
for n in range(1000):
    world.step(render=True)
    print(n, flush=True)
"""


def test_max_steps_ends_a_script_of_isaac_core_at_that_step(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(ENDLESS, encoding="utf-8")
    words = ["-m", "unibody", "run", "--max-steps", "7", "script.py"]
    result = run_python(words, cwd=tmp_path, timeout=600)
    assert result.returncode == 0, result.stderr
    # Two steps are made by the reset, one before and one after the views are made.
    assert result.stdout.split() == ["0", "1", "2", "3"]
    assert "7 steps, 0.117 s simulated" in result.stderr  # 7 / 60 s


WAITING = """
from isaacsim import SimulationApp
app = SimulationApp({"headless": False})
from isaacsim.core.api import World
world = World()
world.reset()
for _ in range(700):
    world.step(render=True)
world.pause()
print("paused", flush=True)
for _ in range(700):
    world.step(render=True)
app.close()
"""


def test_a_script_that_waits_for_somebody_to_press_play_is_told_that_nobody_can(
    tmp_path: Path,
) -> None:
    (tmp_path / "script.py").write_text(WAITING, encoding="utf-8")
    result = run_python(["-m", "unibody", "run", "script.py"], cwd=tmp_path, timeout=600)
    assert (result.returncode, result.stdout) == (0, "paused\n"), result.stderr
    told = [line for line in result.stderr.splitlines() if "press Play" in line]
    assert len(told) == 1
    assert "World.play() or the timeline's play() goes on" in told[0]
