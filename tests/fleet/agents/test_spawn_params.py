"""What agents are spawned from."""

from xml.etree import ElementTree

import pytest

from unibody import bullet, fleet


def test_an_agent_without_a_stated_mass_has_that_of_its_file():
    core = fleet.MultiRobotSimulationCore(
        fleet.SimulationParams(gui=False, monitor=False, physics=True, log_level="ERROR")
    )
    params = fleet.AgentSpawnParams(urdf_path="arm_robot", mass=None, use_fixed_base=True)
    agent = fleet.Agent.from_params(params, sim_core=core)
    bullet.disconnect(core.client)
    stated = [float(mass.get("value")) for mass in ElementTree.parse(agent.urdf_path).iter("mass")]
    assert len(stated) > 2
    assert agent.mass == pytest.approx(sum(stated))
