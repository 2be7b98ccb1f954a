"""Several processes that need the same machine code."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.process import ROOT, run_python
from unibody.machine_code.claims import LOCKS

pytestmark = pytest.mark.skipif(not LOCKS, reason="this system has no locks that end by themselves")

TINY = """
from numba import types
from unibody.machine_code.kept import kept_entry

def build(factor):
    @kept_entry(types.float64(types.float64))
    def entry(x):
        return factor * x
    return entry

def double():
    return build(2.0)

def treble():
    return build(3.0)
"""
PROGRAM = """
import sys, time
from pathlib import Path
from unibody.machine_code import ahead, claims, code_file, kept

compiled = []
original = kept.entry_code
def counting(*args):
    compiled.append(args)
    return original(*args)
kept.entry_code = counting

import tiny
ahead.expect(["tiny:treble"], [], last="all", seconds=1.0)
{before}
print("result", tiny.double().ctypes(5.0), len(compiled))
{after}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "tiny.py").write_text(TINY)
    return tmp_path


def environment(folder: Path, processes: int) -> dict[str, str]:
    kept = {"NUMBA_CACHE_DIR": str(folder / "kept")}
    return {**kept, "UNIBODY_COMPILE_PROCESSES": str(processes)}


def start(folder: Path, before: str = "", after: str = "") -> subprocess.Popen[str]:
    (folder / "program.py").write_text(PROGRAM.format(before=before, after=after))
    return subprocess.Popen(
        [sys.executable, "program.py"], cwd=folder, text=True, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **environment(folder, 0), "PYTHONPATH": str(ROOT / "src")},
    )  # fmt: skip


def run(
    folder: Path, before: str = "", after: str = "", processes: int = 0
) -> subprocess.CompletedProcess[str]:
    (folder / "program.py").write_text(PROGRAM.format(before=before, after=after))
    result = run_python(["program.py"], cwd=folder, environment=environment(folder, processes))
    assert result.returncode == 0, result.stderr
    return result


def test_a_process_compiles_meanwhile_and_ends_with_the_one_that_started_it(folder: Path) -> None:
    after = """
end = time.monotonic() + 100.0
while not len(list(Path("kept").rglob("*.code"))) == 2 and time.monotonic() < end:
    time.sleep(0.05)
print(tiny.treble().ctypes(5.0), len(compiled))
print(ahead._state.processes[0].pid)
"""
    result = run(folder, after=after, processes=1)
    first, second, pid = result.stdout.splitlines()  # the other process did not run the program
    assert first == "result 10.0 1"
    assert second == "15.0 1"
    assert not Path(f"/proc/{pid}").exists()
    assert result.stderr.count("compiling for this machine, once") == 1


def test_a_process_that_finds_everything_compiled_says_nothing_and_starts_none(
    folder: Path,
) -> None:
    run(folder)
    result = run(folder, after="print(len(ahead._state.processes))", processes=2)
    assert result.stdout.split() == ["result", "10.0", "0", "0"]
    assert result.stderr == ""


@pytest.mark.parametrize(
    "before", ['sys.executable = ""', 'sys.executable = "/nowhere/python"', "ahead.LOCKS = False"]
)
def test_where_no_process_can_be_started_everything_is_compiled_all_the_same(
    folder: Path, before: str
) -> None:
    result = run(folder, before, "print(len(ahead._state.processes))", processes=2)
    assert result.stdout.split() == ["result", "10.0", "1", "0"]


def test_what_another_process_compiles_is_waited_for_and_not_compiled_again(folder: Path) -> None:
    both = [start(folder), start(folder)]
    results = [process.communicate(timeout=120)[0].split() for process in both]
    assert [result[1] for result in results] == ["10.0", "10.0"]
    assert sum(int(result[2]) for result in results) == 1


def test_what_a_process_compiled_that_was_killed_is_compiled_by_who_waits_for_it(
    folder: Path,
) -> None:
    hang = """
def hanging(*args):
    print("compiling", flush=True)
    time.sleep(100.0)
kept.entry_code = hanging
"""
    holder = start(folder, before=hang)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "compiling\n"
    waiting = "claims.time.sleep = lambda seconds: print('waiting', flush=True)"
    waiter = start(folder, before=waiting)
    assert waiter.stdout is not None
    assert waiter.stdout.readline() == "waiting\n"
    holder.send_signal(signal.SIGKILL)
    holder.communicate()
    assert waiter.communicate(timeout=120)[0].split()[-3:] == ["result", "10.0", "1"]


def test_who_waited_in_vain_compiles_by_itself(folder: Path) -> None:
    hold = """
import os
kept._PATIENCE = 0.1
taken = lambda *_: claims.Claim.TAKEN
claims._take = taken
"""
    assert run(folder, hold).stdout.split() == ["result", "10.0", "1"]


def test_where_nothing_can_be_written_to_everything_is_compiled_all_the_same(
    folder: Path,
) -> None:
    before = "code_file.folder_beside = lambda *_: Path('/proc/nowhere')"
    result = run(folder, before, "print(len(ahead._state.processes))", processes=2)
    assert result.stdout.split() == ["result", "10.0", "1", "0"]


def test_two_lines_are_said_about_what_all_scripts_need_and_one_about_each_other_part(
    folder: Path,
) -> None:
    before = """
def say(what):
    if not ahead.note(what, 5.0, made=True):
        print("alone", what)
"""
    after = """
for what in ("first", "all", "camera"):
    say(what)
"""
    result = run(folder, before, after)
    assert result.stdout.splitlines()[1:] == ["alone camera"]
    first, last = result.stderr.splitlines()
    assert first.startswith("unibody: compiling for this machine, once: about ")
    assert last == "unibody: compiled in 10.0 s (kept for the next start)"


def test_where_all_that_scripts_need_is_there_what_is_missing_is_told_alone(folder: Path) -> None:
    before = "ahead.note('all', 0.0, made=False)"
    result = run(folder, before, "print(ahead.note('camera', 5.0, made=True))")
    assert result.stdout.split() == ["result", "10.0", "1", "False"]
    assert result.stderr == ""
