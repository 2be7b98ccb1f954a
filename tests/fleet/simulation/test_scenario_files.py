"""What is wrong in a scenario file is said in one error, with its line and what is allowed."""

from __future__ import annotations

import re

import pytest

from unibody import bullet, fleet
from unibody.errors import AssetError
from unibody.fleet.parameters.yaml_reader import ConfigError

SCENARIO = """\
simulation:
  gui: false
  monitor: false
  physics: false
  timestep: 0.05
entities:
  - name: left
    urdf_path: mobile_robot
    pose: [0, 0, 0.1]
    controller: {type: omni, max_linear_vel: 1.0}
  - name: right
    urdf_path: mobile_robot
    pose: [3, 0, 0.1]
"""


def load(tmp_path, text):
    path = tmp_path / "scenario.yaml"
    path.write_text(text)
    return fleet.MultiRobotSimulationCore.from_yaml(str(path))


def test_a_right_file_spawns_its_entities(tmp_path):
    core = load(tmp_path, SCENARIO)
    assert [obj.name for obj in core.sim_objects] == ["left", "right"]
    bullet.disconnect(core.client)


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("  physics", "  phisics", 4, r"unknown key 'phisics'.*Did you mean 'physics'"),
        ("    pose: [0", "    poze: [0", 9, r"unknown key 'poze'.*Did you mean 'pose'.*Allowed"),
        ("max_linear_vel", "max_linear_val", 10, r"Did you mean 'max_linear_vel'"),
        ("entities:", "entitys:", 6, r"unknown key 'entitys'.*Allowed.*entities"),
        ("timestep: 0.05", "timestep: -1", 5, r"timestep=-1.*expected a number > 0"),
        ("_vel: 1.0", "_vel: -1.0", 10, r"max_linear_vel=-1.0.*expected a number >= 0"),
        ("type: omni, max_linear_vel: 1", "max_linear_vel: -1", 10, r"max_linear_vel=-1.0.*>= 0"),
        ("type: omni", "type: omnii", 10, r"Unknown controller: 'omnii'. Available:.*'omni'"),
        ("_path: mobile_robot", "_path: mobile_robt", 8, r"mobile_robt.*Available.*mobile_robot"),
        ("_path: mobile_robot", "_path: no/file.urdf", 8, r"no/file.urdf.*no such file"),
        ("pose: [3, 0", "pose: [3, x", 13, r"pose=\[3, 'x', 0.1\].*expected \[x, y, z\]"),
        ("pose: [3", "pose: [0.1", 13, r"'right' overlaps 'left' of .*:7.*collision_mode"),
        ("  - name: left", "  - name: left\n    type: agnt", 8, r"'agnt'.*Available.*'agent'"),
        ("  - name: left", "  - name: left\n    mass: -1", 8, r"mass=-1.*number >= 0"),
    ],
)
def test_a_mistake_is_named_with_its_line_and_what_is_allowed(tmp_path, old, new, line, said):
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, SCENARIO.replace(old, new, 1))
    message = str(caught.value)
    assert f"scenario.yaml:{line}:" in message
    assert re.search(said, message)
    assert not bullet.isConnected(0)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("simulation: 5\n", r":1: simulation .*expected a mapping"),
        ("entities:\n  - 5\n", r":1: entities .*expected a list of mappings"),
        ("- 1\n- 2\n", r"expected a mapping, got list"),
        ("a: [1\n", r"not YAML"),
        ("a: " + "[" * 500 + "]" * 500, r"nested deeper"),
    ],
)
def test_a_file_of_another_shape_is_refused(tmp_path, text, said):
    with pytest.raises(ConfigError, match=said):
        load(tmp_path, text)


def test_a_grid_without_spacing_is_refused(tmp_path):
    grid = "    grid: {count: 4, columns: 2, spacing: [0, 0, 0]}\n"
    with pytest.raises(ConfigError, match=r"spacing=\[0, 0, 0\] lets 4 objects spawn in 1"):
        load(tmp_path, SCENARIO.replace("    pose: [3, 0, 0.1]\n", grid))


def test_entities_that_touch_or_do_not_collide_are_allowed(tmp_path):
    box = "    visual_shape: {shape_type: box, half_extents: [0.5, 0.5, 0.5]}\n"
    box += "    collision_shape: {shape_type: box, half_extents: [0.5, 0.5, 0.5]}\n"
    text = f"simulation: {{gui: false, monitor: false}}\nentities:\n  - name: a\n    mass: 0\n{box}"
    text += f"    pose: [0, 0, 0.5]\n  - name: b\n    mass: 0\n{box}    pose: [0, 0, 1.5]\n"
    text += (
        f"  - name: ghost\n    mass: 0\n{box}    pose: [0, 0, 1]\n    collision_mode: disabled\n"
    )
    core = load(tmp_path, text)
    assert len(core.sim_objects) == 3
    bullet.disconnect(core.client)


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("gui: false", "gui: off course", 2, r"gui='off course' is not allowed.*True or False"),
        ("gui: false", "window_width: []", 2, r"window_width=\[\] .*a whole number"),
        ("name: left", "type: [agent]", 7, r"Unknown entity type: \['agent'\]"),
        ("pose: [3, 0, 0.1]", "pose: [3, 0, 0.1]\n    plugins: 3", 14, r"plugins|iterable"),
        ("pose: [3, 0, 0.1]", "pose: [3, 0, 0.1]\n    user_data: 1", 14, r"user_data=1 .*dict"),
        ("pose: [3, 0, 0.1]", "pose: [3, 0, 0.1]\n    mass: abc", 14, r"mass='abc'"),
    ],
)
def test_a_value_of_another_kind_is_named_with_file_and_line(tmp_path, old, new, line, said):
    with pytest.raises(ConfigError, match=r"scenario\.yaml:\d+: .*") as caught:
        load(tmp_path, SCENARIO.replace(old, new))
    assert re.search(said, str(caught.value))
    if "plugins" not in new:
        assert f"scenario.yaml:{line}:" in str(caught.value)


def test_a_manager_of_a_file_may_have_a_batch_controller_and_no_agents(tmp_path):
    text = SCENARIO + "managers:\n  - name: fleet\n    fleet_controller: {type: batch_omni}\n"
    core = load(tmp_path, text)
    core.step_once()
    assert core.get_manager("fleet").batch_controller.agents == []
    bullet.disconnect(core.client)


def test_a_world_that_cannot_be_read_is_named_with_the_scenario(tmp_path):
    (tmp_path / "broken.sdf").write_text("no world")
    text = f"{SCENARIO}world:\n  sdf: {tmp_path / 'broken.sdf'}\n"
    with pytest.raises(AssetError, match=r"scenario\.yaml.*broken\.sdf"):
        load(tmp_path, text)
