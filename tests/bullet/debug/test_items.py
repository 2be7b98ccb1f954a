"""Debug lines, texts, sliders and events: as PyBullet's DIRECT, and as a window nobody touches."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import pybullet
import pytest

import unibody.bullet as p
from tests.bullet.paired import both
from unibody.bullet.clients.registry import get_client
from unibody.bullet.state.debug_items import DebugLine, DebugParameter

SPHERE = p.GEOM_SPHERE


@pytest.fixture
def window() -> Iterator[int]:
    client = p.connect(p.GUI)
    yield client
    p.disconnect(client)


def outcome(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except (pybullet.error, p.error, TypeError) as problem:
        return str(problem)


ORIGIN, ONE = [0, 0, 0], [1, 1, 1]
CALLS: dict[str, tuple[Any, ...]] = {
    "a line": ("addUserDebugLine", ORIGIN, ONE),
    "a line in the place of another": ("addUserDebugLine", ORIGIN, ONE, ONE, 1, 0, -1, -1, 3),
    "a line with a short start": ("addUserDebugLine", [0, 0], ONE),
    "a line with a short end": ("addUserDebugLine", ORIGIN, [1, 1]),
    "a line with a short colour": ("addUserDebugLine", ORIGIN, ONE, [1]),
    "points": ("addUserDebugPoints", [ORIGIN], [ONE]),
    "points with too many colours": ("addUserDebugPoints", [ORIGIN], [ONE, ONE]),
    "a text": ("addUserDebugText", "text", ORIGIN),
    "a text that is a number": ("addUserDebugText", 3, ORIGIN),
    "a text with a short position": ("addUserDebugText", "text", [0, 0]),
    "a text with a short colour": ("addUserDebugText", "text", ORIGIN, [1]),
    "a text with a short turn": ("addUserDebugText", "text", ORIGIN, ONE, 1, 0, [1]),
    "a slider": ("addUserDebugParameter", "slider", 0, 1, 0.5),
    "a button": ("addUserDebugParameter", "button", 1, 0, 0),
    "reading what is not there": ("readUserDebugParameter", 0),
    "removing what is not there": ("removeUserDebugItem", 7),
    "removing all items": ("removeAllUserDebugItems",),
    "removing all parameters": ("removeAllUserParameters",),
    "a colour for no body": ("setDebugObjectColor", 5, -1, ONE),
    "a colour that is none": ("setDebugObjectColor", 0, -1, [1, 0]),
    "keys": ("getKeyboardEvents",),
    "the mouse": ("getMouseEvents",),
    "controllers": ("getVREvents",),
    "numpy": ("isNumpyEnabled",),
    "body info of others": ("syncBodyInfo",),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_a_direct_client_answers_as_pybullet_does(call: tuple[Any, ...]) -> None:
    name, *arguments = call
    theirs, ours = both(lambda side: outcome(lambda: getattr(side, name)(*arguments)))
    assert ours == theirs


def test_items_get_ids_in_the_order_they_are_added(window: int) -> None:
    ids = [
        p.addUserDebugLine(ORIGIN, ONE, physicsClientId=window),
        p.addUserDebugText("text", ORIGIN, physicsClientId=window),
        p.addUserDebugPoints([ORIGIN], [ONE], physicsClientId=window),
        p.addUserDebugParameter("slider", physicsClientId=window),
    ]
    assert ids == [0, 1, 2, 3]


def test_a_line_takes_the_place_of_another(window: int) -> None:
    first = p.addUserDebugLine(ORIGIN, ONE, physicsClientId=window)
    again = p.addUserDebugLine(ONE, ORIGIN, replaceItemUniqueId=first, physicsClientId=window)
    (kept,) = dict(get_client(window).debug.visible()).values()
    assert again == first
    assert isinstance(kept, DebugLine)
    assert kept.start == (1.0, 1.0, 1.0)


def test_a_line_moves_with_a_link_that_exists_and_else_stays_in_the_world(window: int) -> None:
    body = p.createMultiBody(1, p.createCollisionShape(SPHERE, physicsClientId=window))
    for link in (-1, 4):
        p.addUserDebugLine(
            ORIGIN, ONE, parentObjectUniqueId=body, parentLinkIndex=link, physicsClientId=window
        )
    parents = [item.parent for _, item in get_client(window).debug.visible()]
    assert parents == [(body, -1), None]


def test_a_line_vanishes_when_its_life_time_is_over(window: int) -> None:
    p.addUserDebugLine(ORIGIN, ONE, lifeTime=0.05, physicsClientId=window)
    stays = p.addUserDebugLine(ORIGIN, ONE, physicsClientId=window)
    assert len(list(get_client(window).debug.visible())) == 2
    time.sleep(0.1)
    assert [key for key, _ in get_client(window).debug.visible()] == [stays]


def test_lines_of_short_life_do_not_pile_up(window: int) -> None:
    for _ in range(50):
        p.addUserDebugLine(ORIGIN, ONE, lifeTime=1e-6, physicsClientId=window)
    assert len(get_client(window).debug.items) < 5


def test_a_removed_line_is_gone(window: int) -> None:
    first = p.addUserDebugLine(ORIGIN, ONE, physicsClientId=window)
    second = p.addUserDebugLine(ORIGIN, ONE, physicsClientId=window)
    p.removeUserDebugItem(first, physicsClientId=window)
    assert [key for key, _ in get_client(window).debug.visible()] == [second]


def test_a_slider_reads_as_its_start_value(window: int) -> None:
    slider = p.addUserDebugParameter("slider", -2, 2, 0.5, physicsClientId=window)
    button = p.addUserDebugParameter("button", 1, 0, 3, physicsClientId=window)
    assert p.readUserDebugParameter(slider, physicsClientId=window) == 0.5
    assert p.readUserDebugParameter(button, physicsClientId=window) == 3.0
    kept: list[DebugParameter] = list(get_client(window).debug.parameters.values())
    assert [parameter.is_button for parameter in kept] == [False, True]


def test_removing_all_items_leaves_the_sliders(window: int) -> None:
    slider = p.addUserDebugParameter("slider", 0, 1, 0.5, physicsClientId=window)
    p.addUserDebugLine(ORIGIN, ONE, physicsClientId=window)
    p.removeAllUserDebugItems(physicsClientId=window)
    assert list(get_client(window).debug.visible()) == []
    assert p.readUserDebugParameter(slider, physicsClientId=window) == 0.5
    assert p.addUserDebugLine(ORIGIN, ONE, physicsClientId=window) != slider


def test_a_removed_slider_cannot_be_read(window: int) -> None:
    slider = p.addUserDebugParameter("slider", physicsClientId=window)
    p.removeAllUserParameters(physicsClientId=window)
    with pytest.raises(p.error, match=r"^Failed to read parameter\.$"):
        p.readUserDebugParameter(slider, physicsClientId=window)


def test_resetting_the_simulation_removes_items_and_keeps_sliders(window: int) -> None:
    slider = p.addUserDebugParameter("slider", 0, 1, 0.5, physicsClientId=window)
    p.addUserDebugText("text", ORIGIN, physicsClientId=window)
    p.resetSimulation(physicsClientId=window)
    assert list(get_client(window).debug.visible()) == []
    assert p.readUserDebugParameter(slider, physicsClientId=window) == 0.5


def test_the_wireframe_colour_of_a_body_goes_with_it(window: int) -> None:
    body = p.createMultiBody(1, p.createCollisionShape(SPHERE, physicsClientId=window))
    p.setDebugObjectColor(body, -1, [1, 0, 0], physicsClientId=window)
    assert get_client(window).debug.colors == {(body, -1): (1.0, 0.0, 0.0)}
    p.removeBody(body, physicsClientId=window)
    assert get_client(window).debug.colors == {}


def test_a_wireframe_colour_is_taken_back(window: int) -> None:
    body = p.createMultiBody(1, p.createCollisionShape(SPHERE, physicsClientId=window))
    p.setDebugObjectColor(body, -1, [1, 0, 0], physicsClientId=window)
    p.setDebugObjectColor(body, -1, physicsClientId=window)
    assert get_client(window).debug.colors == {}


def test_a_world_that_follows_the_clock_moves_while_a_script_only_asks_whether_it_is_connected(
    window: int,
) -> None:
    body = p.createMultiBody(1, p.createCollisionShape(SPHERE, physicsClientId=window))
    p.setGravity(0, 0, -10, physicsClientId=window)
    p.stepSimulation(physicsClientId=window)  # compiles now and not in the time that is measured
    before = p.getBasePositionAndOrientation(body, physicsClientId=window)[0][2]
    p.setRealTimeSimulation(1, physicsClientId=window)
    time.sleep(0.1)
    assert p.isConnected(window)
    assert (
        get_client(window).world.data.time
        > 10 * p.getPhysicsEngineParameters(window)["fixedTimeStep"]
    )
    assert p.getBasePositionAndOrientation(body, physicsClientId=window)[0][2] < before


def test_a_world_that_follows_the_clock_moves_while_a_script_makes_no_call(window: int) -> None:
    body = p.createMultiBody(1, p.createCollisionShape(SPHERE, physicsClientId=window))
    p.setGravity(0, 0, -10, physicsClientId=window)
    p.stepSimulation(physicsClientId=window)  # compiles now and not in the time that is measured
    p.setRealTimeSimulation(1, physicsClientId=window)
    time.sleep(1.0)
    p.setRealTimeSimulation(0, physicsClientId=window)
    # A call catches up by half a second: 1.25 m. The rest has fallen in the meantime.
    assert p.getBasePositionAndOrientation(body, physicsClientId=window)[0][2] < -2.0
    there = p.getBasePositionAndOrientation(body, physicsClientId=window)
    time.sleep(0.05)
    assert p.getBasePositionAndOrientation(body, physicsClientId=window) == there


def test_a_world_that_follows_the_clock_is_left_without_a_last_step(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    client = p.connect(p.DIRECT)
    p.setRealTimeSimulation(1, physicsClientId=client)
    monkeypatch.setattr(type(get_client(client)), "step", lambda _: pytest.fail("a step"))
    time.sleep(0.05)
    p.disconnect(client)
    assert not p.isConnected(client)
