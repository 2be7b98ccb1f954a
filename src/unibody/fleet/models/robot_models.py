"""Where models are: by name in several tiers, and what kind of robot they are.

Tiers: ``local`` (bundled here), ``pybullet_data`` (that package, or our models of the same names),
``ros`` (installed ROS packages), ``robot_descriptions`` and ``example_robot_data`` (packages of
those names), and ``user``.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from unibody import sample_assets
from unibody.core.assets.load import format_of
from unibody.fleet.bodies.assets import asset_folders, read_sdf, read_urdf
from unibody.fleet.bodies.templates import (
    JOINT_PRISMATIC,
    JOINT_REVOLUTE,
    BodyTemplate,
    template_of,
)
from unibody.fleet.foundation.loggers import LazyLogger, get_lazy_logger
from unibody.fleet.models.ros_models import resolve_ros

logger: LazyLogger = get_lazy_logger("pybullet_fleet.robot_models")
_PROJECT_ROOT = os.path.dirname(os.path.dirname(__file__))
_SUFFIXES = (".urdf", ".sdf")


@dataclass(frozen=True)
class ModelEntry:
    """Where a model is.

    Attributes:
        rel_path: Path in its tier.
        tier: The tier.
        install_hint: How to get it.
        xacro_args: Arguments, if it is made with xacro.
    """

    rel_path: str
    tier: str
    install_hint: str = ""
    xacro_args: str = ""


_LOCAL = ("mobile_robot", "arm_robot", "simple_cube", "mobile_manipulator", "rail_arm_robot")
_BULLET = {
    "panda": "franka_panda/panda.urdf",
    "kuka_iiwa": "kuka_iiwa/model.urdf",
    "husky": "husky/husky.urdf",
    "racecar": "racecar/racecar.urdf",
    "table": "table/table.urdf",
    "tray": "tray/tray.urdf",
    "plane": "plane.urdf",
    "a1": "a1/a1.urdf",
    "laikago": "laikago/laikago.urdf",
    "aliengo": "aliengo/aliengo.urdf",
    "mini_cheetah": "mini_cheetah/mini_cheetah.urdf",
    "minitaur": "quadruped/minitaur.urdf",
    "xarm6": "xarm/xarm6_with_gripper.urdf",
    "wsg50_gripper": "gripper/wsg50_one_motor_gripper_new.sdf",
    "kiva_shelf": "kiva_shelf/model.sdf",
    "table_square": "table_square/table_square.urdf",
    "domino": "domino/domino.urdf",
    "jenga": "jenga/jenga.urdf",
    "lego": "lego/lego.urdf",
    "mug": "objects/mug.urdf",
}
_UR5E = "ur_type:=ur5e name:=ur5e safety_limits:=true safety_pos_margin:=0.15 safety_k_position:=20"
_ROS = {
    "ur5e": ("ur_description/urdf/ur.urdf.xacro", "ur-description", _UR5E),
    "turtlebot3_burger": (
        "turtlebot3_description/urdf/turtlebot3_burger.urdf", "turtlebot3-description", "",
    ),
    "turtlebot3_waffle": (
        "turtlebot3_description/urdf/turtlebot3_waffle.urdf", "turtlebot3-description", "",
    ),
    "fetch": ("fetch_description", "fetch-description", ""),
}  # fmt: skip
_PIP = "pip install robot_descriptions"
KNOWN_MODELS: dict[str, ModelEntry] = {
    **{name: ModelEntry(f"robots/{name}.urdf", "local") for name in _LOCAL},
    **{name: ModelEntry(path, "pybullet_data") for name, path in _BULLET.items()},
    **{
        name: ModelEntry(path, "ros", f"apt install ros-${{ROS_DISTRO}}-{package}", args)
        for name, (path, package, args) in _ROS.items()
    },
    "tiago": ModelEntry("tiago_description", "robot_descriptions", _PIP),
    "pr2": ModelEntry("pr2_description", "robot_descriptions", _PIP),
}
"""Models by name."""
_user_search_paths: list[str] = []


# --- names ---------------------------------------------------------------------------------------


def add_search_path(directory: str) -> None:
    """Look for names in a folder, before anywhere else; once more is no error.

    Raises:
        ValueError: There is no such folder.
    """
    folder = os.path.abspath(directory)
    if not os.path.isdir(folder):
        raise ValueError(f"Search path does not exist: {folder}")
    if folder not in _user_search_paths:
        _user_search_paths.append(folder)


def remove_search_path(directory: str) -> None:
    """Undo that; an unknown folder is no error."""
    folder = os.path.abspath(directory)
    if folder in _user_search_paths:
        _user_search_paths.remove(folder)


def get_search_paths() -> list[str]:
    """The folders, in their order."""
    return list(_user_search_paths)


def register_model(name: str, path_or_entry: str | ModelEntry, *, force: bool = False) -> None:
    """Give a model a name.

    Raises:
        ValueError: The name is taken, and ``force`` is not set.
    """
    if name in KNOWN_MODELS and not force:
        raise ValueError(
            f"Model '{name}' is already registered (tier={KNOWN_MODELS[name].tier}). "
            "Use force=True to overwrite."
        )
    stated = isinstance(path_or_entry, ModelEntry)
    KNOWN_MODELS[name] = path_or_entry if stated else ModelEntry(path_or_entry, "user")


def unregister_model(name: str) -> None:
    """Take a name off; an unknown one is no error."""
    KNOWN_MODELS.pop(name, None)


def resolve_model(name_or_path: str) -> str:
    """The file of a model, by name or path; a path may also be that of a bundled model.

    Raises:
        FileNotFoundError: There is no model of that name.
    """
    if "/" in name_or_path or os.sep in name_or_path or name_or_path.endswith(_SUFFIXES):
        if os.path.isabs(name_or_path) or os.path.isfile(name_or_path):
            return name_or_path
        bundled = os.path.normpath(os.path.join(_PROJECT_ROOT, name_or_path))
        return bundled if os.path.isfile(bundled) else name_or_path
    for folder in _user_search_paths:
        for suffix in _SUFFIXES:
            candidate = os.path.join(folder, name_or_path + suffix)
            if os.path.isfile(candidate):
                return candidate
    entry = KNOWN_MODELS.get(name_or_path)
    if entry is not None:
        return _resolve_entry(name_or_path, entry)
    for scan in (_scan_pybullet_data, _scan_robot_descriptions, _scan_example_robot_data):
        found = scan().get(name_or_path)
        if found is not None:
            return found
    available = ", ".join(sorted(KNOWN_MODELS))
    raise FileNotFoundError(f"Unknown robot model '{name_or_path}'. Available models: {available}")


def resolve_urdf(name_or_path: str) -> str:
    """`resolve_model` under its older name."""
    return resolve_model(name_or_path)


def _resolve_entry(name: str, entry: ModelEntry) -> str:
    if entry.tier == "user":
        return entry.rel_path
    if entry.tier == "local":
        path = os.path.normpath(os.path.join(_PROJECT_ROOT, entry.rel_path))
        if os.path.isfile(path):
            return path
        raise FileNotFoundError(f"Local URDF not found: {path}")
    if entry.tier == "pybullet_data":
        candidates = [os.path.join(folder, entry.rel_path) for folder in asset_folders()]
        found = next((path for path in candidates if os.path.isfile(path)), candidates[0])
        sample_assets.tell_of_stand_in(found)
        return found
    if entry.tier == "ros":
        return resolve_ros(name, entry.rel_path, entry.install_hint, entry.xacro_args)
    if entry.tier == "robot_descriptions":
        return _resolve_description(name, entry)
    raise FileNotFoundError(f"Unknown tier '{entry.tier}' for model '{name}'")


def _resolve_description(name: str, entry: ModelEntry) -> str:
    try:
        module = importlib.import_module(f"robot_descriptions.{entry.rel_path}")
    except ImportError as problem:
        raise FileNotFoundError(
            f"Robot '{name}' requires the robot_descriptions package. Install with: "
            f"{entry.install_hint}"
        ) from problem
    except Exception as problem:  # these modules fetch repositories when they are imported
        raise FileNotFoundError(f"Robot '{name}' cannot be fetched: {problem}") from problem
    path = getattr(module, "URDF_PATH", None)
    if path and os.path.isfile(path):
        return path
    raise FileNotFoundError(f"URDF_PATH not found in robot_descriptions.{entry.rel_path}")


# --- discovery -----------------------------------------------------------------------------------


def _scan_pybullet_data() -> dict[str, str]:
    found: dict[str, str] = {}
    for folder in asset_folders():
        for root, _, files in os.walk(folder):
            for name in files:
                if name.endswith(_SUFFIXES):
                    found.setdefault(os.path.splitext(name)[0], os.path.join(root, name))
    return found


def _description_modules() -> Iterator[str]:
    spec = importlib.util.find_spec("robot_descriptions")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        for path in sorted(Path(folder).glob("[!_]*_description.py")):
            if not path.stem.endswith("_mj_description"):
                yield path.stem


def _scan_robot_descriptions() -> dict[str, str]:
    found: dict[str, str] = {}
    for stem in _description_modules():
        try:
            module = importlib.import_module(f"robot_descriptions.{stem}")
        except Exception:
            continue
        path = getattr(module, "URDF_PATH", None)
        if path and os.path.isfile(path):
            found[stem.removesuffix("_description")] = path
    return found


def _scan_example_robot_data() -> dict[str, str]:
    found: dict[str, str] = {}
    spec = importlib.util.find_spec("example_robot_data")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        for path in sorted(Path(folder).rglob("*.urdf")):
            found.setdefault(path.stem, str(path))
    return found


_SCANS = {
    "pybullet_data": _scan_pybullet_data,
    "robot_descriptions": _scan_robot_descriptions,
    "example_robot_data": _scan_example_robot_data,
}


def discover_models(tier: str) -> dict[str, str]:
    """All models of a tier that can be searched, by name.

    Raises:
        ValueError: Another tier.
    """
    if tier not in _SCANS:
        supported = ", ".join(f"'{name}'" for name in _SCANS)
        raise ValueError(f"Unknown tier '{tier}'. Supported: {supported}")
    return _SCANS[tier]()


def list_all_models() -> dict[str, dict[str, Any]]:
    """All named models: tier, whether they are there, and where or why not."""
    result: dict[str, dict[str, Any]] = {}
    for name, entry in KNOWN_MODELS.items():
        described: dict[str, Any] = {"tier": entry.tier, "available": False}
        try:
            described["path"] = resolve_model(name)
            described["available"] = os.path.isfile(described["path"])
        except OSError as problem:
            described["error"] = str(problem)
        result[name] = described
    return result


# --- profiles ------------------------------------------------------------------------------------


@dataclass
class RobotProfile:
    """What a robot can do.

    Attributes:
        urdf_path: Its file, or the name of its base link.
        robot_type: "arm", "mobile", "mobile_manipulator", "quadruped", "object" or "unknown".
        ee_link_name: Its end effector.
        movable_joint_names: Joints with limits, and prismatic ones.
        joint_lower_limits: Of those [rad or m].
        joint_upper_limits: Of those [rad or m].
        joint_max_velocities: Of those [rad/s or m/s].
        num_joints: All joints.
        arm_reach: Farthest the end effector was from the base in a few poses [m].
        ee_link_index: Number of the end effector; -1 without one.
    """

    urdf_path: str
    robot_type: str = "unknown"
    ee_link_name: str | None = None
    movable_joint_names: list[str] = field(default_factory=list)
    joint_lower_limits: list[float] = field(default_factory=list)
    joint_upper_limits: list[float] = field(default_factory=list)
    joint_max_velocities: list[float] = field(default_factory=list)
    num_joints: int = 0
    _movable_joint_indices: list[int] = field(default_factory=list)
    arm_reach: float | None = None
    ee_link_index: int = -1

    @property
    def movable_joint_indices(self) -> list[int]:
        """Numbers of the movable joints."""
        return list(self._movable_joint_indices)

    def make_joint_targets(self, fractions: list[float], agent: Any) -> list[float]:
        """A target for each joint of an agent, from shares of the ranges of the movable ones.

        Args:
            fractions: -1 is the lower limit, 0 the middle, 1 the upper limit.
            agent: The agent.
        """
        targets = [0.0] * len(getattr(agent, "joint_info", []))
        ranges = zip(self.joint_lower_limits, self.joint_upper_limits, strict=True)
        for share, (low, high), index in zip(
            fractions, ranges, self._movable_joint_indices, strict=False
        ):
            if index < len(targets):
                targets[index] = 0.5 * (low + high) + share * 0.5 * (high - low)
        return targets


_EE_KEYWORDS = ("hand", "ee", "end_effector", "tool", "gripper", "tcp")
_LEG_KEYWORDS = (
    "hip", "thigh", "calf", "knee", "foot", "shin", "ankle", "shank", "abduct",
)  # fmt: skip
_LEG_SIDES = (
    "fr", "fl", "rr", "rl", "hr", "hl", "front_left", "front_right", "rear_left", "rear_right",
    "lf", "rf", "lb", "rb",
)  # fmt: skip
_LEGS = 4


def _template(body_id: int, physics_client: int) -> BodyTemplate:
    from unibody.fleet.bodies.physics_world import physics_world_of

    return physics_world_of(physics_client).template(body_id)


def detect_robot_type(body_id: int, physics_client: int) -> str:
    """What kind of robot a loaded body is; see `RobotProfile`."""
    return _kind(_template(body_id, physics_client))


def _kind(template: BodyTemplate) -> str:
    infos = template.joint_infos
    if not infos:
        return "object"
    names = [info[12].decode().lower() for info in infos]
    if any(word in name for name in names for word in _LEG_KEYWORDS):
        sides = {side for name in names for side in _LEG_SIDES if side in name}
        if len(sides) >= _LEGS:
            return "quadruped"
    turning = [info for info in infos if info[2] == JOINT_REVOLUTE]
    wheels = any(info[8] >= info[9] for info in turning)
    sliding = any(info[2] == JOINT_PRISMATIC for info in infos)
    arm = sliding or any(info[8] < info[9] for info in turning)
    if arm and wheels:
        return "mobile_manipulator"
    if arm:
        return "arm"
    return "mobile" if wheels else "unknown"


def auto_detect_profile(
    urdf_path_or_body_id: str | int, physics_client: int, **overrides: Any
) -> RobotProfile:
    """What a robot can do.

    Args:
        urdf_path_or_body_id: A loaded body, or a file.
        physics_client: The client the body is in.
        overrides: Fields of the profile to set.

    Raises:
        FileNotFoundError: An SDF file without a model.
    """
    if not isinstance(urdf_path_or_body_id, (str, os.PathLike)):
        template = _template(int(urdf_path_or_body_id), physics_client)
        path = template.asset.links[0].name or "unknown"
    else:
        path = urdf_path_or_body_id
        warnings.warn(
            "auto_detect_profile(str) reads the file again. Prefer passing a body_id (int) for "
            "already-loaded bodies.",
            stacklevel=2,
        )
        entry = format_of(path)
        if entry is not None and entry.name == "sdf":
            assets = read_sdf(path, 1.0)
            if not assets:
                raise FileNotFoundError(f"SDF file loaded no bodies: {path}")
            template = template_of(assets[0])
        else:
            template = template_of(read_urdf(path))
    profile = _profile(template, path)
    for name, value in overrides.items():
        if hasattr(profile, name):
            setattr(profile, name, value)
        else:
            logger.warning("Unknown RobotProfile field: %s", name)
    return profile


def _is_bounded(info: Any) -> bool:
    return info[2] == JOINT_PRISMATIC or (info[2] == JOINT_REVOLUTE and info[8] < info[9])


def _profile(template: BodyTemplate, path: str) -> RobotProfile:
    movable = [info for info in template.joint_infos if _is_bounded(info)]
    kind = _kind(template)
    effector = None if kind in ("mobile", "quadruped") else _end_effector(template, bool(movable))
    reach = None
    if kind in ("arm", "mobile_manipulator") and effector is not None:
        reach = _reach(template, movable, effector) or None
    return RobotProfile(
        urdf_path=path,
        robot_type=kind,
        ee_link_name=None if effector is None else effector[12].decode(),
        movable_joint_names=[info[1].decode() for info in movable],
        joint_lower_limits=[float(info[8]) for info in movable],
        joint_upper_limits=[float(info[9]) for info in movable],
        joint_max_velocities=[float(info[11]) for info in movable],
        num_joints=template.joint_count,
        _movable_joint_indices=[info[0] for info in movable],
        arm_reach=reach,
        ee_link_index=-1 if reach is None or effector is None else effector[0],
    )


def _end_effector(template: BodyTemplate, movable: bool) -> Any:
    infos = template.joint_infos
    for info in infos:
        if any(word in info[12].decode().lower() for word in _EE_KEYWORDS):
            return info
    parents = {info[16] for info in infos}
    if not movable:
        return None
    leaves = (info for info in reversed(infos) if info[0] not in parents)
    return next((info for info in leaves if _is_bounded(info)), None)


def _reach(template: BodyTemplate, movable: list[Any], effector: Any) -> float:
    """Farthest distance of the end effector from the base in a few poses [m]."""
    import numpy as np

    from unibody.fleet.bodies import bounding_boxes
    from unibody.fleet.bodies.tables import Tables
    from unibody.fleet.convert import quat_apply

    low = [float(info[8]) for info in movable]
    high = [float(info[9]) for info in movable]
    middle = [0.5 * (a + b) for a, b in zip(low, high, strict=True)]
    swing = [b if i % 2 == 0 else a for i, (a, b) in enumerate(zip(low, high, strict=True))]
    swung = [a if i % 2 == 0 else b for i, (a, b) in enumerate(zip(low, high, strict=True))]
    tables = Tables(1)
    row, body = tables.bodies.take(), tables.bodies.data
    body["com"][row, :3], body["com"][row, 3:] = template.com
    body["quat"][row] = (0.0, 0.0, 0.0, 1.0)
    body["template"][row] = template.row
    first = body["joint"][row] = tables.joints.take(template.joint_count)
    farthest = 0.0
    com = np.asarray(template.link_com(effector[0])[0])
    for pose in ([0.0] * len(movable), middle, high, low, swing, swung):
        for info, value in zip(movable, pose, strict=True):
            tables.joints.data[first + info[0], 0] = value
        frame = bounding_boxes.link_frames(tables, row, template.joint_count + 1)[effector[0] + 1]
        point = frame[:3] + np.asarray(quat_apply(frame[3:].tolist(), com.tolist()))
        farthest = max(farthest, float(np.linalg.norm(point)))
    return farthest
