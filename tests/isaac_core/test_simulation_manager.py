"""SimulationManager tells which functions of the original do not exist."""

from __future__ import annotations

import pytest

from unibody.errors import NotSupportedError
from unibody.isaac_core.simulation.simulation_manager import SimulationManager


def test_functions_that_do_not_exist_name_the_nearest_that_do() -> None:
    with pytest.raises(NotSupportedError, match=r"SimulationManager\.setup_simulation.*physics_dt"):
        SimulationManager.setup_simulation(dt=1.0 / 60.0, device="cpu")
    with pytest.raises(NotSupportedError, match=r"set_solver_type.*get_physics_context"):
        SimulationManager.set_solver_type("TGS")


def test_names_that_the_original_does_not_have_are_no_attributes() -> None:
    assert not hasattr(SimulationManager, "setup_simulations")
