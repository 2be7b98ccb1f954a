"""One run, in a process of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.process import ROOT
from unibody.scale.processes import perform
from unibody.scale.runs import Program, Run

SEEDED = """\
import os, random, sys
import numpy as np
print("other=1")
print("begins")
print(f"drawn={random.random()} numpy={np.random.rand()}")
print(f"seed={os.environ['UNIBODY_SEED']} words={','.join(sys.argv[1:])}")
print(f"order={'-'.join(set('abcdef'))}")
"""
ENDS_ONCE = """\
import os, signal, sys
if not os.path.exists("been"):
    open("been", "w").close()
    os.kill(os.getpid(), signal.SIGKILL)
print("x=1")
"""


@pytest.fixture(autouse=True)
def processes_find_this_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "src"))


def program(folder: Path, text: str) -> Program:
    (folder / "script.py").write_text(text)
    return Program(str(folder / "script.py"), (), (), "", str(folder))


def test_a_script_has_its_parameters_and_draws_by_its_seed(tmp_path: Path) -> None:
    script = program(tmp_path, SEEDED)
    first, again, other = (
        perform(script, Run((("a", "1"), ("b", "x")), seed)) for seed in (3, 3, 4)
    )
    assert first.done and first.log == ""
    assert first.reported == again.reported
    assert {k: first.reported[k] for k in ("seed", "words")} == {"seed": 3, "words": "--a,1,--b,x"}
    assert "other" not in first.reported
    assert first.reported["drawn"] != other.reported["drawn"]
    assert first.reported["numpy"] != other.reported["numpy"]
    assert first.reported["order"] == other.reported["order"]


def test_a_script_that_fails_leaves_what_it_printed(tmp_path: Path) -> None:
    outcome = perform(program(tmp_path, "print('x=1')\nraise ValueError('no')\n"), Run((), 0))
    assert (outcome.done, outcome.exit_status, outcome.reported) == (False, 1, {})
    assert "ValueError: no" in outcome.log and "x=1" in outcome.log


def test_a_process_that_somebody_killed_is_started_again(tmp_path: Path) -> None:
    outcome = perform(program(tmp_path, ENDS_ONCE), Run((), 0))
    assert outcome.done and outcome.reported == {"x": 1}


def test_a_process_that_crashes_is_not_started_again(tmp_path: Path) -> None:
    text = "import os, signal\nopen('been', 'a').write('x')\nos.kill(os.getpid(), signal.SIGSEGV)\n"
    outcome = perform(program(tmp_path, text), Run((), 0))
    assert (outcome.done, outcome.exit_status) == (False, 139)
    assert (tmp_path / "been").read_text() == "x"
