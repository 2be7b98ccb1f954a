"""Where the modules of the original package are here.

The original is one flat package; scripts import ``pybullet_fleet.agent`` and the like. A finder
lets those names, below this package, mean the modules of the sub-packages.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.util
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import CodeType, ModuleType

_PACKAGE = "unibody.fleet"
MODULES = {
    "_defaults": "foundation.defaults",
    "action": "actions.action",
    "action_parser": "actions.action_parser",
    "agent": "agents.agent",
    "agent_behavior_tree": "behavior_trees.agent_behavior_tree",
    "agent_manager": "agents.agent_manager",
    "agent_plugin": "plugins.agent_plugin",
    "behavior_tree": "behavior_trees.behavior_tree",
    "behavior_tree_core": "behavior_trees.behavior_tree_core",
    "camera_controller": "monitoring.camera_controller",
    "cli": "command_line.original_command",
    "commands": "fleet_commands.commands",
    "config_utils": "parameters.config_files",
    "controller": "controllers.controller",
    "controller_params": "parameters.controller_params",
    "core_simulation": "simulation.core",
    "data_monitor": "monitoring.data_monitor",
    "entity_registry": "objects.entity_registry",
    "event_reader": "recording.event_reader",
    "events": "foundation.events",
    "fleet_api": "fleet_commands.fleet_api",
    "geometry": "spatial.geometry",
    "gui_commands": "monitoring.gui_commands",
    "logging_utils": "foundation.loggers",
    "plugin_utils": "parameters.registries",
    "recorder": "recording.recorder",
    "robot_models": "models.robot_models",
    "sdf_loader": "world_files.sdf_loader",
    "sim_object": "objects.sim_object",
    "sim_plugin": "plugins.sim_plugin",
    "states": "fleet_commands.states",
    "tools": "objects.tools",
    "types": "foundation.types",
    "usd_loader": "world_files.usd_loader",
    "worker_behavior_tree": "behavior_trees.worker_behavior_tree",
    "world_loader": "world_files.world_loader",
}
"""Name of a module of the original -> where it is in this package; `event_reader` is our own."""


class _Finder(importlib.abc.MetaPathFinder):
    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None = None,
        target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        package, _, name = fullname.rpartition(".")
        if package != _PACKAGE or name not in MODULES:
            return None
        loader = _Loader(f"{_PACKAGE}.{MODULES[name]}")
        return importlib.util.spec_from_loader(fullname, loader)


class _Loader(importlib.abc.InspectLoader):
    """Gives the module that is meant; its code is asked for by ``python -m``."""

    def __init__(self, meant: str) -> None:
        self._meant = meant

    def create_module(self, spec: ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        # The import system takes what stands in sys.modules afterwards: one module, two names.
        sys.modules[module.__name__] = importlib.import_module(self._meant)

    def get_source(self, fullname: str) -> str | None:
        spec = importlib.util.find_spec(self._meant)
        loader = spec.loader if spec is not None else None
        if not isinstance(loader, importlib.abc.InspectLoader):
            return None
        return loader.get_source(self._meant)

    def get_code(self, fullname: str) -> CodeType | None:
        spec = importlib.util.find_spec(self._meant)
        loader = spec.loader if spec is not None else None
        if not isinstance(loader, importlib.abc.InspectLoader):
            return None
        return loader.get_code(self._meant)


def install() -> None:
    """Make the names importable in this process; again is no error."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.append(_Finder())
