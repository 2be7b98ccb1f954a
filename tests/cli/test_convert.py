"""`unibody convert` writes a file in another format, and says what is lost."""

from __future__ import annotations

from pathlib import Path

from unibody import sample_assets
from unibody.cli import main
from unibody.core.assets.load import load_assets
from unibody.core.assets.paths import SearchPath

SAMPLES = Path(sample_assets.getDataPath())


def test_a_file_is_written_and_losses_are_listed(tmp_path, capsys):
    target = tmp_path / "robot.xml"
    assert main(["convert", str(SAMPLES / "r2d2.urdf"), str(target)]) == 0
    (asset,) = load_assets(target, SearchPath())
    assert len(asset.links) > 5
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "MJCF has no names of fixed joints" in printed.err
    assert all(str(target) in line for line in printed.err.splitlines())


def test_a_file_that_is_missing_is_named(tmp_path, capsys):
    assert main(["convert", "missing.urdf", str(tmp_path / "a.xml")]) == 1
    assert "missing.urdf" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_target_that_cannot_be_written_is_named(tmp_path, capsys):
    target = str(tmp_path / "none" / "a.xml")
    assert main(["convert", str(SAMPLES / "cartpole.urdf"), target]) == 1
    assert "a.xml" in capsys.readouterr().err
