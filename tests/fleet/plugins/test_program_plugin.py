"""Programs of actions, and doors that open by themselves, from scenario files."""

from __future__ import annotations

import pytest

from unibody import bullet
from unibody.errors import InvalidArgumentError
from unibody.fleet import MultiRobotSimulationCore
from unibody.fleet.parameters.yaml_reader import ConfigError
from unibody.fleet.plugins import ProgramPlugin

HEAD = """
simulation: {physics: false, gui: false, monitor: false, timestep: 0.1, target_rtf: 0}
entities:
"""
BOX = """
  - name: box
    type: sim_object
    mass: 0.0
    visual_shape: {shape_type: box, half_extents: [0.1, 0.1, 0.1]}
    pose: [2.0, 0.0, 0.1]
"""
CART = """
  - name: cart
    urdf_path: robots/mobile_robot.urdf
    pose: [0.0, 0.0, 0.15]
    controller:
      {type: differential, max_linear_vel: 2.0, max_linear_accel: 4.0, max_angular_vel: 3.0}
    plugins: [{type: program, config: {actions: [ACTIONS]}}]
"""
DOOR = """
  - name: door
    type: door
    urdf_path: robots/door_double.urdf
    use_fixed_base: true
    pose: [2.0, 0.0, 0.0]
    open_positions: {left: 0.7, right: 0.7}
    close_positions: {left: 0.0, right: 0.0}
    plugins: [{type: automatic_door, config: {distance: 1.0, hold: 0.5}}]
"""


@pytest.fixture
def loaded(tmp_path):
    made = []

    def load(*entities: str):
        (tmp_path / "scenario.yaml").write_text(HEAD + "".join(entities))
        made.append(MultiRobotSimulationCore.from_yaml(str(tmp_path / "scenario.yaml")))
        return made[-1]

    yield load
    for core in made:
        bullet.disconnect(core.client)


def steps(core, number):
    for _ in range(number):
        core.step_once()


def cart(*actions: str) -> str:
    return CART.replace("ACTIONS", ", ".join(actions))


PICK = (
    "{type: pick, target_position: [2.0, 0.0, 0.1], use_approach: false, "
    "attach_relative_pose: [0.0, 0.0, 0.3]}"
)
DROP = "{type: drop, drop_pose: [0.0, 2.0, 0.1], use_approach: false}"


def test_a_cart_carries_a_box_and_waits_for_the_next_one(loaded):
    core = loaded(BOX, cart(PICK, DROP))
    (robot,) = core.agents
    (box,) = [obj for obj in core.sim_objects if obj is not robot]
    steps(core, 100)
    assert box.get_pose().position == pytest.approx((0.0, 2.0, 0.1), abs=1e-6)
    assert robot.is_action_queue_empty()
    box.set_pose_raw([2.0, 0.0, 0.1], [0.0, 0.0, 0.0, 1.0])  # the next one
    steps(core, 100)
    assert box.get_pose().position == pytest.approx((0.0, 2.0, 0.1), abs=1e-6)


def test_a_drop_waits_until_its_place_is_free(loaded):
    other = BOX.replace("name: box", "name: other").replace("[2.0, 0.0, 0.1]", "[0.0, 2.0, 0.1]")
    core = loaded(BOX, other, cart(PICK, DROP))
    box, in_the_way = [obj for obj in core.sim_objects if obj not in core.agents]
    steps(core, 100)
    assert box.is_attached()
    in_the_way.set_pose_raw([0.0, 3.0, 0.1], [0.0, 0.0, 0.0, 1.0])
    steps(core, 60)
    assert not box.is_attached()
    assert box.get_pose().position == pytest.approx((0.0, 2.0, 0.1), abs=1e-6)


def test_a_program_that_does_not_repeat_ends(loaded):
    text = cart("{type: move, path: [[1.0, 0.0, 0.15]]}").replace(
        "actions:", "repeat: false, actions:"
    )
    core = loaded(text)
    steps(core, 40)
    (robot,) = core.agents
    assert robot.get_pose().position[:2] == pytest.approx((1.0, 0.0), abs=0.05)
    robot.set_pose_raw([0.0, 0.0, 0.15], [0.0, 0.0, 0.0, 1.0])
    steps(core, 40)
    assert robot.get_pose().position[:2] == pytest.approx((0.0, 0.0), abs=1e-9)


def test_a_door_opens_for_a_cart_and_closes_behind_it(loaded):
    core = loaded(
        DOOR,
        cart(
            "{type: wait, duration: 1.0}",
            "{type: move, path: [[2.0, -0.5, 0.15]]}",
            "{type: move, path: [[5.0, 0.0, 0.15]]}",
            "{type: wait, duration: 60.0}",
        ),
    )
    door, _ = core.agents
    seen = [door.door_state]
    for _ in range(120):
        core.step_once()
        if door.door_state is not seen[-1]:
            seen.append(door.door_state)
    assert [state.name for state in seen] == ["CLOSED", "OPENING", "OPEN", "CLOSING", "CLOSED"]


@pytest.mark.parametrize(
    ("was", "becomes", "message"),
    [
        ("distance: 1.0", "distence: 1.0", "distence"),
        ("type: automatic_door", "type: automatic", "Unknown plugin: 'automatic'"),
        ("config: {distance: 1.0", "konfig: {distance: 1.0", "konfig"),
    ],
)
def test_a_plugin_with_an_unknown_key_is_refused(loaded, was, becomes, message):
    with pytest.raises(ConfigError, match=message):
        loaded(DOOR.replace(was, becomes))


@pytest.mark.parametrize(
    "step",
    [
        {"type": "fly"},
        {"type": "wait"},
        {"type": "wait", "duration": 1.0, "colour": 1},
        {"duration": 1.0},
        "wait",
    ],
    ids=str,
)
def test_an_action_that_cannot_be_made_is_refused_before_it_is_its_turn(loaded, step):
    (robot,) = loaded(cart("{type: wait, duration: 1.0}")).agents
    with pytest.raises(InvalidArgumentError, match="actions="):
        ProgramPlugin(robot, actions=[step])


def test_doors_open_by_themselves_but_robots_do_not(loaded):
    with pytest.raises(ValueError, match="an entity of the type door"):
        loaded(CART.replace("type: program, config: {actions: [ACTIONS]}", "type: automatic_door"))
