"""Sweeps on Ray, whose processes are killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.process import ROOT, run_python

pytest.importorskip("ray")
pytestmark = pytest.mark.slow

FALLING = """\
import argparse, os, random, signal
import pybullet as p

parser = argparse.ArgumentParser()
parser.add_argument("--height", type=float)
height = parser.parse_args().height
p.connect(p.DIRECT)
p.setGravity(0, 0, -9.81)
shape = p.createCollisionShape(p.GEOM_SPHERE, radius=0.1)
ball = p.createMultiBody(1, shape, basePosition=[random.random(), 0, height])
for step in range(20):
    p.stepSimulation()
    if step == 10 and os.path.exists("kill"):
        try:
            os.rename("kill", "killed")
        except OSError:
            continue
        os.kill(os.getppid(), signal.SIGKILL)
x, _, z = p.getBasePositionAndOrientation(ball)[0]
print(f"x={x} z={z}")
"""
SWEEP = (
    "-m", "unibody", "sweep", "falling.py", "--set", "height=1,2", "--seeds", "3",
    "--workers", "2", "--out",
)  # fmt: skip


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, bytes]:
    """A folder with the script, and the table of a sweep that nothing interrupts."""
    folder = tmp_path_factory.mktemp("sweep")
    (folder / "falling.py").write_text(FALLING)
    ran = run_python([*SWEEP, "whole"], cwd=folder, timeout=300)
    assert ran.returncode == 0, ran.stderr
    assert "6 runs, 0 failed" in ran.stdout
    return folder, (folder / "whole" / "table.parquet").read_bytes()


def test_a_sweep_has_a_row_for_every_run(expected: tuple[Path, bytes]) -> None:
    import pyarrow.parquet

    found = pyarrow.parquet.read_table(expected[0] / "whole" / "table.parquet").to_pydict()
    assert found["height"] == [1, 1, 1, 2, 2, 2]
    assert found["seed"] == [0, 1, 2, 0, 1, 2]
    assert found["x"][:3] == found["x"][3:] and len(set(found["x"])) == 3
    # 20 steps of 1/240 s, velocity first, by PyBullet's damping of 0.04: a little less than
    # g h^2 n (n + 1) / 2
    falls = [height - z for height, z in zip(found["height"], found["z"], strict=True)]
    assert falls == pytest.approx([9.81 / 240**2 * 210] * 6, rel=0.01)


def test_a_sweep_killed_half_way_goes_on_to_the_same_table(expected: tuple[Path, bytes]) -> None:
    folder, table = expected
    path = os.pathsep.join(filter(None, [str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]))
    process = subprocess.Popen(
        [sys.executable, *SWEEP, "halves"], cwd=folder, env={**os.environ, "PYTHONPATH": path},
        stdout=subprocess.DEVNULL,
    )  # fmt: skip
    runs = folder / "halves" / "runs"
    deadline = time.monotonic() + 200
    while len(list(runs.glob("*.json"))) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    before = {file.name: file.stat().st_mtime_ns for file in runs.glob("*.json")}
    assert 2 <= len(before) < 6
    ran = run_python([*SWEEP, "halves"], cwd=folder, timeout=300)
    assert ran.returncode == 0, ran.stderr
    assert {name: (runs / name).stat().st_mtime_ns for name in before} == before  # not done again
    assert (folder / "halves" / "table.parquet").read_bytes() == table


def test_a_worker_killed_in_the_middle_of_a_run_loses_nothing(
    expected: tuple[Path, bytes],
) -> None:
    folder, table = expected
    (folder / "kill").touch()
    ran = run_python([*SWEEP, "workers"], cwd=folder, timeout=300)
    assert (folder / "killed").exists()
    assert ran.returncode == 0, ran.stderr
    assert (folder / "workers" / "table.parquet").read_bytes() == table
