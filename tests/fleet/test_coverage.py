"""The table of what exists here is true of the package."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from unibody import fleet
from unibody.errors import NotSupportedError

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


def test_what_is_absent_says_so_when_called():
    absent = [name for name, entry in ENTRIES.items() if entry["status"] == "absent"]
    assert absent == ["load_usd_world"]
    with pytest.raises(NotSupportedError, match="load_mesh_directory"):
        fleet.load_usd_world("stage.usd")
