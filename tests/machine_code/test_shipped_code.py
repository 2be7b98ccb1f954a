"""Machine code that comes with the package."""

from __future__ import annotations

import platform
import sys
from pathlib import Path

import pytest

from tests.machine_code.test_kept_code import PROGRAM
from tests.support.process import run_python
from unibody.machine_code import shipped

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() != "x86_64" or not shipped._suits_processor(),
    reason="wheels carry machine code for x86-64-v3 on Linux",
)
START = """\
import sys
from pathlib import Path
from unibody.machine_code import shipped
shipped.FOLDER = Path("shipped").absolute()
if sys.argv[2:] == ["old"]:
    shipped._suits_processor = lambda: False
"""


def run(folder: Path, *words: str, **environment: str) -> list[str]:
    environment |= {"NUMBA_CACHE_DIR": str(folder / "kept"), "UNIBODY_COMPILE_PROCESSES": "0"}
    result = run_python(["script.py", "2.0", *words], cwd=folder, environment=environment)
    assert result.returncode == 0, result.stderr
    return result.stdout.split()


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A program, and what it compiles in a folder like that of a wheel."""
    (tmp_path / "script.py").write_text(START + PROGRAM)
    target = str(tmp_path / "shipped")
    assert run(tmp_path, **shipped.SETTINGS, **{shipped.SHIP_TO: target}) == ["80.0", "1"]
    assert len(list((tmp_path / "shipped").glob("*.code"))) == 1
    return tmp_path


def test_what_is_shipped_is_not_compiled_again(program: Path) -> None:
    assert run(program) == ["80.0", "0"]
    assert not list(program.glob("kept/*/*.code"))


def test_a_processor_without_its_instructions_compiles(program: Path) -> None:
    assert run(program, "old") == ["80.0", "1"]


def test_another_source_or_a_damaged_piece_compiles(program: Path) -> None:
    (piece,) = (program / "shipped").glob("*.code")
    whole = piece.read_bytes()
    piece.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    assert run(program) == ["80.0", "1"]
    piece.write_bytes(whole)
    (program / "script.py").write_text(START + PROGRAM.replace("total = 0.0", "total = 1.0"))
    assert run(program) == ["81.0", "1"]


def test_the_mechanism_can_be_turned_off(program: Path) -> None:
    assert run(program, UNIBODY_PLAIN="shipped") == ["80.0", "1"]
