"""Settings of the arms that are known by name."""

from __future__ import annotations

from pathlib import Path

from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.isaac_core.assets.table import recipes

_HERE = Path(__file__).resolve().parent
# By name: the path of the asset, the settings, and the frame that moves to targets.
_ARMS = {
    "Franka": ("Isaac/Robots/Franka/franka.usd", "franka.yaml", "right_gripper"),
    "UR10": ("Isaac/Robots/UR10/ur10.usd", "ur10.yaml", "ee_link"),
}


def load_supported_lula_kinematics_solver_config(
    robot_name: str, policy_config_dir: str | None = None
) -> dict[str, str]:
    """Arguments of `LulaKinematicsSolver` for a robot.

    Args:
        robot_name: Of the robot.
        policy_config_dir: A folder of settings; None: those that are known.

    Raises:
        InvalidArgumentError: The robot is not known.
        NotSupportedError: A folder was named, or the package with the arm is not installed.
    """
    if policy_config_dir is not None:
        raise NotSupportedError("a folder of settings", "LulaKinematicsSolver with two paths")
    if robot_name not in _ARMS:
        raise InvalidArgumentError("robot_name", robot_name, f"one of {sorted(_ARMS)}")
    path, settings, _ = _ARMS[robot_name]
    source = recipes()[path].sources[0]
    file = source.found()
    if file is None:
        raise NotSupportedError(
            f"the arm {robot_name}", f"with the package {source.package} installed it is there"
        )
    return {"robot_description_path": str(_HERE / settings), "urdf_path": str(file)}


def load_supported_motion_policy_config(
    robot_name: str, policy_name: str, policy_config_dir: str | None = None
) -> dict[str, object]:
    """Arguments of `RmpFlow` for a robot; the errors are those of the solver's.

    Args:
        robot_name: Of the robot.
        policy_name: "RMPflow" or a kind of it.
        policy_config_dir: A folder of settings; None: those that are known.
    """
    if not policy_name.startswith("RMPflow"):
        raise InvalidArgumentError("policy_name", policy_name, "'RMPflow'")
    return {
        **load_supported_lula_kinematics_solver_config(robot_name, policy_config_dir),
        "rmpflow_config_path": "",
        "end_effector_frame_name": _ARMS[robot_name][2],
        "maximum_substep_size": 0.00334,
        "ignore_robot_state_updates": False,
    }


def get_supported_robots_with_lula_kinematics() -> list[str]:
    """Names of the arms that are known."""
    return sorted(_ARMS)


def get_supported_robot_policy_pairs() -> dict[str, list[str]]:
    """Policies of the arms that are known."""
    return {name: ["RMPflow"] for name in sorted(_ARMS)}
