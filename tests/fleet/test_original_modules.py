"""The names of the original's modules are names of modules here."""

from __future__ import annotations

import importlib

import pytest

from tests.support.process import run_python
from unibody.fleet import original_modules

ORIGINAL = [
    "_defaults",
    "action",
    "action_parser",
    "agent",
    "agent_behavior_tree",
    "agent_manager",
    "agent_plugin",
    "behavior_tree",
    "behavior_tree_core",
    "camera_controller",
    "cli",
    "commands",
    "config_utils",
    "controller",
    "controller_params",
    "controllers.batch_base",
    "controllers.batch_differential",
    "controllers.batch_omni",
    "controllers.patrol_controller",
    "controllers.random_walk_controller",
    "core_simulation",
    "data_monitor",
    "devices.door",
    "devices.elevator",
    "devices.elevator_motion_adapter",
    "devices.elevator_state_machine",
    "entity_registry",
    "events",
    "fleet_api",
    "geometry",
    "gui_commands",
    "logging_utils",
    "plugin_utils",
    "plugins.battery_plugin",
    "plugins.workcell_plugin",
    "recorder",
    "robot_models",
    "sdf_loader",
    "sim_object",
    "sim_plugin",
    "states",
    "tools",
    "types",
    "usd_loader",
    "worker_behavior_tree",
    "world_loader",
]
"""The public modules of pybullet-fleet 0.8.0, by name."""


@pytest.mark.parametrize("name", ORIGINAL)
def test_a_module_of_the_original_is_importable_by_its_name(name):
    assert importlib.import_module(f"unibody.fleet.{name}").__doc__


def test_a_module_has_one_state_under_both_names():
    for name, place in original_modules.MODULES.items():
        meant = importlib.import_module(f"unibody.fleet.{place}")
        assert importlib.import_module(f"unibody.fleet.{name}") is meant


def test_scripts_import_modules_of_the_original_in_every_form():
    program = (
        "from unibody.cli import aliases; aliases.install()\n"
        "from pybullet_fleet import agent, tools\n"
        "import pybullet_fleet.core_simulation as core\n"
        "from pybullet_fleet.sim_object import SimObject\n"
        "assert issubclass(agent.Agent, SimObject) and tools.grid_to_world\n"
        "import pybullet_fleet\n"
        "assert pybullet_fleet.core_simulation is core\n"
        "try:\n    import pybullet_fleet.no_such_module\n"
        "except ModuleNotFoundError:\n    print('refused')\n"
    )
    done = run_python(["-c", program])
    assert (done.returncode, done.stdout) == (0, "refused\n"), done.stderr


def test_the_command_of_the_original_runs_as_a_module():
    done = run_python(["-m", "unibody.fleet.cli", "examples"])
    assert done.returncode == 0, done.stderr
    assert "demo" in done.stdout
