"""Calls that are sorted by their arguments do and raise what the Python functions do."""

from __future__ import annotations

import inspect
import math
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unibody.bullet as p
from unibody.bullet import call_forms
from unibody.bullet.arguments import converting
from unibody.bullet.intercept import intercept, release
from unibody.core.engine.builtins import functions
from unibody.core.engine.builtins.forms import Form, make_sorter

SORTED = {function.__name__: function for function in call_forms.SORTED}
_PARAMETERS = {n: inspect.signature(f).parameters for n, f in SORTED.items()}
_VECTORS = ([1.0, 0.5, 0.0, 1.0], (0.1, 0.2, 0.3), [1, 0, 0, 1], np.array([0.5, 0.5, 0.1]), ())
_ODD = (None, "text", math.nan, -1, 0, 2**70, True, np.float32(0.25), np.int64(1))
_NUMBERS = st.one_of(st.floats(0.0, 3.0), st.sampled_from(_ODD))
_LINKS = st.sampled_from([-1, 0, 3, 6, 7, -2, "a", 2.0])


@pytest.fixture(scope="module")
def clients() -> Iterator[tuple[int, int]]:
    """Two clients with the same arm and box."""
    made = []
    for _ in range(2):
        client = p.connect(p.DIRECT)
        made.append(client)
        box = p.createCollisionShape(p.GEOM_BOX, halfExtents=[0.1] * 3, physicsClientId=client)
        p.createMultiBody(1.0, box, physicsClientId=client)
        ball = p.createCollisionShape(p.GEOM_SPHERE, radius=0.1, physicsClientId=client)
        p.createMultiBody(
            0.0, box, linkMasses=[1.0] * 7, linkCollisionShapeIndices=[ball] * 7,
            linkVisualShapeIndices=[-1] * 7, linkPositions=[[0.0, 0.0, 0.3]] * 7,
            linkOrientations=[[0.0, 0.0, 0.0, 1.0]] * 7,
            linkInertialFramePositions=[[0.0, 0.0, 0.0]] * 7,
            linkInertialFrameOrientations=[[0.0, 0.0, 0.0, 1.0]] * 7,
            linkParentIndices=list(range(7)), linkJointTypes=[p.JOINT_REVOLUTE] * 7,
            linkJointAxis=[[0.0, 1.0, 0.0]] * 7, physicsClientId=client,
        )  # fmt: skip
    yield made[0], made[1]
    for client in made:
        p.disconnect(client)


def _value(name: str) -> st.SearchStrategy[Any]:
    if name in {"bodyUniqueId", "objectUniqueId"}:
        return st.sampled_from([0, 1, 1, 1, 9, None])
    if name == "linkIndex":
        return _LINKS
    if name in {"rgbaColor", "specularColor", "localInertiaDiagonal", "anisotropicFriction"}:
        return st.sampled_from(_VECTORS)
    return _NUMBERS


@st.composite
def _calls(draw: st.DrawFn) -> tuple[str, tuple[Any, ...], dict[str, Any]]:
    """A function's name and arguments, the first few by position."""
    name = draw(st.sampled_from(sorted(SORTED)))
    forms = [form.takes for form in call_forms.SORTED[SORTED[name]]]
    names = list(_PARAMETERS[name])
    wanted = draw(st.sampled_from([*forms, tuple(names)]))
    given_names = names[:2] + draw(st.lists(st.sampled_from(wanted), max_size=6, unique=True))
    values = {n: draw(_value(n)) for n in given_names if n != "physicsClientId"}
    count = draw(st.integers(0, 2))
    return name, tuple(list(values.values())[:count]), dict(list(values.items())[count:])


def _outcome(call: Any, client: int, args: tuple[Any, ...], named: dict[str, Any]) -> str:
    try:
        return repr(call(*args, **named, physicsClientId=client))
    except Exception as problem:
        return repr(problem)


def _state(client: int) -> list[Any]:
    """What the functions of this module change."""
    found: list[Any] = []
    for body in range(p.getNumBodies(physicsClientId=client)):
        for link in range(-1, p.getNumJoints(body, physicsClientId=client)):
            found.append(p.getDynamicsInfo(body, link, physicsClientId=client))
            if link >= 0:
                found.append(p.getJointInfo(body, link, physicsClientId=client))
        found.append(p.getVisualShapeData(body, physicsClientId=client))
    return found


@given(calls=st.lists(_calls(), min_size=1, max_size=6))
def test_sorted_calls_do_and_raise_what_the_python_functions_do(
    clients: tuple[int, int], calls: list[tuple[str, tuple[Any, ...], dict[str, Any]]]
) -> None:
    for name, args, named in calls:
        sorted_call = getattr(p, name)
        assert inspect.isbuiltin(sorted_call)
        got = _outcome(sorted_call, clients[0], args, named)
        expected = _outcome(converting(SORTED[name]), clients[1], args, named)
        assert got == expected
    for client in clients:
        p.stepSimulation(physicsClientId=client)
    assert repr(_state(clients[0])) == repr(_state(clients[1]))


def _make(*forms: Form) -> Any:
    def whole(a: Any, b: Any, c: Any = 3, d: Any = (4,), *, e: Any = None) -> Any:
        return ("whole", a, b, c, d, e)

    return make_sorter(whole, __name__, forms)


def test_the_first_form_that_takes_all_arguments_is_called_with_the_defaults_of_the_rest() -> None:
    sort = _make(
        Form(lambda b, a: ("short", a, b), ("b", "a")),
        Form(lambda a, b, d, e: ("long", a, b, d, e), ("a", "b", "d", "e")),
    )
    assert sort(1, 2) == sort(b=2, a=1) == sort(1, b=2) == ("short", 1, 2)
    assert sort(1, 2, d=5) == ("long", 1, 2, 5, None)
    assert sort(e=6, b=2, a=1) == ("long", 1, 2, (4,), 6)
    assert sort(1, 2, 5) == ("whole", 1, 2, 5, (4,), None)
    assert sort(1, 2, 5, d=6) == ("whole", 1, 2, 5, 6, None)


@pytest.mark.parametrize(
    ("args", "named"),
    [((1,), {}), ((1, 2), {"b": 3}), ((1, 2), {"z": 3}), (range(5), {}), ((), {"b": 1, "a": 2})],
)
def test_arguments_that_are_missing_unknown_or_there_twice_are_left_to_the_whole_function(
    args: Any, named: dict[str, Any]
) -> None:
    def whole(a: Any, b: Any, c: Any = 3, d: Any = (4,), *, e: Any = None) -> Any:
        return (a, b, c, d, e)

    sort = make_sorter(whole, __name__, [Form(lambda b: b, ("b",))])

    def outcome(function: Any) -> str:
        try:
            return repr(function(*args, **named))
        except TypeError as problem:
            return str(problem)

    assert outcome(sort) == outcome(whole)


def test_a_name_made_at_run_time_is_known_too() -> None:
    sort = _make(Form(lambda a, b: ("short", a, b), ("a", "b")))
    assert sort(1, **{"".join(["b"]): 2}) in {("short", 1, 2), ("whole", 1, 2, 3, (4,), None)}


def test_sorted_calls_leave_the_reference_counts_as_they_were() -> None:
    sort, value = _make(Form(lambda a, b: None, ("a", "b"))), object()
    before = sys.getrefcount(value)
    for _ in range(10_000):
        sort(value, b=value)
    assert sys.getrefcount(value) == before


def test_a_handler_of_calls_gets_the_sorted_ones_too(clients: tuple[int, int]) -> None:
    seen: list[Any] = []

    def handler(name: str, function: Any, args: Any, named: Any) -> None:
        seen.append((name, args, named))

    intercept(clients[0], handler)
    try:
        p.changeDynamics(1, 2, mass=3.0, physicsClientId=clients[0])
        p.changeDynamics(1, 2, mass=1.0, physicsClientId=clients[1])
    finally:
        release(clients[0], handler)
    p.changeDynamics(1, 2, mass=1.0, physicsClientId=clients[0])
    assert seen == [("changeDynamics", (1, 2), {"mass": 3.0, "physicsClientId": clients[0]})]


def test_a_sorted_function_states_its_signature() -> None:
    for name, function in SORTED.items():
        shown = inspect.signature(getattr(p, name)).parameters
        assert list(shown) == list(inspect.signature(function).parameters)
    assert functions.layout_is_known()
