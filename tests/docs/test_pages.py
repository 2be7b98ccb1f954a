"""The scripts and commands of the pages for newcomers, as they are written."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.process import ROOT, run_python

DOCS = ROOT / "docs"
PAGES = sorted([*DOCS.glob("start/*.md"), *DOCS.glob("tutorials/*.md")])
NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_REHEARSAL = "rehearsal"  # folder of a training that is short enough to be run here
_NAME = re.compile(r"# (\w+\.(?:py|yaml))\n")


@dataclass(frozen=True)
class Page:
    """What a page tells its reader to save and to run.

    Attributes:
        files: Text by name.
        commands: Arguments of `unibody` that name one of the files, or the folder `rehearsal`.
    """

    files: dict[str, str]
    commands: tuple[tuple[str, ...], ...]


def read(path: Path) -> Page:
    """The scripts of a page, and what it runs of them."""
    blocks = _BLOCK.findall(path.read_text(encoding="utf-8"))
    files = {named[1]: text for kind, text in blocks if (named := _NAME.match(text))}
    lines = [line for kind, text in blocks if kind == "console" for line in text.splitlines()]
    commands = [shlex.split(line, comments=True)[2:] for line in lines if "$ unibody " in line]
    here = files.keys() | {_REHEARSAL}
    return Page(files, tuple(tuple(words) for words in commands if here & set(words)))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_every_script_of_a_page_has_a_name_and_is_run_there(path: Path) -> None:
    page = read(path)
    blocks = _BLOCK.findall(path.read_text(encoding="utf-8"))
    assert len(page.files) == sum(kind in ("python", "yaml") for kind, _ in blocks)
    commanded = {word for words in page.commands for word in words}
    quoted = "".join(page.files.values())  # one script may start another, or import it
    started = {name for name in page.files if f'"{name}"' in quoted}
    started |= {name for name in page.files if f"from {name.removesuffix('.py')} import" in quoted}
    assert page.files.keys() <= commanded | started


@pytest.mark.slow
@pytest.mark.parametrize(
    "path", [path for path in PAGES if read(path).commands], ids=lambda path: path.stem
)
def test_what_a_page_says_to_run_runs(path: Path, tmp_path: Path) -> None:
    page = read(path)
    for name, text in page.files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    for words in page.commands:
        ran = run_python(["-m", "unibody", *words], cwd=tmp_path, timeout=600)
        assert ran.returncode == 0, ran.stderr
        assert ran.stdout


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_cells_of_a_notebook_run_one_after_the_other(path: Path, tmp_path: Path) -> None:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    code = [cell["source"] for cell in cells if cell["cell_type"] == "code"]
    assert code and not any(cell.get("outputs") for cell in cells)
    ran = run_python(["-c", "\n\n".join(code)], cwd=tmp_path, timeout=600)
    assert ran.returncode == 0, ran.stderr
