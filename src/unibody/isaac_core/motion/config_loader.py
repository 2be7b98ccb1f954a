"""Settings of the arms that are known by name."""

from __future__ import annotations

from pathlib import Path

from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.isaac_core.assets.table import recipes

_HERE = Path(__file__).resolve().parent
_POLICY = "RMPflow"
# By name: the path of the asset, the settings, and by policy the frame that moves to targets.
_ARMS = {
    "Cobotta_Pro_900": (
        "Isaac/Robots/Denso/CobottaPro900/cobotta_pro_900.usd",
        "cobotta_pro_900.yaml",
        {_POLICY: "gripper_center"},
    ),
    "Franka": ("Isaac/Robots/Franka/franka.usd", "franka.yaml", {_POLICY: "right_gripper"}),
    "UR10": (
        "Isaac/Robots/UR10/ur10.usd",
        "ur10.yaml",
        {_POLICY: "ee_link", "RMPflowSuction": "ee_suction_link"},
    ),
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
        policy_name: "RMPflow", or another one that `get_supported_robot_policy_pairs` lists.
        policy_config_dir: A folder of settings; None: those that are known.
    """
    paths = load_supported_lula_kinematics_solver_config(robot_name, policy_config_dir)
    frames = _ARMS[robot_name][2]
    if policy_name not in frames:
        raise InvalidArgumentError("policy_name", policy_name, f"one of {sorted(frames)}")
    return {
        **paths,
        "rmpflow_config_path": "",
        "end_effector_frame_name": frames[policy_name],
        "maximum_substep_size": 0.00334,
        "ignore_robot_state_updates": False,
    }


def get_supported_robots_with_lula_kinematics() -> list[str]:
    """Names of the arms that are known."""
    return sorted(_ARMS)


def get_supported_robot_policy_pairs() -> dict[str, list[str]]:
    """Policies of the arms that are known."""
    return {name: sorted(_ARMS[name][2]) for name in sorted(_ARMS)}
