"""The first lines of the README, and `make demo`."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

import pytest

from scripts import demo
from tests.support.process import ROOT, run_python

README = (ROOT / "README.md").read_text(encoding="utf-8")
_PICTURE_BYTES = 300_000


def test_the_readme_begins_with_a_picture_that_is_there_and_small() -> None:
    before, _, _ = README.partition("## ")
    (picture,) = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", before)
    assert 0 < (ROOT / picture).stat().st_size < _PICTURE_BYTES


def test_the_readme_installs_with_and_without_the_viewer() -> None:
    lines = re.findall(r"^\$ (pip install \S+)", README, re.MULTILINE)
    assert lines == ['pip install ".[viewer]"', "pip install ."]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert "viewer" in project["optional-dependencies"]


def test_the_script_of_the_readme_runs_as_it_is_written(tmp_path: Path) -> None:
    source = re.search(r"```python\n# (\w+\.py)(.*?)```", README, re.DOTALL)
    assert source is not None
    (tmp_path / source[1]).write_text(source[2].partition("\n")[2], encoding="utf-8")
    ran = run_python(["-m", "unibody", "run", source[1]], cwd=tmp_path, timeout=600)
    assert ran.returncode == 0, ran.stderr
    height = float(ran.stdout.strip().strip("()").split(",")[2])
    # the cube of pybullet_data and ours are 1 m wide; contacts give way by less than 1 mm
    assert height == pytest.approx(0.5, abs=1e-3)


def test_the_demo_installs_the_page_but_neither_torch_nor_pybullet() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert demo.PAGE_LIBRARY in project["optional-dependencies"]["viewer"]
    wanted = [*project["dependencies"], demo.PAGE_LIBRARY]
    assert not [name for name in wanted if name.startswith(("torch", "pybullet", "warp"))]


def test_the_demo_says_what_it_waits_for(capsys: pytest.CaptureFixture[str]) -> None:
    lines = [
        "Collecting numba\n",
        "  Downloading numba-0.68.1.whl (3.8 MB)\n",
        "Installing collected packages: numba\n",
    ]
    assert demo.follow(lines) == "".join(lines)
    told = capsys.readouterr().out
    assert "Downloading numba-0.68.1.whl (3.8 MB)" in told
    assert "Installing collected packages" in told
    assert "Collecting" not in told


def test_the_demo_writes_a_page_where_there_is_no_display(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("viser")
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    assert not demo.has_display()
    (tmp_path / "fall.py").write_text("import pybullet as p\np.connect(p.DIRECT)\n", "utf-8")
    monkeypatch.setattr(demo, "CHECKOUT", tmp_path)
    monkeypatch.setattr(demo, "SCRIPT", Path("fall.py"))
    monkeypatch.setattr(demo, "python_of", lambda _environment: Path(sys.executable))
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "src"))
    assert demo.show(tmp_path, opens_page=False) == 0
    assert (tmp_path / "demo.html").stat().st_size > 100_000  # the player is in it
    assert f"open {tmp_path / 'demo.html'}" in capsys.readouterr().out
