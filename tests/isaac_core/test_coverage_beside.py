"""The table has what stands beside the core: sensors, arms, wheels, training and commands."""

from __future__ import annotations

import importlib
import inspect
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from unibody import isaac_core
from unibody.errors import NotSupportedError
from unibody.isaac_core import modules, names, refused
from unibody.isaac_core.experimental import app
from unibody.isaac_core.experimental.articulation import Articulation
from unibody.isaac_core.motion.config_loader import load_supported_lula_kinematics_solver_config
from unibody.isaac_core.motion.kinematics import LulaKinematicsSolver
from unibody.isaac_core.sensors.camera import Camera
from unibody.isaac_core.sensors.lidar import RotatingLidarPhysX

_FILE = Path(isaac_core.__file__).with_name("coverage.toml")
_KINDS = tomllib.loads(_FILE.read_text(encoding="utf-8"))
BESIDE, COMMANDS = _KINDS["beside"], _KINDS["commands"]["omni.kit.commands"]
REFUSED_ROWS = [(m, n, row) for m, rows in _KINDS["refused"].items() for n, row in rows.items()]
ROOMS = tuple(
    f"unibody.isaac_core.{room}"
    for room in ("sensors", "manipulators", "wheeled", "motion", "learning", "experimental")
)
FAMILIES = ("isaacsim.", "omni.isaac.gym.")
ABSENT = sorted(
    name for rows in BESIDE.values() for name, row in rows.items() if row["status"] == "absent"
)
MADE: dict[str, Callable[[], Any]] = {
    "Articulation": lambda: object.__new__(Articulation),
    "Camera": lambda: Camera("/World/camera"),
    "RotatingLidarPhysX": lambda: RotatingLidarPhysX("/World/lidar"),
    "LulaKinematicsSolver": lambda: LulaKinematicsSolver(
        **load_supported_lula_kinematics_solver_config("UR10")
    ),
}


def _public(module: str) -> dict[str, Any]:
    """Classes and functions of a module under its name, of those that are made here."""
    behind = names.meant(module)
    assert behind is not None, module
    made = importlib.import_module(behind)
    listed = getattr(made, "__all__", None)
    found = {name: getattr(made, name) for name in listed or vars(made) if name[0] != "_"}
    return {
        name: one
        for name, one in found.items()
        if (getattr(one, "__module__", None) or "").startswith(ROOMS)
        and (listed or one.__module__ == behind)
    }


def _members(kind: type) -> set[str]:
    own = [base for base in kind.__mro__ if base.__module__.startswith(ROOMS)]
    return {name for base in own for name in vars(base) if not name.startswith("_")}


@pytest.mark.parametrize("module", sorted(n for n in names.MODULES if n.startswith(FAMILIES)))
def test_every_public_name_beside_the_core_has_a_row(module: str) -> None:
    rows = {name for names_of in BESIDE.values() for name in names_of}
    for name, one in _public(module).items():
        assert name in rows
        if inspect.isclass(one):
            assert {f"{name}.{member}" for member in _members(one)} <= rows


@pytest.mark.parametrize("module", BESIDE)
def test_every_row_beside_the_core_is_of_something_that_is_there(module: str) -> None:
    for name, row in BESIDE[module].items():
        kind, _, member = name.partition(".")
        assert not member or member in _members(_public(module)[kind])
        assert kind in _public(module)
        assert row["status"] == "full" or row["note"]


@pytest.mark.parametrize("name", ABSENT)
def test_what_is_absent_beside_the_core_says_so_when_it_is_called(name: str) -> None:
    kind, _, member = name.partition(".")
    function = getattr(MADE[kind](), member) if member else getattr(app, kind)
    needed = [p for p in inspect.signature(function).parameters.values() if p.default is p.empty]
    with pytest.raises(NotSupportedError):
        function(*[None] * len(needed))


def test_every_command_has_a_row() -> None:
    importlib.import_module("unibody.isaac_core.functions.commands")
    from unibody.isaac_core.kit import commands

    assert set(COMMANDS) == set(commands.get_commands_list())


def test_every_name_that_is_refused_has_a_row() -> None:
    stated = {(module, name): row["note"] for module, name, row in REFUSED_ROWS}
    known = refused.REFUSED.items()
    assert stated == {(module, n): near for module, rows in known for n, near in rows.items()}


@pytest.mark.parametrize(("module", "name"), [row[:2] for row in REFUSED_ROWS])
def test_a_name_that_is_refused_says_what_works(module: str, name: str) -> None:
    found = getattr(modules.make(module), name)
    with pytest.raises(NotSupportedError) as refusal:
        found()
    assert f"{module}.{name}" in str(refusal.value)
    assert refused.REFUSED[module][name] in str(refusal.value)
