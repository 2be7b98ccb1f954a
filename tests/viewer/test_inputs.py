"""What scripts hear of keys and the mouse."""

from __future__ import annotations

from unibody.viewer.inputs import Inputs


def test_a_key_is_pressed_once_down_until_released_and_then_forgotten():
    inputs = Inputs()
    inputs.take({"type": "keydown", "key": "w", "page": "1"})
    inputs.take({"type": "keydown", "key": "w", "page": "1"})  # the keyboard repeats
    state = inputs.keys()["w"]
    assert (state.down, state.pressed, state.released) == (True, True, False)
    state = inputs.keys()["w"]
    assert (state.down, state.pressed, state.released) == (True, False, False)
    inputs.take({"type": "keyup", "key": "w", "page": "1"})
    state = inputs.keys()["w"]
    assert (state.down, state.pressed, state.released) == (False, False, True)
    assert inputs.keys() == {}


def test_a_key_pressed_and_released_between_two_looks_is_seen_as_both():
    inputs = Inputs()
    inputs.take({"type": "keydown", "key": "x", "page": "1"})
    inputs.take({"type": "keyup", "key": "x", "page": "1"})
    state = inputs.keys()["x"]
    assert (state.down, state.pressed, state.released) == (False, True, True)


def test_two_pages_hold_the_same_key_independently():
    inputs = Inputs()
    for page in ("1", "2"):
        inputs.take({"type": "keydown", "key": "x", "page": page})
    inputs.keys()
    inputs.take({"type": "blur", "page": "1"})
    assert inputs.keys()["x"].down


def test_mouse_events_come_in_order_and_once():
    inputs = Inputs()
    inputs.take({"type": "mousemove", "at": [3, 4, 100, 50]})
    inputs.take({"type": "mousedown", "at": [3, 4, 100, 50], "button": 0})
    inputs.take({"type": "mousedown", "at": [3, "x", 100, 50], "button": 0})
    events = inputs.mouse()
    assert [(event.kind, event.x, event.button) for event in events] == [
        ("move", 3.0, -1),
        ("down", 3.0, 0),
    ]
    assert inputs.mouse() == []


def test_a_script_that_never_asks_does_not_collect_events_for_ever():
    inputs = Inputs()
    for _ in range(5000):
        inputs.take({"type": "mousemove", "at": [1, 1, 2, 2]})
    assert len(inputs.mouse()) == 1000


def test_a_key_whose_name_changes_while_it_is_held_is_released_all_the_same():
    inputs = Inputs()
    inputs.take({"type": "keydown", "key": "A", "code": "KeyA", "page": "1"})
    assert inputs.keys()["A"].pressed
    inputs.take({"type": "keyup", "key": "a", "code": "KeyA", "page": "1"})
    assert inputs.keys()["A"].released
    assert inputs.keys() == {}
