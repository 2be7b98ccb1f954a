"""Machine code that is loaded without numba's cache."""

from __future__ import annotations

import contextlib
import os
import struct
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.process import run_python
from unibody.machine_code import image, kept

PROGRAM = """
import sys
from pathlib import Path
import numba
from numba import types
from unibody.machine_code.kept import kept_entry

compiled = []
original = numba.cfunc
def counting(*args, **options):
    compiled.append(args)
    return original(*args, **options)
numba.cfunc = counting

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

supported = pytest.mark.skipif(not image.is_supported(), reason="numba's own cache is used here")


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


@supported
def test_an_entry_is_compiled_once_and_then_loaded_with_the_same_result(program: Path) -> None:
    assert run(program) == ["80.0", "1"]
    assert run(program) == ["80.0", "0"]


@supported
def test_what_an_entry_closes_over_and_the_file_it_is_in_are_part_of_its_key(program: Path) -> None:
    run(program)
    assert run(program, "3.0") == ["120.0", "1"]
    (program / "script.py").write_text(PROGRAM.replace("total = 0.0", "total = 1.0"))
    assert run(program) == ["81.0", "1"]


@supported
@pytest.mark.parametrize("damage", ["shorter", "other", "empty"])
def test_a_damaged_file_is_compiled_again_and_replaced(program: Path, damage: str) -> None:
    run(program)
    (file,) = code_files(program)
    content = bytearray(file.read_bytes())
    content[-40] ^= 1
    file.write_bytes({"shorter": file.read_bytes()[:-9], "other": content, "empty": b""}[damage])
    assert run(program) == ["80.0", "1"]
    assert run(program) == ["80.0", "0"]


@supported
def test_a_file_for_another_key_is_not_used_under_a_new_name(program: Path) -> None:
    run(program)
    (first,) = code_files(program)
    content = first.read_bytes()
    run(program, "3.0")
    (second,) = set(code_files(program)) - {first}
    second.write_bytes(content)
    assert run(program, "3.0") == ["120.0", "1"]


@supported
def test_code_that_anybody_could_have_written_is_not_run(program: Path) -> None:
    run(program)
    (file,) = code_files(program)
    file.chmod(0o666)
    assert run(program) == ["80.0", "1"]


@supported
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


@pytest.fixture(scope="module")
def object_file() -> tuple[str, bytes]:
    from numba import cfunc, types

    @cfunc(types.float64(types.float64))
    def function(x: float) -> float:
        return x**2.5 + 1.0

    return function.native_name, function._library._get_compiled_object()


def nothing(_name: str) -> int:
    return 0


@supported
def test_a_symbol_that_does_not_exist_is_named(object_file: tuple[str, bytes]) -> None:
    name, data = object_file
    with pytest.raises(image.NotLoadableError, match="no symbol pow"):
        image.load(data, name, nothing)


@supported
def test_a_function_that_is_not_in_the_file_is_named(object_file: tuple[str, bytes]) -> None:
    with pytest.raises(image.NotLoadableError, match="no function other"):
        image.load(object_file[1], "other", lambda _: os.getpid())


@supported
@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_a_file_with_changed_bytes_is_placed_or_refused(
    object_file: tuple[str, bytes], data: st.DataObject
) -> None:
    name, original = object_file
    content = bytearray(original)
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(content) // 4 - 1)) * 4
        struct.pack_into("<I", content, at, data.draw(st.integers(0, 2**32 - 1)))
    length = data.draw(st.integers(0, len(content)))
    with contextlib.suppress(image.NotLoadableError):
        image.load(bytes(content[:length]), name, lambda _: 4096)  # it is never run
