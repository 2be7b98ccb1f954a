"""The page about sweeps: its commands run as they stand."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.test_pages import read
from tests.support.process import ROOT, run_python

pytest.importorskip("ray")


@pytest.mark.slow
def test_the_commands_of_the_page_run_as_written(tmp_path: Path) -> None:
    page = read(ROOT / "docs" / "scale.md")
    assert len(page.commands) == 3
    for name, text in page.files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    printed = [run_python(["-m", "unibody", *words], cwd=tmp_path) for words in page.commands]
    assert [ran.returncode for ran in printed] == [0, 0, 0], [ran.stderr for ran in printed]
    assert "4 runs, 0 failed" in printed[0].stdout and "8 runs, 0 failed" in printed[1].stdout
    table = eval(printed[2].stdout)
    drops = [height - 0.1 for height in table["height"]]
    # a ball of restitution e comes back to e^2 of its drop
    rebounds = [e**2 * drop + 0.1 for e, drop in zip(table["bounce"], drops, strict=True)]
    # The hit comes up to a step of 1/240 s at 4.2 m/s, 1.8 cm, away from the ground, which counts
    # before and behind it: up to 3.3 cm. PyBullet's damping of 0.04/s takes 3 % of the speed's
    # square in 0.4 s down and 0.4 s up, 2.1 cm of 63.
    assert table["highest"] == pytest.approx(rebounds, abs=0.054)
