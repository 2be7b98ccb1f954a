"""Machine code that is kept between processes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from unibody.machine_code import ahead, types
from unibody.machine_code import compiled as module
from unibody.machine_code.compiled import compiled
from unibody.machine_code.kept import kept_entry


@pytest.fixture
def _every_build_is_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_SLOW", 0.0)
    # Nothing is expected: a test before may have connected, and nothing was missing then.
    monkeypatch.setattr(ahead, "_state", ahead._State())


@pytest.mark.usefixtures("_every_build_is_slow")
def test_a_slow_start_that_compiles_nothing_says_nothing(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert compiled("numbers", lambda digest: 7, module) == 7
    assert capsys.readouterr().err == ""


@pytest.mark.usefixtures("_every_build_is_slow")
def test_a_slow_start_that_compiles_says_what_it_compiled(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def build(digest: str) -> Any:
        @kept_entry(types.float64(types.float64))
        def doubled(x: float) -> float:
            return 2.0 * x

        return doubled

    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    assert compiled("numbers", build, module).ctypes(1.5) == 3.0
    assert "unibody: compiled numbers in" in capsys.readouterr().err
