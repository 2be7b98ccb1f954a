"""Small robot files for tests of assets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from unibody.isaacgym import gymapi
from unibody.isaacgym.models.loading import load_model
from unibody.isaacgym.models.model import Model

BOX = '<collision><geometry><box size="1 1 1"/></geometry></collision>'


def link(name: str, inside: str = "", mass: float | None = 1.0) -> str:
    """A URDF link, with unit inertia where it has a mass."""
    inertia = '<inertia ixx="1" iyy="1" izz="1"/>'
    inertial = "" if mass is None else f'<inertial><mass value="{mass}"/>{inertia}</inertial>'
    return f'<link name="{name}">{inertial}{inside}</link>'


def joint(name: str, parent: str, child: str, kind: str = "revolute", inside: str = "") -> str:
    """A URDF joint, with limits where its kind needs them."""
    limit = '<limit lower="-1" upper="2" effort="3" velocity="4"/>'
    limit = limit if kind in ("revolute", "prismatic") and "<limit" not in inside else ""
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'<joint name="{name}" type="{kind}">{ends}{limit}{inside}</joint>'


def options(**values: Any) -> Any:
    """Asset options with some values set."""
    chosen = gymapi.AssetOptions()
    for name, value in values.items():
        setattr(chosen, name, value)
    return chosen


def load_urdf(folder: Path, *parts: str, **values: Any) -> Model:
    """Load a URDF made of these parts."""
    (folder / "robot.urdf").write_text(f'<robot name="r">{"".join(parts)}</robot>')
    return load_model(str(folder), "robot.urdf", options(**values))


def load_mjcf(folder: Path, worldbody: str, outside: str = "", **values: Any) -> Model:
    """Load an MJCF file with this world."""
    text = f'<mujoco model="m">{outside}<worldbody>{worldbody}</worldbody></mujoco>'
    (folder / "robot.xml").write_text(text)
    return load_model(str(folder), "robot.xml", options(**values))
