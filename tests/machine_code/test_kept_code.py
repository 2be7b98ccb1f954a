"""Machine code that is loaded without numba's cache."""

from __future__ import annotations

import ctypes
from pathlib import Path

import pytest

from tests.support.process import run_python
from unibody.machine_code import kept

PROGRAM = """
import sys
from pathlib import Path
from numba import types
from unibody.machine_code import kept
from unibody.machine_code.kept import kept_entry

compiled = []
original = kept.entry_code
def counting(*args):
    compiled.append(args)
    return original(*args)
kept.entry_code = counting

def build(factor):
    @kept_entry(types.float64(types.float64, types.int64))
    def entry(x, n):
        total = 0.0
        for i in range(n):
            total += factor * x ** i
        return total
    return entry

print(build(float(sys.argv[1])).ctypes(3.0, 4), len(compiled))
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    folder = tmp_path / "program"
    folder.mkdir()
    (folder / "script.py").write_text(PROGRAM)
    return folder


def run(program: Path, factor: str = "2.0") -> list[str]:
    result = run_python(
        ["script.py", factor], cwd=program, environment={"NUMBA_CACHE_DIR": str(program / "kept")}
    )
    assert result.returncode == 0, result.stderr
    return result.stdout.split()


def code_files(program: Path) -> list[Path]:
    return sorted((program / "kept").rglob("*.code"))


def test_an_entry_is_compiled_once_and_then_loaded_with_the_same_result(program: Path) -> None:
    assert run(program) == ["80.0", "1"]
    assert run(program) == ["80.0", "0"]


def test_what_an_entry_closes_over_and_the_file_it_is_in_are_part_of_its_key(program: Path) -> None:
    run(program)
    assert run(program, "3.0") == ["120.0", "1"]
    (program / "script.py").write_text(PROGRAM.replace("total = 0.0", "total = 1.0"))
    assert run(program) == ["81.0", "1"]


@pytest.mark.parametrize(
    ("setting", "compiled"), [("NUMBA_NUM_THREADS", "0"), ("NUMBA_BOUNDSCHECK", "1")]
)
def test_settings_that_change_no_code_compile_nothing_again(
    program: Path, setting: str, compiled: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(program)
    monkeypatch.setenv(setting, "1")
    assert run(program) == ["80.0", compiled]


@pytest.mark.parametrize("damage", ["shorter", "other", "empty"])
def test_a_damaged_file_is_compiled_again_and_replaced(program: Path, damage: str) -> None:
    run(program)
    (file,) = code_files(program)
    content = bytearray(file.read_bytes())
    content[-40] ^= 1
    file.write_bytes({"shorter": file.read_bytes()[:-9], "other": content, "empty": b""}[damage])
    assert run(program) == ["80.0", "1"]
    assert run(program) == ["80.0", "0"]


def test_a_file_for_another_key_is_not_used_under_a_new_name(program: Path) -> None:
    run(program)
    (first,) = code_files(program)
    content = first.read_bytes()
    run(program, "3.0")
    (second,) = set(code_files(program)) - {first}
    second.write_bytes(content)
    assert run(program, "3.0") == ["120.0", "1"]


def test_code_that_anybody_could_have_written_is_not_run(program: Path) -> None:
    run(program)
    (file,) = code_files(program)
    file.chmod(0o666)
    assert run(program) == ["80.0", "1"]


def test_a_function_is_kept_in_few_versions(program: Path) -> None:
    for factor in range(6):
        run(program, f"{factor}.0")
    assert len(code_files(program)) == 4


def test_an_entry_that_closes_over_an_object_is_refused() -> None:
    from numba import types

    other = object()

    def entry(x: int) -> int:
        return 0 if other is None else x

    with pytest.raises(TypeError, match="closes over"):
        kept.kept_entry(types.int64(types.int64))(entry)


def test_code_that_needs_a_symbol_that_is_not_there_is_not_loaded() -> None:
    with pytest.raises(kept._NotLoadableError, match="no symbol no_such_function"):
        kept._load(kept.Code("entry", ["PyTuple_New", "no_such_function"], b""))


def test_a_function_that_calls_what_is_not_there_is_refused_before_it_is_called(
    tmp_path: Path,
) -> None:
    program = """
from numba import types
from unibody.errors import EngineError
from unibody.machine_code.kept import kept_entry

missing = types.ExternalFunction("no_such_function", types.int64(types.int64))

def entry(x):
    return missing(x)

try:
    kept_entry(types.int64(types.int64))(entry).ctypes(3)
except EngineError as problem:
    print(problem)
"""
    (tmp_path / "script.py").write_text(program)
    result = run_python(
        ["script.py"], cwd=tmp_path, environment={"NUMBA_CACHE_DIR": str(tmp_path / "kept")}
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout == "entry cannot be loaded: no symbol no_such_function\n"


def test_symbols_are_found_where_a_process_has_no_handle_of_its_own(monkeypatch):
    class Windows(ctypes.CDLL):
        def __init__(self, name):
            if name is None:
                raise TypeError("argument of type 'NoneType' is not iterable")
            super().__init__(name)

    monkeypatch.setattr(ctypes, "CDLL", Windows)
    found = kept._libraries.__wrapped__()
    assert found[-1] is ctypes.pythonapi
    assert any(hasattr(library, "cos") for library in found)
