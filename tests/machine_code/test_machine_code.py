"""Where compiled functions are kept."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.process import run_python
from unibody.errors import EngineError
from unibody.machine_code import folders

NOWHERE_ELSE = """
from unibody.machine_code import folders, numba
folders._usual_folders = lambda *_: iter(())
from unibody.core.assets.mesh import concave_kernels
print(concave_kernels._meets_box._cache.cache_path)
"""


def test_where_nothing_else_can_be_written_to_code_is_kept_in_a_private_folder(
    tmp_path: Path,
) -> None:
    environment = {"TMPDIR": str(tmp_path), "NUMBA_CACHE_DIR": ""}
    result = run_python(["-c", NOWHERE_ELSE], cwd=tmp_path, environment=environment)
    assert result.returncode == 0, result.stderr
    assert tmp_path in Path(result.stdout.strip()).parents
    (private,) = tmp_path.iterdir()
    assert private.stat().st_mode & 0o777 == 0o700


UNTOUCHED = """
from numba.core import caching
before = list(caching.CacheImpl._locator_classes)
from unibody.core.assets.mesh import concave_kernels
concave_kernels._meets_box.made
print(caching.CacheImpl._locator_classes == before)
"""


def test_functions_that_are_not_ours_are_numbas_business(tmp_path: Path) -> None:
    result = run_python(["-c", UNTOUCHED], cwd=tmp_path)
    assert result.stdout.strip() == "True", result.stderr


def test_a_folder_that_others_can_write_to_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    second.mkdir()
    monkeypatch.setattr(folders, "_temporary_folders", lambda: iter([first, second]))
    assert folders.private_folder().parent == first
    folders.private_folder().chmod(0o777)
    assert folders.private_folder().parent == second


def test_without_any_folder_the_error_says_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: object) -> Iterator[Path]:
        yield Path("/proc/nowhere")

    monkeypatch.setattr(folders, "_temporary_folders", none)
    with pytest.raises(EngineError, match="NUMBA_CACHE_DIR"):
        folders.private_folder()


@pytest.mark.parametrize("named", [True, False])
def test_entries_are_kept_where_numba_keeps_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: bool
) -> None:
    from numba.core.caching import FunctionCache

    file = tmp_path / "package" / "module.py"
    file.parent.mkdir()
    file.write_text("def function(): pass\n")
    if named:
        monkeypatch.setattr("numba.core.config.CACHE_DIR", str(tmp_path / "named"))
        monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "named"))
    else:
        monkeypatch.setattr("numba.core.config.CACHE_DIR", "")
        monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    scope: dict[str, Any] = {}
    exec(compile(file.read_text(), str(file), "exec"), scope)
    expected = Path(FunctionCache(scope["function"]).cache_path)
    folders.folder_beside.cache_clear()
    assert folders.folder_beside(str(file)) == expected


def test_where_nothing_else_can_be_written_to_entries_are_kept_in_a_private_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setattr(folders, "_usual_folders", lambda *_: iter(()))
    monkeypatch.setattr(folders, "_temporary_folders", lambda: iter([tmp_path]))
    folders.folder_beside.cache_clear()
    assert tmp_path in folders.folder_beside(str(tmp_path / "module.py")).parents


WARM = """
import sys
import unibody.bullet as p
p.connect(p.DIRECT)
body = p.createMultiBody(1.0, p.createCollisionShape(p.GEOM_BOX, halfExtents=[0.1] * 3))
p.setGravity(0, 0, -10)
p.stepSimulation()
p.getContactPoints()
p.getCameraImage(8, 8)
p.rayTest((0, 0, 1), (0, 0, -1))
print("numba" in sys.modules)
"""


def test_a_process_that_compiles_nothing_loads_nothing_of_what_compiles(tmp_path: Path) -> None:
    for expected in (None, "False"):  # the first one may have to compile
        result = run_python(["-c", WARM], cwd=tmp_path)
        assert result.returncode == 0, result.stderr
        assert expected in (None, result.stdout.strip())
