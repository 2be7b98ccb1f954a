"""Keys of kept machine code: they change with all that a function is compiled from."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import pytest

from unibody.machine_code import keys

INNER = """from unibody.machine_code import numba
SCALE = {scale}
@numba.njit
def inner(x):
    return {body}
"""
OUTER = """from unibody.machine_code import numba
from unibody._probe import inner as parts
from unibody._probe.inner import SCALE
import numpy as np
KIND, TABLE = np.int64, np.arange(3)
@numba.njit
def outer(x):
    return parts.inner(KIND(x)) * SCALE + TABLE[0]
"""


@pytest.fixture
def probe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A function that makes a package of two files, and gives the key of the function that
    calls."""
    package = tmp_path / "_probe"
    package.mkdir()
    (package / "__init__.py").touch()
    unibody = importlib.import_module("unibody")
    monkeypatch.setattr(unibody, "__path__", [*unibody.__path__, str(tmp_path)])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def key(body: str, scale: float = 2.0) -> bytes:
        (package / "inner.py").write_text(INNER.format(body=body, scale=scale))
        (package / "outer.py").write_text(OUTER)
        for name in ("unibody._probe.outer", "unibody._probe.inner", "unibody._probe"):
            sys.modules.pop(name, None)
        importlib.invalidate_caches()
        keys._file_hash.cache_clear()
        outer = importlib.import_module("unibody._probe.outer").outer
        return keys.key_of(b"1", outer.py_func, "x", keys.this_machine)

    yield key
    for name in ("unibody._probe.outer", "unibody._probe.inner", "unibody._probe"):
        sys.modules.pop(name, None)
    keys._file_hash.cache_clear()


def test_the_same_sources_give_the_same_key(probe: Any) -> None:
    assert probe("x + 1") == probe("x + 1")


def test_a_called_function_of_another_file_that_changes_changes_the_key(probe: Any) -> None:
    assert probe("x + 1") != probe("x + 2")


def test_a_constant_of_another_file_that_changes_changes_the_key(probe: Any) -> None:
    assert probe("x + 1", 2.0) != probe("x + 1", 3.0)


def test_the_files_of_a_solver_are_all_in_its_key() -> None:
    sweep: Any = importlib.import_module("unibody.core.deform.vbd.sweep")
    found = keys.reached(sweep.sweep.py_func)
    for name in ("bending", "membrane", "tetrahedra", "springs", "touch", "sweep"):
        file = Path(sweep.__file__).with_name(f"{name}.py")
        assert keys._file_hash(str(file)) in found, name
