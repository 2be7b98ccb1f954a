"""The page of pictures, and the script that draws them."""

from __future__ import annotations

import re
from pathlib import Path

from scripts.gallery import FOLDER, LARGEST, PICTURES
from tests.support.process import ROOT

PAGE = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")


def test_each_picture_of_the_gallery_stands_above_the_command_that_draws_it() -> None:
    shown = re.findall(r"\(images/gallery/(\w+)\.webp\)\n\n```console\n\$ unibody (.*)\n```", PAGE)
    files = {Path(name).stem: (name, line) for name, line in PICTURES.items()}
    assert dict(shown) == {stem: line.format(name) for stem, (name, line) in files.items()}


def test_pictures_of_the_gallery_load_fast() -> None:
    sizes = {path.stem: path.stat().st_size for path in FOLDER.glob("*")}
    assert sizes.keys() == {Path(name).stem for name in PICTURES}
    assert max(sizes.values()) < LARGEST


def test_scripts_of_the_gallery_are_there() -> None:
    named = {word for line in PICTURES.values() for word in line.split() if word.endswith(".py")}
    there = {str(path.relative_to(ROOT)) for path in (ROOT / "examples" / "gallery").glob("*.py")}
    assert all((ROOT / name).exists() for name in named)
    assert there <= named
