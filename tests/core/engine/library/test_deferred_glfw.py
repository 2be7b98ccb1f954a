"""What MuJoCo's bindings import and unibody has no use for."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytest.importorskip("glfw")

SCRIPT = """
import unibody.bullet as p
p.connect(p.DIRECT)
import glfw, mujoco
print("init" in vars(glfw))
print(callable(glfw.init), mujoco.GLContext.__name__)
from glfw import create_window
print("init" in vars(glfw), glfw.__spec__.name, not hasattr(glfw, "no_such_name"))
"""


def _printed(script: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()


def test_a_start_does_not_load_the_library_for_windows() -> None:
    """It is there, whole, for a script that asks for something of it."""
    assert _printed(SCRIPT) == ["False", "True GLContext", "True glfw True"]


def test_a_library_that_was_imported_before_stays_as_it_is() -> None:
    """The very module that the script has."""
    before = "import glfw; known = glfw\n"
    after = "import sys; print(sys.modules['glfw'] is known)\n"
    assert _printed(f"{before}{SCRIPT}{after}")[-1] == "True"
