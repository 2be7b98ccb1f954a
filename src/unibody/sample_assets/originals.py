"""The models of `pybullet_data` without PyBullet: where they are, and how they get there."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

FOLDER = "UNIBODY_DATA"
"""Environment variable: the folder that data are kept in, in place of that of the user."""

GET = "unibody data install"
_PACKAGE = "pybullet_data"
# One wheel, whatever this machine is: the models are the same in all.
_WHEEL = (
    "pybullet==3.2.7", "--no-deps", "--only-binary=:all:", "--platform", "manylinux2014_x86_64",
    "--implementation", "cp", "--python-version", "3.11", "--abi", "cp311",
)  # fmt: skip
_FOLDERS = frozenset({
    "a1", "aliengo", "bicycle", "biped", "configs", "differential", "domino", "franka_panda",
    "gripper", "heightmaps", "humanoid", "husky", "jenga", "kiva_shelf", "kuka_iiwa", "laikago",
    "lego", "mini_cheetah", "mjcf", "objects", "quadruped", "racecar", "random_urdfs", "roboschool",
    "table", "table_square", "torus", "toys", "tray", "urdf", "xarm",
})  # fmt: skip
_FILES = frozenset({
    "TwoJointRobot_w_fixedJoints.urdf", "TwoJointRobot_wo_fixedJoints.urdf", "block.urdf",
    "cartpole.urdf", "cloth_z_up.urdf", "cube.urdf", "cube_collisionfilter.urdf",
    "cube_no_rotation.urdf", "cube_rotate.urdf", "cube_small.urdf", "duck_vhacd.urdf",
    "pendulum5.urdf", "plane.urdf", "plane100.urdf", "plane_implicit.urdf", "plane_stadium.sdf",
    "plane_transparent.urdf", "pr2_gripper.urdf", "r2d2.urdf", "samurai.urdf", "soccerball.urdf",
    "sphere2.urdf", "sphere2red.urdf", "sphere2red_nocol.urdf", "sphere8cube.urdf",
    "sphere_1cm.urdf", "sphere_small.urdf", "sphere_transparent.urdf",
    "sphere_with_restitution.urdf", "spherical_joint_limit.urdf", "stadium.sdf",
    "stadium_no_collision.sdf", "teddy_large.urdf", "teddy_vhacd.urdf", "torus_deform.urdf",
})  # fmt: skip


class DownloadError(Exception):
    """The models cannot be fetched; the message is for the user."""


def home() -> Path:
    """The folder that data of this user are kept in; it need not be there."""
    named = os.environ.get(FOLDER)
    if named:
        return Path(named)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "unibody"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "unibody"


def installed() -> Path | None:
    """The folder of the package ``pybullet_data``, where the user has it; nothing is imported."""
    try:
        spec = importlib.util.find_spec(_PACKAGE)
    except (ImportError, ValueError):
        return None
    folder = Path(spec.origin).parent if spec is not None and spec.origin else None
    return folder if folder and (folder / "franka_panda").is_dir() else None


def downloaded() -> Path | None:
    """The folder that `install` made, or None."""
    folder = home() / _PACKAGE
    return folder if folder.is_dir() else None


def folder() -> Path | None:
    """Where the models are, or None: as installed with PyBullet, or as downloaded."""
    return installed() or downloaded()


def install() -> Path:
    """Fetch the models with pip; PyBullet itself is left in the wheel.

    Returns:
        The folder.

    Raises:
        DownloadError: There is no pip, or the index does not give the wheel.
        OSError: The folder cannot be written.
    """
    target = home() / _PACKAGE
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as name:
        command = [*_pip(), "download", "--disable-pip-version-check", "-d", name, *_WHEEL]
        if subprocess.run(command, check=False).returncode:
            raise DownloadError(
                "pip did not get the wheel of PyBullet that holds the models; its message is above"
            )
        (wheel,) = Path(name).glob("*.whl")
        fresh = Path(name) / "unpacked"
        with zipfile.ZipFile(wheel) as archive:
            for entry in archive.infolist():
                if _is_model(entry.filename):
                    archive.extract(entry, fresh)  # which keeps names below the folder
        if target.exists():
            shutil.rmtree(target)
        (fresh / _PACKAGE).rename(target)
    return target


def _pip() -> list[str]:
    """The command of pip: of this environment, else any that there is.

    Raises:
        DownloadError: There is none.
    """
    if importlib.util.find_spec("pip") is not None:
        return [sys.executable, "-m", "pip"]
    found = shutil.which("pip3") or shutil.which("pip")
    if found is None:
        raise DownloadError(f"there is no pip here: {sys.executable} -m ensurepip, then once more")
    return [found]


def remove() -> Path | None:
    """Delete what `install` made; the folder, or None if there was none."""
    found = downloaded()
    if found is not None:
        shutil.rmtree(found)
    return found


def _is_model(name: str) -> bool:
    return name.startswith(f"{_PACKAGE}/") and not name.endswith((".py", "/"))


def is_known(name: str) -> bool:
    """Whether a name that is given to a load call is one of ``pybullet_data``."""
    first, *rest = name.replace("\\", "/").removeprefix("./").split("/")
    return first in _FOLDERS if rest else first in _FILES


def hint(name: str, command: str = "") -> str:
    """How to get at a model that was not found; "" if nothing is known of it.

    Args:
        name: Of the file, as PyBullet's scripts have it.
        command: That was given the name; "": a script was.
    """
    if not is_known(name):
        return ""
    found = folder()
    if found is not None and (found / name).is_file():
        if command:
            return f"; PyBullet's is there: {command} {found / name}"
        return f"; it is in {found}: setAdditionalSearchPath(pybullet_data.getDataPath())"
    own = Path(__file__).parent
    if (own / name).is_file():
        if command:
            return f"; a simple model of ours is there: {command} {own / name}"
        return "; setAdditionalSearchPath(pybullet_data.getDataPath()) makes it found"
    return f"; it is one of the models of PyBullet: {GET}" if found is None else ""
