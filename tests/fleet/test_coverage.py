"""The table of what exists here is true of the package."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from unibody import fleet

TABLE = tomllib.loads((Path(fleet.__file__).parent / "coverage.toml").read_text())
ENTRIES = {name: entry for group in TABLE["names"].values() for name, entry in group.items()}


@pytest.mark.parametrize("name", sorted(ENTRIES))
def test_every_name_of_the_table_is_in_the_package(name):
    assert getattr(fleet, name) is not None
    assert ENTRIES[name]["status"] in ("full", "partial", "absent")
    assert ENTRIES[name]["status"] == "full" or ENTRIES[name]["note"]


def test_the_table_has_all_names_of_the_original():
    assert len(ENTRIES) == 91  # and __version__
    assert fleet.__version__


def test_nothing_is_absent():
    assert [name for name, entry in ENTRIES.items() if entry["status"] == "absent"] == []
