"""The table of what exists is true, and signatures are those of the document."""

from __future__ import annotations

import importlib
import inspect
import tomllib
from pathlib import Path
from typing import Any

import pytest

from unibody import isaac_core
from unibody.errors import NotSupportedError
from unibody.isaac_core import modules, names

_FILE = Path(isaac_core.__file__).with_name("coverage.toml")
TABLE = tomllib.loads(_FILE.read_text(encoding="utf-8"))["names"]
SIGNATURES = tomllib.loads(Path(__file__).with_name("signatures.toml").read_text(encoding="utf-8"))
ENTRIES = {
    (module, name): entry for module, entries in TABLE.items() for name, entry in entries.items()
}
PRESENT = sorted(key for key, entry in ENTRIES.items() if entry["status"] != "absent")
ABSENT_UTILS = sorted(
    key for key, entry in ENTRIES.items() if entry["status"] == "absent" and ".utils." in key[0]
)
ABSENT_CLASSES = sorted(
    {(m, n.split(".")[0]) for (m, n), e in ENTRIES.items() if e["status"] == "absent"}
    - set(ABSENT_UTILS)
)
_NEEDED = {"torch": "torch", "warp": "warp"}


def _member(module: str, name: str) -> Any:
    for part, package in _NEEDED.items():
        if f".{part}" in module:
            pytest.importorskip(package)
    behind = names.meant(module)
    assert behind is not None, module
    found: Any = importlib.import_module(behind)
    for part in name.split("."):
        if inspect.isclass(found) and not hasattr(found, part):
            return None  # an attribute of the class's objects
        found = getattr(found, part)
    return found


def test_the_table_names_all_rows_of_the_document() -> None:
    assert len(ENTRIES) == 1112
    assert {entry["status"] for entry in ENTRIES.values()} == {"full", "partial", "absent"}
    assert all(entry.get("note") for entry in ENTRIES.values() if entry["status"] == "partial")


@pytest.mark.parametrize(("module", "name"), PRESENT, ids=".".join)
def test_what_the_table_says_is_there(module: str, name: str) -> None:
    found = _member(module, name)
    if found is None:  # what the constructor sets
        kind = _member(module, name.split(".", maxsplit=1)[0])
        assert name.split(".")[1] in inspect.signature(kind).parameters


@pytest.mark.parametrize("name", SIGNATURES)
def test_parameters_and_defaults_are_those_of_the_document(name: str) -> None:
    module = max((m for m in TABLE if name.startswith(f"{m}.")), key=len)
    found = _member(module, name.removeprefix(f"{module}."))
    parameters = [p for p in inspect.signature(found).parameters.values() if p.name != "self"]
    stated = [text.partition("=") for text in SIGNATURES[name]]
    assert [p.name for p in parameters][: len(stated)] == [text for text, _, _ in stated]
    for parameter, (_, equals, default) in zip(parameters, stated, strict=False):
        assert (parameter.default is parameter.empty) is (not equals), parameter.name
        if default and default[0] in "'0123456789-NTF":
            assert parameter.default == eval(default), parameter.name
    assert all(p.default is not p.empty for p in parameters[len(stated) :])


@pytest.mark.parametrize(("module", "name"), ABSENT_CLASSES, ids=".".join)
def test_an_absent_class_says_so_when_it_is_made(module: str, name: str) -> None:
    made = modules.make(module)
    with pytest.raises(NotSupportedError, match=name):
        getattr(made, name)()


@pytest.mark.parametrize(("module", "name"), ABSENT_UTILS, ids=".".join)
def test_an_absent_function_says_so_when_it_is_called(module: str, name: str) -> None:
    function = _member(module, name)
    count = len(inspect.signature(function).parameters)
    with pytest.raises(NotSupportedError):
        function(*["x"] * count)
