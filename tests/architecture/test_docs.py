"""What the documents name is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.architecture.imports import PACKAGE

ROOT = PACKAGE.parents[1]
_PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_CODE = re.compile(r"`([^`\s]+)`")
_FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"[\w./-]+\.(?:py|md|toml)")
# Where a page of decisions means a path from: MuJoCo's and a user's files are not among ours.
_HOMES = (
    "",
    "src/unibody",
    "src/unibody/core",
    "src/unibody/core/engine",
    "src/unibody/core/assets",
)
_HOMES += ("src/unibody/machine_code", "src/unibody/core/engine/block_solver")
_DECISIONS = [ROOT / "docs" / "architecture.md", *(ROOT / "docs" / "decisions").glob("*.md")]


def _named(page: Path) -> str:
    return str(page.relative_to(ROOT))


def _anchors(page: Path) -> set[str]:
    """The anchors of headings, as a browser of repositories makes them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    kept = (re.sub(r"[^\w\s-]", "", heading.lower()) for heading in headings)
    return {text.strip().replace(" ", "-") for text in kept}


@pytest.mark.parametrize("page", _PAGES, ids=_named)
def test_a_link_leads_to_a_file_and_a_heading_that_are_there(page: Path) -> None:
    text = _FENCE.sub("", page.read_text(encoding="utf-8"))
    broken: list[str] = []
    for target in _LINK.findall(text):
        if re.match(r"[a-z]+:", target):  # another site
            continue
        name, _, anchor = target.partition("#")
        file = (page.parent / name).resolve() if name else page
        if not file.exists() or (anchor and file.suffix == ".md" and anchor not in _anchors(file)):
            broken.append(target)
    assert broken == []


@pytest.mark.parametrize("page", _DECISIONS, ids=_named)
def test_a_file_that_a_decision_names_is_there(page: Path) -> None:
    words = _CODE.findall(_FENCE.sub("", page.read_text(encoding="utf-8")))
    files = [word for word in words if "/" in word and _FILE.fullmatch(word)]
    missing = [f for f in files if not any((ROOT / home / f).exists() for home in _HOMES)]
    assert missing == []


def test_every_decision_is_in_the_overview() -> None:
    overview = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    pages = {f"decisions/{page.name}" for page in (ROOT / "docs" / "decisions").glob("*.md")}
    assert pages == {link for link in _LINK.findall(overview) if link.startswith("decisions/")}


def test_the_overview_names_every_room() -> None:
    overview = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    rooms = [path for path in PACKAGE.iterdir() if (path / "__init__.py").exists()]
    rooms += [path for path in (PACKAGE / "core").iterdir() if (path / "__init__.py").exists()]
    engine = PACKAGE / "core" / "engine"
    rooms += [path for path in engine.iterdir() if (path / "__init__.py").exists()]
    words = set(re.findall(r"[\w]+", overview))
    assert [path.name for path in rooms if path.name not in words] == []


def test_the_overview_has_two_pages() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    assert len(text.split()) < 1500
    assert max(map(len, text.splitlines())) < 240  # no cell of a table is a page of its own


def test_every_path_that_the_guide_names_is_there() -> None:
    text = _FENCE.sub("", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    paths = [
        w for w in _CODE.findall(text) if re.fullmatch(r"(src|tests|docs|scripts)(/[\w./]+)?", w)
    ]
    assert len(paths) > 15
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_the_guide_answers_ten_questions_each_with_a_path() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = text.partition("| question | begin in |")[2].partition("\n\n")[0].splitlines()[2:]
    answers = [row.split(" | ") for row in rows]
    assert len(answers) == 10
    assert all(re.fullmatch(r"`[\w./]+`", answer[1]) for answer in answers)
