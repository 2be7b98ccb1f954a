"""The coverage table says what is true."""

from __future__ import annotations

import inspect
import re
import tomllib
from pathlib import Path

import pybullet
import pytest

import unibody.bullet
from scripts.coverage_page import PAGE, page
from unibody.bullet.forms.absent import absent_function, absent_names, coverage
from unibody.errors import NotSupportedError

FUNCTIONS, CONSTANTS = coverage()
PRESENT = sorted(name for name, entry in FUNCTIONS.items() if entry.status != "absent")
SIGNATURES = tomllib.loads(Path(__file__).parents[1].joinpath("signatures.toml").read_text("utf-8"))
# PyBullet tries several forms of these calls, and its message is about the last one.
SEVERAL_FORMS = {name for name, signature in SIGNATURES.items() if "also" in signature}
IGNORES_ARGUMENTS = {"getDebugVisualizerCamera"}  # takes whatever it is given


def test_the_table_names_every_function_and_constant_of_pybullet_and_no_other() -> None:
    public = {name for name in dir(pybullet) if not name.startswith("_")}
    callables = {name for name in public if callable(getattr(pybullet, name))}
    assert set(FUNCTIONS) == callables
    assert set(CONSTANTS) == public - callables


def test_every_entry_has_a_known_status() -> None:
    entries = [*FUNCTIONS.values(), *CONSTANTS.values()]
    assert {entry.status for entry in entries} <= {"full", "partial", "absent"}


def test_no_constant_is_absent() -> None:
    assert [name for name, entry in CONSTANTS.items() if entry.status == "absent"] == []


@pytest.mark.parametrize("name", PRESENT)
def test_a_function_that_is_there_can_be_called(name: str) -> None:
    assert callable(getattr(unibody.bullet, name))


def test_what_is_absent_is_found_without_reading_all_of_the_table() -> None:
    assert absent_names() == {n for n, entry in FUNCTIONS.items() if entry.status == "absent"}


@pytest.mark.parametrize("name", sorted(absent_names()))
def test_an_absent_function_says_so_when_it_is_called(name: str) -> None:
    function = getattr(unibody.bullet, name)
    with pytest.raises(NotSupportedError, match=rf"^pybullet\.{name} is not supported"):
        function(1, 2, anything=3)
    assert function.__name__ == name


def test_there_is_no_stand_in_for_what_exists_or_never_existed() -> None:
    for name in ("getQuaternionFromEuler", "noSuchFunction"):
        with pytest.raises(KeyError):
            absent_function(name)
    with pytest.raises(AttributeError):
        unibody.bullet.noSuchFunction  # noqa: B018


def test_every_function_of_pybullet_has_a_stored_signature() -> None:
    assert set(SIGNATURES) == set(FUNCTIONS) - {"error"}


@pytest.mark.parametrize("name", sorted(set(SIGNATURES) - SEVERAL_FORMS - IGNORES_ARGUMENTS))
def test_a_stored_signature_has_the_number_of_arguments_pybullet_accepts(name: str) -> None:
    signature = SIGNATURES[name]
    if signature.get("positional_only"):
        return
    count = len(signature["arguments"])
    with pytest.raises(TypeError) as raised:
        getattr(pybullet, name)(*[None] * (count + 1))
    assert re.search(rf"takes at most {count} arguments? ", str(raised.value))
    if signature["required"]:
        with pytest.raises(TypeError, match=rf"'{signature['arguments'][0]}' \(pos 1\)"):
            getattr(pybullet, name)()


@pytest.mark.parametrize("name", sorted(set(PRESENT) & set(SIGNATURES)))
def test_a_function_takes_pybullets_arguments_in_pybullets_order(name: str) -> None:
    expected = SIGNATURES[name]
    if expected.get("positional_only"):
        return
    parameters = inspect.signature(getattr(unibody.bullet, name)).parameters.values()
    positional = [p for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    assert [p.name for p in positional] == expected["arguments"]
    required = [p.name for p in positional if p.default is p.empty]
    if not expected.get("also"):  # otherwise an argument can come under another name
        assert required == expected["arguments"][: expected["required"]]
    accepted = {p.name for p in parameters}
    has_rest = any(p.kind is p.VAR_KEYWORD for p in parameters)
    assert has_rest or accepted >= set(expected.get("also", ()))


def test_the_coverage_page_is_the_one_the_tables_give() -> None:
    assert PAGE.read_text(encoding="utf-8") == page()
