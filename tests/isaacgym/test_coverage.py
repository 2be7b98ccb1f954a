"""The coverage table names all of Isaac Gym, and says what is true."""

from __future__ import annotations

import ast
import inspect
from typing import Any

import pytest

from scripts.coverage_page import ISAACGYM_PAGE, isaacgym_page
from tests.isaacgym import stubs
from unibody.errors import NotSupportedError
from unibody.isaacgym import gymapi
from unibody.isaacgym.absent import absent_method, absent_methods, coverage

PRESENT = sorted(set(stubs.gym_methods()) - absent_methods())
TYPES = sorted(set(stubs.classes()) - {"Gym"})


def test_the_stubs_are_the_ones_the_table_was_made_from() -> None:
    assert len(stubs.gym_methods()) == 312
    assert len(stubs.classes()) == 64


def test_the_table_names_every_method_of_gym_and_no_other() -> None:
    assert {name for _, name in coverage("gym")} == set(stubs.gym_methods())


def test_the_table_names_every_function_and_constant_and_no_other() -> None:
    assert {name for _, name in coverage("functions")} == stubs.functions()
    assert {name for _, name in coverage("constants")} == set(stubs.constants())


def test_the_table_names_every_class_with_all_its_members_and_no_other() -> None:
    expected = {(kind, name) for kind in TYPES for name in (kind, *stubs.members(kind))}
    assert set(coverage("types")) == expected


def test_every_entry_has_a_known_status() -> None:
    kinds = ("gym", "functions", "constants", "types")
    found = {entry.status for kind in kinds for entry in coverage(kind).values()}
    assert found <= {"full", "partial", "absent"}


@pytest.mark.parametrize("name", sorted(absent_methods()))
def test_an_absent_method_says_so_when_it_is_called(name: str) -> None:
    method = absent_method(name)
    with pytest.raises(NotSupportedError, match=rf"^Gym\.{name} is not supported"):
        method(1, 2, anything=3)
    assert method.__name__ == name


def test_there_is_no_stand_in_for_a_method_that_never_existed() -> None:
    with pytest.raises(KeyError):
        absent_method("no_such_method")


@pytest.mark.parametrize("name", PRESENT)
def test_a_method_has_the_signature_of_the_stubs(name: str) -> None:
    method = getattr(gymapi.Gym, name)
    found = list(inspect.signature(method).parameters.values())[1:]
    forms = stubs.signatures(name)
    if len(forms) > 1:
        for form in forms:
            inspect.signature(method).bind(None, *form.names)
        return
    assert [parameter.name for parameter in found] == forms[0].names
    for parameter in found:
        _assert_default(parameter, forms[0].defaults[parameter.name])


def _assert_default(parameter: inspect.Parameter, expected: object) -> None:
    if expected is stubs.REQUIRED:
        assert parameter.default is parameter.empty
    elif expected is stubs.UNKNOWN:
        assert parameter.default is not parameter.empty
    else:
        default: Any = parameter.default
        assert default == _value(str(expected))


def _value(text: str) -> Any:
    kind, _, name = text.partition(".")
    return getattr(getattr(gymapi, kind), name) if name else ast.literal_eval(text)


@pytest.mark.parametrize("name", sorted(stubs.constants()))
def test_a_constant_is_there_with_the_value_of_the_stubs(name: str) -> None:
    value = stubs.constants()[name]
    assert getattr(gymapi, name) == value or value is None


@pytest.mark.parametrize("name", sorted(stubs.functions() - {"acquire_gym"}))
def test_a_function_of_the_module_is_there(name: str) -> None:
    assert callable(getattr(gymapi, name))


@pytest.mark.parametrize("kind", TYPES)
def test_a_class_has_all_members_of_the_stubs(kind: str) -> None:
    assert stubs.members(kind) - {"name"} <= set(dir(getattr(gymapi, kind)))


@pytest.mark.parametrize("kind", [kind for kind in TYPES if not stubs.is_enum(kind)])
def test_a_class_has_the_methods_and_the_constructor_of_the_stubs(kind: str) -> None:
    ours = getattr(gymapi, kind)
    for node in stubs.classes()[kind].body:
        if not isinstance(node, ast.FunctionDef) or node.decorator_list:
            continue
        expected = [argument.arg for argument in node.args.args if argument.arg != "self"]
        if node.args.vararg or node.name == "__getstate__":
            continue
        found = inspect.signature(getattr(ours, node.name)).parameters
        assert [name for name in found if name != "self"] == expected, node.name


def test_star_import_takes_all_names_of_the_stubs() -> None:
    names = set(gymapi.__all__)
    assert names >= set(stubs.classes()) | stubs.functions() | set(stubs.constants())


def test_the_coverage_page_is_the_one_the_table_gives() -> None:
    assert ISAACGYM_PAGE.read_text(encoding="utf-8") == isaacgym_page()
