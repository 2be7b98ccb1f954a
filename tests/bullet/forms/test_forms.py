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
from unibody.bullet.arguments.kinds import converting
from unibody.bullet.calls.interception import intercept, release
from unibody.bullet.clients.registry import get_client
from unibody.bullet.forms import install as call_forms
from unibody.machine_code.calls import functions
from unibody.machine_code.calls.argument_forms import (
    ANYTHING,
    INTEGER,
    NUMBER,
    Form,
    Guard,
    Tables,
    make_sorter,
)

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


_VECTOR_NAMES = (
    "rgbaColor", "specularColor", "localInertiaDiagonal", "anisotropicFriction", "posObj", "ornObj",
    "linearVelocity", "angularVelocity", "cameraTargetPosition", "lightPosition", "rgbBackground",
    "lineFromXYZ", "lineToXYZ", "lineColorRGB", "textPosition", "textColorRGB", "textOrientation",
    "forceObj", "torqueObj", "halfExtents",
)  # fmt: skip
_BODIES = st.sampled_from([0, 1, 1, 1, 9, None])
_VALUES = {
    **dict.fromkeys(("bodyUniqueId", "objectUniqueId", "bodyIndex"), _BODIES),
    **dict.fromkeys(("linkIndex", "linkIndexA", "jointIndex"), _LINKS),
    **dict.fromkeys(_VECTOR_NAMES, st.sampled_from(_VECTORS)),
    **dict.fromkeys(
        ("flags", "collisionFilterGroup", "collisionFilterMask", "serialIndex"),
        st.sampled_from([0, 1, 2, 3, -1, 1.0]),
    ),
    **dict.fromkeys(
        ("objPositions", "objVelocities", "objAccelerations"),
        st.sampled_from([[0.1] * 7, (1,) * 7, [0.1] * 6 + ["a"], np.full(7, 0.2), [0.1], 0.5]),
    ),
    "shapeType": st.sampled_from(
        [p.GEOM_BOX, p.GEOM_SPHERE, p.GEOM_CAPSULE, p.GEOM_CYLINDER, p.GEOM_PLANE, p.GEOM_MESH, 99]
    ),
    **dict.fromkeys(("text", "paramName", "key"), st.sampled_from(["text", b"text", 3])),
    "controlMode": st.sampled_from(
        [p.POSITION_CONTROL, p.VELOCITY_CONTROL, p.TORQUE_CONTROL, p.PD_CONTROL, 9]
    ),
}


def _value(name: str) -> st.SearchStrategy[Any]:
    return _VALUES.get(name, _NUMBERS)


@st.composite
def _calls(draw: st.DrawFn) -> tuple[str, tuple[Any, ...], dict[str, Any]]:
    """A function's name and arguments, the first few by position."""
    name = draw(st.sampled_from(sorted(SORTED)))
    forms = [(*form.takes, *form.finds) for form in call_forms.SORTED[SORTED[name]]]
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
                found.append(p.getJointState(body, link, physicsClientId=client))
        found.append(p.getVisualShapeData(body, physicsClientId=client))
        found.append(p.getBasePositionAndOrientation(body, physicsClientId=client))
        found.append(p.getBaseVelocity(body, physicsClientId=client))
    found.append(p.getDebugVisualizerCamera(physicsClientId=client))
    found.append(p.getPhysicsEngineParameters(physicsClientId=client))
    store = get_client(client)
    shapes = [table.get(i) for table in (store.collision_shapes, store.visual_shapes)
              for i in range(40)]  # fmt: skip
    return [*found, store.visualizer, store.camera, *shapes]


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


class _Shelf:
    __slots__ = ("label", "things")

    def __init__(self, label: str, things: dict[int, Any]) -> None:
        self.label, self.things = label, things


def _find(*forms: Form) -> Any:
    """A function of the things on two shelves."""

    def whole(thing: int, at: Any = None, size: float = 1, shelf: int = 0) -> Any:
        return ("whole", thing, at, size, shelf)

    shelves = {0: _Shelf("low", {7: "cup"}), 3: _Shelf("high", {2**40: "jar"})}
    tables = Tables(shelves, (_Shelf, "things"))
    guard = Guard((INTEGER, ANYTHING, NUMBER, INTEGER))
    return make_sorter(whole, __name__, forms, guard, tables)


def _reach(found: Any, *given: Any) -> Any:
    return ("form", found, *given)


_THING = ("shelf", "thing")


def test_a_form_gets_the_object_that_it_is_about_and_its_numbers_as_floats() -> None:
    find = _find(Form(_reach, ("size", "at"), finds=_THING, vectors={"at": 2}))
    assert find(7) == ("form", "cup", 1.0, None)
    assert find(7, (1, 2.5), 3) == ("form", "cup", 3.0, (1.0, 2.5))
    assert find(7, size=2, at=[np.float64(0.5), 2]) == ("form", "cup", 2.0, (0.5, 2.0))
    assert find(7, np.array([1.0, 2.0]), np.float64(0.5)) == ("form", "cup", 0.5, (1.0, 2.0))
    kinds = [type(value) for value in (*find(7, [1, 2], np.float64(2.0))[2:], *find(7, [1, 2])[3])]
    assert kinds == [float, tuple, float, float]
    point = (1.0, 2.0)
    assert find(7, point)[3] is point


@pytest.mark.parametrize("at", [None, (1.0,), (1.0, "2"), "12", (1.0, 10**400), [1.0, 2.0, 3.0]])
def test_sequences_that_are_not_so_many_numbers_are_left_to_the_whole_function(at: Any) -> None:
    find = _find(Form(_reach, ("at",), finds=_THING, vectors={"at": 2}))
    assert find(7, at) == ("whole", 7, at, 1, 0)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, 1.001e100])
def test_a_form_that_takes_finite_numbers_leaves_others_to_the_whole_function(bad: float) -> None:
    find = _find(Form(_reach, ("size", "at"), finds=_THING, vectors={"at": 2}, finite=True))
    assert find(7, (1, 1e100), 1e100) == ("form", "cup", 1e100, (1.0, 1e100))
    whole = [
        find(7, size=bad),
        find(7, (0.0, bad)),
        find(7, [bad, 0.0]),
        find(7, np.array([0, bad])),
    ]
    assert [found[0] for found in whole] == ["whole"] * 4


def test_objects_that_are_not_there_are_left_to_the_whole_function() -> None:
    find = _find(Form(_reach, (), finds=_THING), Form(_reach, ("size",), finds=("shelf",)))
    assert find(8) == ("whole", 8, None, 1, 0)
    assert find(7, shelf=3) == ("whole", 7, None, 1, 3)
    assert find(7, shelf=5) == ("whole", 7, None, 1, 5)


def test_a_form_may_return_an_attribute_of_what_it_finds() -> None:
    label = Form(None, (), finds=("shelf",), returns=(_Shelf, "label"))
    sort = make_sorter(
        lambda shelf=0: None, __name__, [label], Guard((INTEGER,)),
        Tables({0: _Shelf("low", {})}, (_Shelf, "things")),
    )  # fmt: skip
    assert sort() == sort(0) == sort(shelf=0) == "low"
    assert sort(1) is None


def test_a_form_may_return_how_many_things_what_it_finds_has() -> None:
    find = _find(Form(None, ("thing",), finds=("shelf",), counts=(_Shelf, "things")))
    assert find(7) == find(7, shelf=3) == 1


def test_a_form_may_have_an_answer_for_what_is_there() -> None:
    find = _find(Form(None, (), finds=_THING, answer="there"))
    assert find(7) == "there"
    assert find(8) == ("whole", 8, None, 1, 0)


def test_a_form_may_hand_a_call_on_to_the_whole_function() -> None:
    find = _find(Form(lambda found, size: NotImplemented, ("size",), finds=_THING))
    assert find(7, size=2) == ("whole", 7, None, 2, 0)


def test_what_is_made_for_a_form_is_given_back_whatever_it_does() -> None:
    made: list[Any] = []

    def look(found: Any, at: Any, size: float) -> Any:
        made.append((sys.getrefcount(at), sys.getrefcount(size)))
        if size == 2.0:
            raise ValueError("two")
        return find(7, [8, 9], 2) if size == 1.0 else NotImplemented

    find = _find(Form(look, ("at", "size"), finds=_THING, vectors={"at": 2}))
    with pytest.raises(ValueError, match="two"):
        find(7, [8, 9], 1)
    find(7, [8, 9], 4)
    assert made[0] == made[1] == made[2] == (3, 3)  # the call's, the argument's, getrefcount's


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
    assert functions.builtins_work()
