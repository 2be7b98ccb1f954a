"""Which caches of compiled functions are loaded: this user's own, undamaged ones."""

from __future__ import annotations

import os
import pickle
from pathlib import Path

import pytest

from tests.support.process import run_python
from unibody.machine_code import folders

SCRIPT = """
import inspect
import sys
from numba import types
if "plain" in sys.argv:  # what numba alone would keep, and under which names
    import numba
    def kept_entry(signature):
        return numba.cfunc(signature, cache=True)
else:
    from unibody.machine_code import folders, numba
    from unibody.machine_code.kept import kept_entry
    if "nowhere" in sys.argv:
        folders._usual_folders = folders._temporary_folders = lambda *_: iter(())
if "changed" in sys.argv:
    from numba.core import codegen, compiler
    class Gone:
        def __init__(self, member):
            self.member = member
        def __get__(self, instance, owner):
            if sys._getframe(1).f_globals["__name__"].startswith("unibody"):
                raise AttributeError(sys.argv[-1])
            return self.member.__get__(instance, owner)
    owner = getattr(compiler, sys.argv[-2], None) or getattr(codegen, sys.argv[-2])
    setattr(owner, sys.argv[-1], Gone(inspect.getattr_static(owner, sys.argv[-1])))

def build():
    @kept_entry(types.int64(types.int64))
    def entry(x):
        return x + 1
    return entry

@numba.njit(cache=True)
def double(x):
    return 2 * x

print(build().ctypes(4), double(3), sum(double.stats.cache_hits.values()))
"""


class Bomb:
    """Leaves a file where it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, (str(self.mark),)


@pytest.fixture
def program(tmp_path: Path) -> Path:
    folder = tmp_path / "program"
    folder.mkdir()
    (folder / "script.py").write_text(SCRIPT)
    return folder


def run(program: Path, *words: str, kept: str = "kept") -> tuple[str, list[str]]:
    """What the script prints, and the lines on stderr that are ours."""
    environment = {"NUMBA_CACHE_DIR": str(program / kept), "UNIBODY_COMPILE_PROCESSES": "0"}
    result = run_python(["script.py", *words], cwd=program, environment=environment)
    assert result.returncode == 0, result.stderr
    return result.stdout.strip(), [x for x in result.stderr.splitlines() if "unibody: " in x]


def make_unsafe(folder: Path, how: str) -> None:
    if how == "writable":
        folder.chmod(0o777)
    elif how == "group":
        folder.chmod(0o775)
    elif how == "above":
        folder.parent.chmod(0o777)
    elif os.geteuid() != 0:
        pytest.skip("only root can give a folder away")
    elif how == "owner":
        os.chown(folder, 65534, 65534)
    else:
        moved = folder.rename(folder.with_name("moved"))
        folder.symlink_to(moved)
        os.chown(folder, 65534, 65534, follow_symlinks=False)


@pytest.mark.parametrize("how", ["writable", "group", "above", "owner", "link"])
def test_an_index_that_somebody_planted_is_not_unpickled(
    program: Path, tmp_path: Path, how: str
) -> None:
    run(program, "plain")
    indices = list((program / "kept").rglob("*.nbi"))
    assert len(indices) == 2
    for index in indices:
        index.write_bytes(pickle.dumps(Bomb(tmp_path / "taken")))
    (folder,) = (program / "kept").iterdir()
    make_unsafe(folder, how)
    answer, lines = run(program)
    assert answer.startswith("5 6")
    assert not (tmp_path / "taken").exists()
    assert sum("NUMBA_CACHE_DIR" in line for line in lines) == 1


@pytest.mark.parametrize("damage", ["shorter", "flipped", "empty"])
def test_a_damaged_cache_is_compiled_again_with_one_line(program: Path, damage: str) -> None:
    assert run(program)[0] == "5 6 0"
    assert run(program)[0] == "5 6 1"
    (file,) = (program / "kept").rglob("*double*.*")
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 255
    file.write_bytes({"shorter": file.read_bytes()[:-40], "flipped": content, "empty": b""}[damage])
    answer, lines = run(program)
    assert answer == "5 6 0"
    assert sum(file.name in line for line in lines) == 1
    assert run(program) == ("5 6 1", [])


def test_without_a_safe_folder_functions_are_compiled_and_one_line_says_so(program: Path) -> None:
    (program / "kept").mkdir()
    (program / "kept").chmod(0o777)
    answer, lines = run(program, "nowhere")
    assert answer == "5 6 0"
    assert sum("compiled anew in each process" in line for line in lines) == 1
    assert not list((program / "kept").rglob("*.*"))


@pytest.mark.parametrize(
    ("owner", "member"),
    [
        ("CompileResult", "_reduce"),
        ("CompileResult", "_rebuild"),
        ("JITCodeLibrary", "get_pointer_to_function"),
        ("JITCodeLibrary", "_finalize_dynamic_globals"),
        ("JITCodeLibrary", "_raise_if_finalized"),
        ("JITCodeLibrary", "_optimize_final_module"),
    ],
)
def test_a_numba_whose_private_parts_changed_compiles_in_its_own_way_and_keeps_it(
    program: Path, owner: str, member: str
) -> None:
    words = "changed", owner, member
    answer, lines = run(program, *words)
    assert answer == "5 6 0"
    assert sum("not built as expected" in line for line in lines) == 1
    assert run(program, *words)[0] == "5 6 1"
    if owner != "CompileResult":
        assert list((program / "kept").rglob("*entry*.nbi"))


def test_a_folder_is_safe_only_if_nobody_else_could_put_another_one_in_its_place(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "a" / "b"
    folder.mkdir(parents=True)
    assert folders.is_safe(folder)
    (tmp_path / "link").symlink_to(tmp_path / "a" / ".." / "a")
    assert folders.is_safe(tmp_path / "link" / "b")
    (tmp_path / "a").chmod(0o1777)  # only who made something can take it away
    assert folders.is_safe(folder)
    (tmp_path / "a").chmod(0o777)
    assert not folders.is_safe(folder)
    assert not folders.is_safe(tmp_path / "link" / "b")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    assert not folders.is_safe(tmp_path / "loop")
    assert not folders.is_safe(tmp_path / "none")
