"""Mechanisms that a variable turns off, and what is there without them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from mujoco.introspect import structs

from tests.support.process import run_python
from unibody import mechanisms
from unibody.cli import doctor
from unibody.core.assets.description import (
    Asset,
    Inertial,
    Joint,
    JointType,
    Link,
    Pose,
    Shape,
    ShapeKind,
)
from unibody.core.engine.insertion import known_fields
from unibody.core.engine.records.options import BodyOptions
from unibody.core.engine.scene.scene import Scene
from unibody.core.engine.solver.settings import solves_by_blocks
from unibody.core.engine.spec import constraint
from unibody.core.engine.worlds.base import Worlds
from unibody.core.engine.worlds.batch_stepper import BatchStepper
from unibody.core.engine.worlds.cpu import CpuWorlds
from unibody.errors import InvalidArgumentError
from unibody.fleet.foundation import thread_pool
from unibody.machine_code import array_calls, kept
from unibody.machine_code.calls import functions

_CACHES = (mechanisms.plain, functions.builtins_work, known_fields.insertion_works)


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Turns mechanisms off for one test."""

    def turn_off(names: str) -> None:
        monkeypatch.setenv(mechanisms.VARIABLE, names)
        for cached in _CACHES:
            cached.cache_clear()

    yield turn_off
    monkeypatch.undo()
    for cached in _CACHES:
        cached.cache_clear()


def _box(size: float = 0.1) -> Asset:
    inertial = Inertial(1.0, Pose(), (0.01, 0.01, 0.01, 0.0, 0.0, 0.0))
    link = Link("box", -1, Joint(type=JointType.FLOATING), inertial)
    link.collisions.append(Shape(ShapeKind.BOX, size=(size, size, size)))
    return Asset("box", [link])


def _running(count: int) -> Scene:
    scene = Scene()
    for number in range(count):
        scene.add(number, _box(), BodyOptions(pose=Pose((float(number), 0.0, 0.0))))
    scene.world.step()
    return scene


@pytest.fixture
def compiles(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Counts the compiles of scenes."""
    found: list[int] = []
    compile_scene = Scene._compile

    def counted(self: Scene, **options: Any) -> None:
        found.append(1)
        compile_scene(self, **options)

    monkeypatch.setattr(Scene, "_compile", counted)
    return found


def _add_five(scene: Scene) -> None:
    for number in range(10, 15):
        scene.add(number, _box(), BodyOptions(pose=Pose((float(number), 0.0, 0.0))))
        scene.world.step()


def test_no_variable_leaves_everything_on(plain: Callable[[str], None]) -> None:
    plain("")
    assert mechanisms.plain() == frozenset()


def test_names_stand_with_commas_between_them_and_an_older_name_is_known(
    plain: Callable[[str], None],
) -> None:
    plain("calls, places,")
    assert mechanisms.plain() == {"calls", "slots"}


def test_an_unknown_name_is_an_error_that_says_what_is_allowed(
    plain: Callable[[str], None],
) -> None:
    plain("solvr")
    with pytest.raises(InvalidArgumentError, match=r"calls, slots, solver.*did you mean 'solver'"):
        mechanisms.plain()


def test_without_calls_no_builtin_is_made(plain: Callable[[str], None]) -> None:
    assert functions.builtins_work()
    plain("calls")
    assert not functions.builtins_work()


def test_without_slots_every_body_that_comes_is_compiled(
    plain: Callable[[str], None], compiles: list[int]
) -> None:
    scene = _running(3)
    _add_five(scene)
    assert len(compiles) < 5
    compiles.clear()
    plain("slots")
    scene = _running(3)
    _add_five(scene)
    assert len(compiles) == 1 + 5


def test_without_slots_a_constraint_that_comes_is_compiled(
    plain: Callable[[str], None], compiles: list[int]
) -> None:
    plain("slots")
    scene, here = _running(2), Pose()
    compiles.clear()
    for _ in range(3):
        scene.add_constraint(constraint.ConstraintKind.POINT, (0, 0), (1, 0), here, here)
        scene.world.step()
    assert len(compiles) == 3


def test_a_field_of_mujoco_that_nobody_looked_at_turns_slots_off(
    plain: Callable[[str], None], compiles: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = structs.STRUCTS["mjModel"]
    new = SimpleNamespace(name="body_glow", array_extent=("nbody",), type=None)
    changed = SimpleNamespace(fields=(*model.fields, new))
    scene = _running(3)
    compiles.clear()
    with monkeypatch.context() as patch:
        patch.setattr(known_fields, "structs", SimpleNamespace(
            STRUCTS={**structs.STRUCTS, "mjModel": changed}
        ))  # fmt: skip
        plain("")
        assert known_fields.difference() == "mjModel has body_glow[nbody"
        assert doctor._mechanisms()["slots"].startswith("off: mjModel has body_glow")
        _add_five(scene)
    assert len(compiles) == 5


def test_a_field_of_mujoco_that_is_gone_turns_slots_off(
    plain: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    data = structs.STRUCTS["mjData"]
    left = [field for field in data.fields if getattr(field, "name", "") != "xfrc_applied"]
    changed = {**structs.STRUCTS, "mjData": SimpleNamespace(fields=left)}
    monkeypatch.setattr(known_fields, "structs", SimpleNamespace(STRUCTS=changed))
    plain("")
    assert known_fields.difference() == "mjData lacks xfrc_applied[nbody,6"
    assert not known_fields.insertion_works()


def test_without_the_solver_large_scenes_are_mujocos(plain: Callable[[str], None]) -> None:
    assert solves_by_blocks(_running(12).world.model)
    plain("solver")
    world = _running(12).world
    assert not solves_by_blocks(world.model)
    assert world._solver is None


def test_without_threads_worlds_are_stepped_by_a_batch_of_one(
    plain: Callable[[str], None],
) -> None:
    plain("threads")
    worlds: Worlds = CpuWorlds(_running(1), 200, threads=4)
    assert isinstance(worlds, CpuWorlds)
    assert isinstance(worlds._stepper, BatchStepper)
    assert worlds._batch.nthread == worlds._shares.threads == thread_pool.threads() == 1


def test_worlds_of_a_batch_end_where_those_on_threads_do(plain: Callable[[str], None]) -> None:
    def ends() -> Any:
        worlds = CpuWorlds(_running(2), 6)
        worlds.qvel[:, 0] = [0.1 * number for number in range(6)]
        worlds.step_and_place(5)
        return worlds.qpos.copy(), worlds.xpos.copy()

    threaded = ends()
    plain("threads")
    for found, expected in zip(ends(), threaded, strict=True):
        assert (found == expected).all()


def test_without_machine_code_numba_compiles_an_entry_in_its_own_way(
    plain: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []

    def noted(function: Any, signature: Any) -> Any:
        made.append(function.__qualname__)
        return SimpleNamespace(address=0)

    monkeypatch.setattr(kept, "cached_cfunc", noted)
    monkeypatch.setattr(kept, "Entry", lambda address, signature, compiled=None: compiled)
    plain("machine-code")

    @kept.kept_entry(kept_signature())
    def entry(number: int) -> int:
        return number

    assert len(made) == 1


def kept_signature() -> Any:
    """Of a function of one number."""
    from unibody.machine_code import types

    return types.int64(types.int64)


def test_the_doctor_says_which_mechanisms_are_off_and_why() -> None:
    program = "from unibody.cli import doctor; doctor.main()"
    result = run_python(["-c", program], environment={mechanisms.VARIABLE: "calls,threads"})
    lines = [line.split(maxsplit=1) for line in result.stdout.splitlines() if line.strip()]
    found = {line[0]: line[1] for line in lines if len(line) == 2}
    assert found["calls"] == found["threads"] == "off: UNIBODY_PLAIN names it"
    assert found["slots"] == "on"
    assert found["machine-code"].startswith("on, kept in ")


def test_the_doctor_names_a_variable_that_is_wrong() -> None:
    program = "from unibody.cli import doctor; doctor.main()"
    result = run_python(["-c", program], environment={mechanisms.VARIABLE: "speed"})
    assert "UNIBODY_PLAIN='speed' is not allowed" in result.stdout


@pytest.mark.parametrize("name", ["calls", "machine-code"])
def test_functions_of_arrays_are_numbas_without_calls_or_machine_code(
    plain: Callable[[str], None], name: str
) -> None:
    plain(name)

    @array_calls.array_function(returns=True)
    def total(numbers: Any, times: int) -> int:
        result = 0
        for number in numbers:
            result += number
        return result * times

    assert total(np.arange(5), 3) == 30
    assert total.signatures == []  # nothing was kept
    assert not array_calls.keeps_code()
