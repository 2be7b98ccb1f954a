"""Kinematics of arms, against the way there and back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.isaac_core.functions.rotations import rot_matrix_to_quat
from unibody.isaac_core.motion import LulaKinematicsSolver, RmpFlow
from unibody.isaac_core.motion.config_loader import (
    load_supported_lula_kinematics_solver_config,
    load_supported_motion_policy_config,
)

PLANAR = """\
<robot name="two"><link name="base"/><link name="one"/><link name="two"/><link name="tip"/>
<joint name="a" type="revolute"><parent link="base"/><child link="one"/><axis xyz="0 0 1"/>
<limit lower="-3" upper="3"/></joint>
<joint name="b" type="revolute"><parent link="one"/><child link="two"/><origin xyz="1 0 0"/>
<axis xyz="0 0 1"/><limit lower="-3" upper="3"/></joint>
<joint name="c" type="fixed"><parent link="two"/><child link="tip"/><origin xyz="1 0 0"/></joint>
</robot>
"""


@pytest.fixture
def solver() -> LulaKinematicsSolver:
    return LulaKinematicsSolver(**load_supported_lula_kinematics_solver_config("UR10"))


def test_a_tip_is_where_the_closed_form_says(tmp_path: Path) -> None:
    file = tmp_path / "two.urdf"
    file.write_text(PLANAR)
    two = LulaKinematicsSolver("", str(file))
    two.set_robot_base_pose([0.0, 0.0, 2.0], [np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)])
    position, turn = two.compute_forward_kinematics("tip", [0.3, 0.4])
    x, y = np.cos(0.3) + np.cos(0.7), np.sin(0.3) + np.sin(0.7)
    assert position == pytest.approx([-y, x, 2.0])
    assert turn is not None
    assert turn[:2, 0] == pytest.approx([-np.sin(0.7), np.cos(0.7)])


def test_inverse_kinematics_reaches_what_joints_within_limits_reach(
    solver: LulaKinematicsSolver,
) -> None:
    rng = np.random.default_rng(0)
    for _ in range(5):
        wanted = rng.uniform(-2.0, 2.0, 6)
        position, turn = solver.compute_forward_kinematics("ee_link", wanted)
        assert turn is not None
        found, reached = solver.compute_inverse_kinematics(
            "ee_link", position, rot_matrix_to_quat(turn)
        )
        assert reached
        again, _ = solver.compute_forward_kinematics("ee_link", found)
        assert again == pytest.approx(position, abs=solver.get_default_position_tolerance())
        low, high = solver.get_cspace_position_limits()
        assert (found >= low).all()
        assert (found <= high).all()


def test_a_target_out_of_reach_is_not_reached(solver: LulaKinematicsSolver) -> None:
    solver.set_default_cspace_seeds(np.zeros((1, 6)))
    assert not solver.compute_inverse_kinematics("ee_link", [3.0, 0.0, 0.5])[1]


def test_motion_goes_to_its_target_at_bounded_speed() -> None:
    settings = load_supported_motion_policy_config("UR10", "RMPflow")
    policy = RmpFlow(**settings)
    policy.set_end_effector_target(np.array([0.5, 0.5, 0.6]))
    here, nothing = policy.get_default_cspace_position_target(), np.zeros(0)
    for _ in range(300):
        there, speed = policy.compute_joint_targets(here, here * 0, nothing, nothing, 1 / 60)
        assert np.abs(there - here).max() <= np.abs(speed).max() / 60 + 1e-12
        assert np.abs(speed).max() <= 1.0 + 1e-12
        here = there
    assert policy.get_end_effector_pose(here)[0] == pytest.approx([0.5, 0.5, 0.6], abs=0.01)


def test_what_is_not_there_is_refused_by_name(solver: LulaKinematicsSolver) -> None:
    with pytest.raises(InvalidArgumentError, match="frame_name"):
        solver.compute_forward_kinematics("nose", np.zeros(6))
    with pytest.raises(NotSupportedError, match="obstacles"):
        solver.add_obstacle(object())
    with pytest.raises(InvalidArgumentError, match="robot_name"):
        load_supported_lula_kinematics_solver_config("Nobody")
