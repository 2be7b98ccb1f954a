"""The compiled short cuts return, to the last bit, what the Python functions behind them return."""

from __future__ import annotations

import inspect
import math
import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unibody.bullet
from unibody.bullet.arguments.kinds import converting
from unibody.bullet.maths import builtins as shortcuts
from unibody.machine_code.calls import functions
from unibody.machine_code.calls.functions import INTEGER, NUMBER

PYTHON = {s.function.__name__: converting(s.function) for s in shortcuts.SHORTCUTS}
SIZES = {s.function.__name__: s.sizes for s in shortcuts.SHORTCUTS}
BUILTIN: dict[str, Any] = {s.function.__name__: s.function for s in shortcuts.SHORTCUTS}
BUILTIN["__name__"] = "unibody.bullet"
shortcuts.install(BUILTIN)

special = st.sampled_from([0, 1, -1, 2, True, 0.5, -0.0, 1e300, math.inf, math.nan, 10**400])
numbers = st.one_of(st.floats(-10.0, 10.0), special, st.floats(-3.0, 3.0).map(np.float64))
wrong = st.sampled_from([None, "text", 3, (1.0, 2.0), [1.0, None, 2.0, 3.0], {1: 2, 2: 3, 4: 5}])


def _outcome(call: Callable[..., Any], *args: Any, **named: Any) -> str:
    """What a call returns or raises, written so that equal means equal to the last bit."""
    try:
        return repr(call(*args, **named))
    except Exception as problem:
        return repr(problem)


def _sequences(size: int) -> st.SearchStrategy[Any]:
    listed = st.lists(numbers, min_size=size, max_size=size)
    floats = st.lists(st.floats(-10.0, 10.0), min_size=size, max_size=size)
    strided = st.lists(st.floats(-1.0, 1.0), min_size=2 * size, max_size=2 * size)
    return st.one_of(
        floats.map(tuple),
        listed,
        floats.map(np.array),
        floats.map(lambda x: np.array(x, dtype=np.float32)),
        strided.map(lambda x: np.array(x)[::2]),
        wrong,
    )


@pytest.mark.parametrize("name", sorted(PYTHON))
@given(data=st.data())
def test_a_builtin_returns_and_raises_what_its_python_function_does(
    name: str, data: st.DataObject
) -> None:
    args = [
        data.draw(
            st.one_of(numbers, wrong)
            if size == NUMBER
            else st.sampled_from([1, 2, 3, 2.0, None])
            if size == INTEGER
            else _sequences(size)
        )
        for size in SIZES[name]
    ]
    assert _outcome(BUILTIN[name], *args) == _outcome(PYTHON[name], *args)
    assert _outcome(BUILTIN[name], *args, physicsClientId=3) == _outcome(PYTHON[name], *args)


@pytest.mark.parametrize("name", sorted(PYTHON))
def test_a_builtin_takes_the_keywords_of_its_python_function(name: str) -> None:
    args: list[Any] = []
    for i, size in enumerate(SIZES[name]):
        vector = tuple(0.5 + 0.1 * ((3 * i + 2 * k) % 7) for k in range(size))
        args.append(1.0 + i if size == NUMBER else 2 if size == INTEGER else vector)
    names = list(inspect.signature(PYTHON[name]).parameters)
    named = dict(zip(names, args, strict=False))
    assert BUILTIN[name](**named) == PYTHON[name](*args)
    assert _outcome(BUILTIN[name], *args, noSuchName=1) == _outcome(
        PYTHON[name], *args, noSuchName=1
    )
    assert _outcome(BUILTIN[name], *args, physicsClientId="x") == _outcome(
        PYTHON[name], *args, physicsClientId="x"
    )
    assert _outcome(BUILTIN[name]) == _outcome(PYTHON[name])
    assert list(inspect.signature(BUILTIN[name]).parameters) == names


def test_after_a_connection_the_module_has_the_builtins() -> None:
    client = unibody.bullet.connect(unibody.bullet.DIRECT)
    try:
        assert functions.builtins_work()
        for name in PYTHON:
            assert inspect.isbuiltin(getattr(unibody.bullet, name)), name
    finally:
        unibody.bullet.disconnect(client)


def test_a_builtin_is_pickled_by_its_name() -> None:
    client = unibody.bullet.connect(unibody.bullet.DIRECT)
    unibody.bullet.disconnect(client)
    function = unibody.bullet.rotateVector
    assert pickle.loads(pickle.dumps(function)) is function


def test_a_hundred_thousand_calls_leave_the_reference_counts_as_they_were() -> None:
    import sys

    quat, vector = [0.1, 0.2, 0.3, 0.9], (1.0, 2.0, 3.0)
    before = sys.getrefcount(quat), sys.getrefcount(vector), sys.getrefcount(quat[0])
    for _ in range(100_000):
        BUILTIN["rotateVector"](quat, vector)
    assert (sys.getrefcount(quat), sys.getrefcount(vector), sys.getrefcount(quat[0])) == before


def _connect_once() -> None:
    unibody.bullet.disconnect(unibody.bullet.connect(unibody.bullet.DIRECT))


def test_arguments_by_name_count_in_any_order() -> None:
    _connect_once()  # after it there are short cuts
    view = unibody.bullet.computeViewMatrix([1.0, 2.0, 3.0], (0.0, 0.5, 0.0), (0.0, 0.0, 1.0))
    named = {"cameraUpVector": (0.0, 0.0, 1.0), "cameraEyePosition": [1.0, 2.0, 3.0]}
    assert unibody.bullet.computeViewMatrix(cameraTargetPosition=(0.0, 0.5, 0.0), **named) == view
    rest = {"cameraUpVector": (0, 0, 1), "cameraTargetPosition": (0, 0.5, 0)}
    assert unibody.bullet.computeViewMatrix([1, 2, 3], **rest, physicsClientId=0) == view


@pytest.mark.parametrize(
    ("args", "named"),
    [
        (((1.0, 2.0, 3.0), (0.0, 0.0, 0.0)), {}),
        (((1.0, 2.0, 3.0), (0.0, 0.0, 0.0)), {"cameraEyePosition": (1.0, 2.0, 3.0)}),
        (((1.0, 2.0, 3.0), (0.0, 0.0, 0.0), (0.0, 0.0, 1.0)), {"upVector": (0.0, 0.0, 1.0)}),
    ],
)
def test_a_name_that_is_missing_twice_there_or_unknown_is_a_type_error(
    args: tuple[Any, ...], named: dict[str, Any]
) -> None:
    _connect_once()
    with pytest.raises(TypeError):
        unibody.bullet.computeViewMatrix(*args, **named)


def test_names_bound_before_connecting_are_those_bound_later() -> None:
    script = (
        "from unibody.bullet import getQuaternionFromEuler, connect, stepSimulation\n"
        "import unibody.bullet as p\n"
        "p.connect(p.DIRECT)\n"
        "assert stepSimulation is p.stepSimulation and connect is p.connect\n"
        "assert getQuaternionFromEuler is p.getQuaternionFromEuler\n"
        "assert type(stepSimulation) is type(getQuaternionFromEuler) is type(len)\n"
        "from unibody.bullet import *\n"
        "assert rayTest is p.rayTest and type(rayTest) is type(len)\n"
    )
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
