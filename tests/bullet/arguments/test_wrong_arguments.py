"""Arguments that are not integers, numbers or texts are refused before anything is done with them.

PyBullet reads the arguments of a call as C values first. So a call of which one argument cannot be
read does nothing there, whatever the others are, and its error is that of the first such argument.
"""

from __future__ import annotations

import gc
import importlib
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pybullet
import pytest

import unibody.bullet
from tests.bullet.paired import add
from tests.support.duo import DATA
from unibody.bullet.api import MODULE_OF
from unibody.bullet.arguments.kinds import kinds_of
from unibody.bullet.forms.absent import coverage
from unibody.machine_code.calls.argument_forms import ANYTHING, INTEGER, NUMBER, TEXT

SIGNATURES = tomllib.loads(Path(__file__).parents[1].joinpath("signatures.toml").read_text("utf-8"))
STATUS = {name: entry.status for name, entry in coverage()[0].items()}


class _ByScript:
    """A type of a script's own, which messages call by its bare name."""


REFUSED: dict[int, tuple[Any, ...]] = {
    INTEGER: (
        None, "text", 1.0, 1.5, float("nan"), [1], np.float32(1.0), np.bool_(True), _ByScript(),
        1 << 31, -(1 << 40), 1 << 63, 1 << 70,
    ),
    NUMBER: (None, "text", b"1", [1.0], 1j, (), _ByScript(), 10**400),
    TEXT: (None, 1, 1.0, b"text", ["text"], np.int64(1), _ByScript()),
}  # fmt: skip
FITTING: dict[int, Any] = {INTEGER: 0, NUMBER: 0.0, TEXT: "", ANYTHING: None}


def _kinds(name: str) -> dict[str, int]:
    """What each parameter of a function takes, by its name."""
    function = getattr(importlib.import_module(f"unibody.bullet.{MODULE_OF[name]}"), name)
    return dict(zip(SIGNATURES[name]["arguments"], kinds_of(function), strict=False))


def _compared() -> list[str]:
    """Functions with a single form: of others PyBullet's error is about the form it tries last."""
    return sorted(
        name
        for name, signature in SIGNATURES.items()
        if name in MODULE_OF
        and STATUS[name] != "absent"
        and not {"also", "positional_only"} & signature.keys()
        and name not in {"loadURDF", "getDebugVisualizerCamera"}  # older forms; takes anything
    )


@pytest.fixture(scope="module", autouse=True)
def _worlds() -> Iterator[None]:
    for p in (pybullet, unibody.bullet):
        assert p.connect(p.DIRECT) == 0, "another test left its world behind"
    yield
    for p in (pybullet, unibody.bullet):
        p.disconnect()


def _error(p: Any, name: str, named: dict[str, Any]) -> tuple[str, str]:
    with pytest.raises((TypeError, ValueError, OverflowError)) as caught:
        getattr(p, name)(**named)
    return caught.type.__name__, str(caught.value)


@pytest.mark.parametrize("name", _compared())
def test_an_argument_of_another_kind_is_the_same_error_as_in_pybullet(name: str) -> None:
    kinds = _kinds(name)
    required = SIGNATURES[name]["arguments"][: SIGNATURES[name]["required"]]
    whole = {parameter: FITTING[kinds[parameter]] for parameter in required}
    for parameter, kind in kinds.items():
        for value in REFUSED.get(kind, ()):
            named = {**whole, parameter: value}
            expected = _error(pybullet, name, named)
            assert _error(unibody.bullet, name, named) == expected, (parameter, value)


def test_a_refused_link_leaves_a_world_that_steps() -> None:
    p = unibody.bullet
    body = add(p, p.GEOM_BOX, (0, 0, 1), 1.0, halfExtents=(0.1, 0.1, 0.1))
    for named in ({"ccdSweptSphereRadius": 1.0}, {"mass": 2.0}, {"linearDamping": 0.1}):
        for ids in ((body, -1.0), (float(body), -1)):
            with pytest.raises(TypeError, match="'float' object cannot be interpreted"):
                p.changeDynamics(*ids, **named)
    p.stepSimulation()
    assert p.getDynamicsInfo(body, -1)[0] == 1.0
    p.removeBody(body)


def test_integers_of_numpy_and_bools_name_bodies_joints_and_flags() -> None:
    p = unibody.bullet
    body = p.loadURDF(f"{DATA}/r2d2.urdf", flags=np.int64(2))
    for joint in (np.int32(1), np.uint8(1), True):
        assert p.getJointInfo(np.int64(body), joint) == p.getJointInfo(body, 1)
        assert p.getLinkState(body, joint, np.int8(1), True) == p.getLinkState(body, 1, 1, 1)
    p.removeBody(np.int64(body))
    assert p.getNumBodies() == 0


def test_converted_numbers_are_given_back() -> None:
    p = unibody.bullet
    body = add(p, p.GEOM_BOX, (0, 0, 1), 1.0, halfExtents=(0.1, 0.1, 0.1))
    numbers = np.array([body, 10**5], dtype=np.int32), np.array([0.3], dtype=np.float32)

    def use(times: int) -> None:
        for _ in range(times):
            p.changeDynamics(numbers[0][0], -1, lateralFriction=numbers[1][0])
            p.setPhysicsEngineParameter(numSolverIterations=numbers[0][1])
            with pytest.raises(TypeError):
                p.getNumJoints(numbers[0][1], physicsClientId=numbers[1][0])
        gc.collect()

    use(10)
    before = sys.getallocatedblocks()
    use(2000)
    assert sys.getallocatedblocks() - before < 500
    assert p.getDynamicsInfo(body, -1)[1] == np.float32(0.3)
    p.removeBody(body)


def test_contact_stiffness_and_damping_come_together() -> None:
    def outcomes(p: Any) -> list[Any]:
        body = add(p, p.GEOM_BOX, (0, 0, 1), 1.0, halfExtents=(0.1, 0.1, 0.1))
        found: list[Any] = []
        for named in ({"contactStiffness": 1.0}, {"contactDamping": 0.0, "mass": 3.0}):
            for number in (body, 99):
                with pytest.raises(p.error) as caught:
                    p.changeDynamics(number, -1, **named)
                found.append(str(caught.value))
        found.append(p.getDynamicsInfo(body, -1)[:1])
        p.removeBody(body)
        return found

    assert outcomes(unibody.bullet) == outcomes(pybullet)


def test_removed_collision_shapes_stay_while_bodies_have_them() -> None:
    def numbers(p: Any) -> list[int]:
        def made() -> int:
            return p.createCollisionShape(p.GEOM_SPHERE, radius=0.1)

        found = [made(), made()]
        bodies = [p.createMultiBody(1.0, found[0]) for _ in range(2)]
        for shape in (found[0], found[1], found[1], 99, -1):
            p.removeCollisionShape(shape)
        found.append(made())
        bodies.append(p.createMultiBody(1.0, found[0]))
        assert len(p.getCollisionShapeData(bodies[-1], -1)) == 1
        for body in bodies:
            p.removeBody(body)
        p.removeCollisionShape(found[0])
        found.append(made())
        return [number - found[0] for number in found]

    assert numbers(unibody.bullet) == numbers(pybullet)
