"""The files that come with the fleet surface can be used."""

from __future__ import annotations

from pathlib import Path

import pytest

from unibody import bullet, fleet
from unibody.fleet.objects.sim_object import SimObject

FOLDER = Path(fleet.__file__).parent


@pytest.fixture
def core():
    made = fleet.MultiRobotSimulationCore(
        fleet.SimulationParams(gui=False, monitor=False, physics=False)
    )
    yield made
    bullet.disconnect(made.client)


@pytest.mark.parametrize("name", [path.name for path in sorted(FOLDER.glob("robots/*.urdf"))])
def test_every_robot_is_loaded(core, name):
    agent = fleet.Agent.from_urdf(str(FOLDER / "robots" / name), sim_core=core, use_fixed_base=True)
    core.step_once()
    assert agent.object_id == 0


def test_the_warehouse_is_loaded_as_its_five_models(core):
    objects = SimObject.from_sdf(str(FOLDER / "mesh" / "warehouse_layout.sdf"), sim_core=core)
    assert len(objects) == 5


@pytest.mark.parametrize("path", sorted(FOLDER.glob("config/*.yaml")), ids=lambda path: path.name)
def test_every_configuration_is_read(path):
    core = fleet.MultiRobotSimulationCore.from_yaml(str(path), headless=True)
    core.step_once()
    bullet.disconnect(core.client)
