"""Where compiled functions are kept."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.process import run_python
from unibody import machine_code
from unibody.errors import EngineError

NOWHERE_ELSE = """
import numba.core.caching as caching
from unibody.machine_code import numba
ours = caching.CacheImpl._locator_classes[-1]
caching.CacheImpl._locator_classes[:] = [ours]
from unibody.core.assets import concave_kernels
print(concave_kernels._meets_box._cache.cache_path)
try:
    numba.njit(cache=True)(lambda: 1)
except RuntimeError:
    print("refused")
"""


def test_where_nothing_else_can_be_written_to_code_is_kept_in_a_private_folder(
    tmp_path: Path,
) -> None:
    result = run_python(["-c", NOWHERE_ELSE], cwd=tmp_path, environment={"TMPDIR": str(tmp_path)})
    assert result.returncode == 0, result.stderr
    folder, others = result.stdout.split()
    assert tmp_path in Path(folder).parents
    (private,) = tmp_path.iterdir()
    assert private.stat().st_mode & 0o777 == 0o700
    assert others == "refused"  # functions that are not ours are numba's business


def test_a_folder_that_others_can_write_to_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    second.mkdir()
    monkeypatch.setattr(machine_code, "_temporary_folders", lambda: iter([first, second]))
    assert machine_code.private_folder().parent == first
    machine_code.private_folder().chmod(0o777)
    assert machine_code.private_folder().parent == second


def test_without_any_folder_the_error_says_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: object) -> Iterator[Path]:
        yield Path("/proc/nowhere")

    monkeypatch.setattr(machine_code, "_temporary_folders", none)
    with pytest.raises(EngineError, match="NUMBA_CACHE_DIR"):
        machine_code.private_folder()
