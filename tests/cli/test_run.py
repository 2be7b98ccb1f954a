"""`unibody run` runs a script the way the interpreter does."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.process import run_python
from unibody.cli import run

STEP = "from unibody.core.engine.world import step_observers\n"


def unibody_run(
    *arguments: str | Path, cwd: Path, timeout: float = 60.0
) -> subprocess.CompletedProcess[str]:
    words = [str(argument) for argument in arguments]
    return run_python(["-m", "unibody", "run", *words], cwd=cwd, timeout=timeout)


def script(folder: Path, text: str, name: str = "script.py") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("arguments", "ours", "rest"),
    [
        ("a.py", "", "a.py"),
        ("a.py --max-steps 3 -m x", "", "a.py --max-steps 3 -m x"),
        ("--max-steps 3 a.py b", "--max-steps 3", "a.py b"),
        ("--max-steps=3 --fast a.py -h", "--max-steps=3 --fast", "a.py -h"),
        ("--fast -m pkg.mod --fast", "--fast", "-m pkg.mod --fast"),
        ("-mpkg x", "", "-m pkg x"),
        ("--fast -- -odd.py x", "--fast", "-odd.py x"),
        ("--fast", "--fast", ""),
    ],
)
def test_what_stands_behind_the_script_belongs_to_it(arguments: str, ours: str, rest: str) -> None:
    assert run.split(arguments.split()) == (ours.split(), rest.split())


def test_a_script_sees_what_it_would_see_under_the_interpreter(tmp_path: Path) -> None:
    text = (
        "import os, sys, json\n"
        "import beside\n"
        "print(json.dumps([__name__, __file__, sys.argv, sys.path[0], os.getcwd(), beside.X,\n"
        "    sys.modules['__main__'].__dict__ is globals(), __spec__ is None, __package__,\n"
        "    sorted(set(globals()) - {'__annotations__', '__cached__'})]))\n"
    )
    script(tmp_path, "X = 7\n", "deep/beside.py")
    script(tmp_path, text, "deep/script.py")
    plain = run_python(["deep/script.py", "a", "--b", "-m"], cwd=tmp_path)
    ours = unibody_run("deep/script.py", "a", "--b", "-m", cwd=tmp_path)
    assert plain.returncode == 0, plain.stderr
    assert ours.stdout == plain.stdout, ours.stderr


def test_a_module_sees_what_it_would_see_under_the_interpreter(tmp_path: Path) -> None:
    text = (
        "import sys, json\n"
        "from . import beside\n"
        "print(json.dumps([__name__, __file__, sys.argv, sys.path[0], beside.X, __package__,\n"
        "    __spec__.name]))\n"
    )
    script(tmp_path, "", "pkg/__init__.py")
    script(tmp_path, "X = 7\n", "pkg/beside.py")
    script(tmp_path, text, "pkg/__main__.py")
    script(tmp_path, text, "pkg/mod.py")
    for name in ("pkg", "pkg.mod"):
        plain = run_python(["-m", name, "a", "--b"], cwd=tmp_path)
        ours = unibody_run("-m", name, "a", "--b", cwd=tmp_path)
        assert plain.returncode == 0, plain.stderr
        assert ours.stdout == plain.stdout, ours.stderr


def test_a_folder_with_a_main_file_is_a_script(tmp_path: Path) -> None:
    script(tmp_path, "print('ran', __name__)\n", "tool/__main__.py")
    assert unibody_run("tool", cwd=tmp_path).stdout == "ran __main__\n"


@pytest.mark.parametrize(
    ("ending", "status", "message"),
    [
        ("sys.exit(3)", 3, ""),
        ("sys.exit()", 0, ""),
        ("sys.exit('no robot')", 1, "no robot\n"),
        ("pass", 0, ""),
        ("raise SystemExit(-1)", 255, ""),
    ],
)
def test_the_exit_status_is_the_scripts_own(
    tmp_path: Path, ending: str, status: int, message: str
) -> None:
    result = unibody_run(script(tmp_path, f"import sys\n{ending}\n"), cwd=tmp_path)
    assert (result.returncode, result.stderr) == (status, message)


@pytest.mark.parametrize(
    "text",
    [
        "def f():\n    raise ValueError('bad robot')\n\nf()\n",
        "x = (\n",
        "import no_such_module_at_all\n",
        "try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    raise KeyError('k') from e\n",
    ],
)
def test_a_traceback_is_the_one_the_interpreter_prints(tmp_path: Path, text: str) -> None:
    path = script(tmp_path, text)
    plain = run_python([str(path)], cwd=tmp_path)
    ours = unibody_run(path, cwd=tmp_path)
    assert plain.returncode == ours.returncode == 1
    assert ours.stderr == plain.stderr


def test_a_traceback_of_a_module_has_no_frames_of_the_runner(tmp_path: Path) -> None:
    script(tmp_path, "raise ValueError('bad package')\n", "pkg/__init__.py")
    script(tmp_path, "", "pkg/mod.py")
    result = unibody_run("-m", "pkg.mod", cwd=tmp_path)
    assert result.returncode == 1
    assert result.stderr.endswith("ValueError: bad package\n")
    assert "unibody" not in result.stderr


REFUSED = """
import pybullet as p

def load():
    p.loadURDF("no_such.urdf")

p.connect(p.DIRECT)
{body}
"""
LOADED_IN = ("load()", "in load", 'p.loadURDF("no_such.urdf")')


def test_a_refused_call_ends_the_traceback_at_the_line_that_made_it(tmp_path: Path) -> None:
    result = unibody_run(script(tmp_path, REFUSED.format(body="load()")), cwd=tmp_path)
    assert result.returncode == 1
    lines = result.stderr.splitlines()
    assert [word for word in LOADED_IN if not any(word in line for line in lines)] == []
    assert [line for line in lines if "File" in line and "script.py" not in line] == []
    assert "Cannot load URDF file. no_such.urdf" in lines[-1]
    assert "direct cause" not in result.stderr


def test_what_a_script_makes_of_a_refused_call_is_printed_with_it(tmp_path: Path) -> None:
    body = "try:\n    load()\nexcept p.error as why:\n    raise ValueError('no robot') from why\n"
    result = unibody_run(script(tmp_path, REFUSED.format(body=body)), cwd=tmp_path)
    lines = result.stderr.splitlines()
    assert [line for line in lines if "File" in line and "script.py" not in line] == []
    assert sum("direct cause" in line for line in lines) == 1
    assert lines[-1] == "ValueError: no robot"


def test_the_scripts_own_excepthook_is_used(tmp_path: Path) -> None:
    text = "import sys\nsys.excepthook = lambda t, e, tb: print('hook', t.__name__)\n1 / 0\n"
    assert unibody_run(script(tmp_path, text), cwd=tmp_path).stdout == "hook ZeroDivisionError\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.py"], "nowhere.py"),
        (["-m", "nowhere.at_all"], "nowhere.at_all"),
        (["-m"], "-m needs"),
        ([], "which script"),
        (["--max-steps", "0", "x.py"], "0 is not allowed"),
        (["--seed", "-1", "x.py"], "-1 is not allowed"),
        (["--max-time", "nan", "x.py"], "nan is not allowed"),
        (["--max-time", "soon", "x.py"], "soon"),
        (["--no-such-option", "x.py"], "--no-such-option"),
    ],
)
def test_a_mistake_on_the_command_line_is_named(
    tmp_path: Path, arguments: list[str], message: str
) -> None:
    result = unibody_run(*arguments, cwd=tmp_path)
    assert result.returncode == 2
    assert message in result.stderr
    assert "Traceback" not in result.stderr


def test_max_steps_ends_an_endless_script_at_that_step(tmp_path: Path) -> None:
    text = STEP + (
        "try:\n"
        "    for n in range(1000):\n        print(n)\n        step_observers.notify_step(0.01, n)\n"
        "except Exception:\n    print('swallowed')\n"
    )
    result = unibody_run("--max-steps", "5", script(tmp_path, text), cwd=tmp_path)
    assert result.returncode == 0
    assert result.stdout.split() == ["0", "1", "2", "3", "4"]
    (line,) = result.stderr.splitlines()
    assert "--max-steps 5" in line
    assert "5 steps, 0.050 s simulated" in line
    assert "x real time" in line
    assert "contacts: 4 at the end, 4 at most" in line


def test_a_script_that_swallows_the_end_gets_it_at_each_further_step(tmp_path: Path) -> None:
    text = STEP + (
        "ends = 0\n"
        "while ends < 3:\n"
        "    try:\n        step_observers.notify_step(0.01, 0)\n    except:\n        ends += 1\n"
        "print('swallowed', ends)\nraise SystemExit(9)\n"
    )
    result = unibody_run("--max-steps", "2", script(tmp_path, text), cwd=tmp_path)
    assert result.returncode == 0
    assert result.stdout == "swallowed 3\n"
    assert "2 steps, 0.020 s" in result.stderr


def test_max_steps_reached_in_a_thread_ends_the_main_thread_too(tmp_path: Path) -> None:
    text = STEP + (
        "import threading, time\n"
        "def loop():\n    while True:\n        step_observers.notify_step(0.01, 0)\n"
        "threading.Thread(target=loop).start()\ntime.sleep(50)\n"
    )
    result = unibody_run("--max-steps", "4", script(tmp_path, text), cwd=tmp_path, timeout=20)
    assert result.returncode == 0
    assert "4 steps" in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("loop", ["time.sleep(50)", "while True: pass", "threading.Event().wait()"])
def test_max_time_ends_a_script_that_makes_no_step(tmp_path: Path, loop: str) -> None:
    text = f"import time, threading\nprint('begun', flush=True)\n{loop}\n"
    path = script(tmp_path, text)
    result = unibody_run("--max-time", "0.3", path, cwd=tmp_path, timeout=20)
    assert result.returncode == 0
    assert result.stdout == "begun\n"
    (line,) = result.stderr.splitlines()
    assert "--max-time 0.3" in line
    assert "0 steps" in line


def test_max_time_is_repeated_to_a_script_that_swallows_it(tmp_path: Path) -> None:
    text = (
        "import time\ntry:\n    time.sleep(50)\nexcept:\n    print('swallowed')\nwhile True: pass\n"
    )
    result = unibody_run("--max-time", "0.2", script(tmp_path, text), cwd=tmp_path, timeout=20)
    assert (result.returncode, result.stdout) == (0, "swallowed\n")


def test_threads_left_running_do_not_keep_an_ended_run_alive(tmp_path: Path) -> None:
    text = (
        "import threading, time, atexit\n"
        "atexit.register(print, 'bye')\n"
        "threading.Thread(target=time.sleep, args=(50,)).start()\ntime.sleep(50)\n"
    )
    result = unibody_run("--max-time", "0.3", script(tmp_path, text), cwd=tmp_path, timeout=20)
    assert (result.returncode, result.stdout) == (0, "bye\n")


def test_a_script_that_ends_before_its_limit_keeps_its_status(tmp_path: Path) -> None:
    text = STEP + "step_observers.notify_step(0.5, 2)\nraise SystemExit(4)\n"
    result = unibody_run(
        "--max-steps", "9", "--max-time", "30", script(tmp_path, text), cwd=tmp_path
    )
    assert result.returncode == 4
    assert "the script ended by itself: 1 steps, 0.500 s simulated" in result.stderr


def test_fast_skips_the_sleeps_of_the_script_and_of_its_modules(tmp_path: Path) -> None:
    script(tmp_path, "from time import sleep\ndef wait(): sleep(50)\n", "beside.py")
    text = "import time, beside\ntime.sleep(50)\nbeside.wait()\nprint('done')\n"
    result = unibody_run("--fast", script(tmp_path, text), cwd=tmp_path, timeout=20)
    assert result.stdout == "done\n"


def test_fast_leaves_the_waiting_of_the_standard_library_alone() -> None:
    import subprocess as standard
    import time

    from unibody.cli.fast import skip_sleeps

    restore = skip_sleeps()
    try:
        process = standard.Popen(
            [sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=standard.PIPE
        )
        begun, busy = time.perf_counter(), time.process_time()
        with pytest.raises(standard.TimeoutExpired):
            process.wait(timeout=0.5)
        waited, worked = time.perf_counter() - begun, time.process_time() - busy
        process.communicate()
    finally:
        restore()
    assert waited >= 0.5
    # A busy loop would work all of the time; polling every 50 ms works next to none of it.
    assert worked < 0.25


@pytest.mark.parametrize(
    ("module", "waits"),
    [
        ("unibody.machine_code.claims", True),  # for another process that compiles
        ("unibody.fleet.simulation.clock", False),  # for the time on the wall
        ("unibody.isaacgym.gym.sims", False),
        ("a_program", False),
    ],
)
def test_fast_skips_what_holds_a_simulation_back_and_no_other_sleep_of_ours(module, waits) -> None:
    import time

    from unibody.cli.fast import skip_sleeps

    restore = skip_sleeps()
    try:
        begun = time.perf_counter()
        exec("import time; time.sleep(0.2)", {"__name__": module})
        waited = time.perf_counter() - begun
    finally:
        restore()
    assert (waited >= 0.2) == waits


def test_processes_the_script_has_started_end_with_the_time(tmp_path: Path) -> None:
    text = (
        "import multiprocessing, time\n"
        "fork = multiprocessing.get_context('fork')\n"
        "fork.Process(target=time.sleep, args=(60,)).start()\n"
        "time.sleep(60)\n"
    )
    result = unibody_run("--max-time", "0.3", script(tmp_path, text), cwd=tmp_path, timeout=20)
    assert result.returncode == 0


def test_the_limit_on_steps_leaves_alone_what_forked_workers_step(tmp_path: Path) -> None:
    text = STEP + (
        "import multiprocessing\n"
        "def work(count):\n"
        "    for _ in range(count):\n"
        "        step_observers.notify_step(0.01, 0)\n"
        "    return count\n"
        "with multiprocessing.get_context('fork').Pool(1) as pool:\n"
        "    print(pool.map(work, [5, 6]))\n"
    )
    result = unibody_run("--max-steps", "3", script(tmp_path, text), cwd=tmp_path, timeout=20)
    assert result.stdout == "[5, 6]\n"


def test_a_seed_is_that_of_all_generators_and_the_script_has_it(tmp_path: Path) -> None:
    text = (
        "import os, random\nimport numpy as np\n"
        "print(os.environ['UNIBODY_SEED'], random.random(), np.random.rand())\n"
    )
    file = script(tmp_path, text)
    first, again, other = (
        unibody_run("--seed", seed, file, cwd=tmp_path).stdout.split() for seed in ("3", "3", "4")
    )
    assert first == again and first[0] == "3"
    assert first[1] != other[1] and first[2] != other[2]


def test_a_seed_is_that_of_pytorch_when_it_is_imported(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    torch.manual_seed(3)
    expected = torch.rand(1).item()
    text = "import torch\nprint(torch.rand(1).item())\n"
    ran = unibody_run("--seed", "3", script(tmp_path, text), cwd=tmp_path)
    assert float(ran.stdout) == expected


def test_an_option_behind_a_script_that_does_not_know_it_is_pointed_out(tmp_path: Path) -> None:
    script(tmp_path, "print('ran')\n")
    script(tmp_path, "import sys\nknown = '--max-steps' in sys.argv\n", "knows.py")
    told = unibody_run("script.py", "--max-steps", "3", cwd=tmp_path)
    assert told.stdout == "ran\n"
    assert told.stderr == (
        "unibody: --max-steps went to the script; options of unibody run stand before it\n"
    )
    assert unibody_run("knows.py", "--max-steps", "3", cwd=tmp_path).stderr == ""


def test_a_script_that_is_not_there_gets_the_nearest_name_beside_it(tmp_path: Path) -> None:
    script(tmp_path, "", "falling.py")
    told = unibody_run("fallng.py", cwd=tmp_path)
    assert told.returncode == 2
    assert told.stderr.endswith("No such file or directory - did you mean falling.py?\n")
    assert "did you mean" not in unibody_run("elsewhere/fallng.py", cwd=tmp_path).stderr
