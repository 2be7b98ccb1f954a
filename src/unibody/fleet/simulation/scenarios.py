"""What configuration files say a simulation has in it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from unibody.errors import AssetError
from unibody.fleet.foundation.loggers import LazyLogger, get_lazy_logger
from unibody.fleet.objects.sim_object import ENTITY_REGISTRY, SimObject
from unibody.fleet.objects.tools import grid_to_world
from unibody.fleet.parameters.config_files import load_yaml_config
from unibody.fleet.parameters.simulation_params import known_keys
from unibody.fleet.parameters.yaml_reader import ConfigError, Lines, check_keys, refuse
from unibody.fleet.simulation.scenario_check import check_entity, check_overlaps, check_sections

if TYPE_CHECKING:
    from unibody.fleet.agents.agent_manager import SimObjectManager
    from unibody.fleet.simulation.simulated_objects import SimulatedObjects

logger: LazyLogger = get_lazy_logger("pybullet_fleet.core_simulation")
SECTIONS = ("simulation", "world", "entities", "managers", "plugins", "entity_classes")
WORLD_KEYS = (
    "world_file", "sdf", "mesh_dir", "map", "map_height", "skip_models", "force_color",
)  # fmt: skip
MANAGER_KEYS = ("name", "fleet_controller", "update_frequency")
GRID_KEYS = (
    "x_min", "x_max", "y_min", "y_max", "z_min", "z_max", "spacing", "offset", "count", "columns",
)  # fmt: skip
_SHARED_CELL = 1e-6  # m


def read_scenario(yaml_path: str, *, headless: bool) -> dict[str, Any]:
    """Read the configuration of a simulation; see `MultiRobotSimulationCore.from_yaml`."""
    config = load_yaml_config(yaml_path)
    nested = [key for key in SECTIONS if key in config]
    if isinstance(config, Lines):
        allowed = SECTIONS if nested else known_keys()
        check_keys(config, allowed, "the file" if nested else "the simulation")
        check_sections(config)
        if isinstance(config.get("simulation"), Lines):
            check_keys(config["simulation"], known_keys(), "simulation")
    if headless:
        if nested and config.get("simulation") is None:  # a key without a value
            config["simulation"] = {}
        simulation = config["simulation"] if nested else config
        simulation.update(gui=False, monitor=False, target_rtf=0)
    return config


class ScenarioLoader:
    """Spawns what a configuration states in a simulation.

    Args:
        core: The simulation.
    """

    def __init__(self, core: SimulatedObjects) -> None:
        self._core = core

    # --- managers ------------------------------------------------------------------------------

    def make_managers(self, managers_config: list[dict[str, Any]]) -> None:
        """Make the managers of a configuration."""
        from unibody.fleet.agents.agent_manager import AgentManager

        for config in managers_config:
            if isinstance(config, Lines):
                check_keys(config, MANAGER_KEYS, "managers")
            name = config.get("name")
            if not name:
                logger.warning("managers: entry missing required 'name' field, skipping")
            elif self._core.get_manager(name) is not None:
                logger.warning("managers: duplicate name %r, skipping second entry", name)
            else:
                with _said_with_line(config):
                    AgentManager(
                        sim_core=self._core,
                        name=name,
                        update_frequency=float(config.get("update_frequency", 10.0)),
                        fleet_controller=dict(config.get("fleet_controller") or {}) or None,
                    )

    def _manager(self, config: dict[str, Any], name: str) -> Any:
        manager = self._core.get_manager(name)
        if manager is None:
            known = [getattr(m, "name", None) for m in self._core._registered_managers]
            problem = (
                f"manager {name!r} not found. Declare it in the 'managers:' section before "
                f"'entities:'. Known: {[n for n in known if n]}"
            )
            if isinstance(config, Lines):
                refuse(config, "manager", problem)
            raise KeyError(problem)
        return manager

    # --- entities ------------------------------------------------------------------------------

    def spawn(self, robots_config: list[dict[str, Any]]) -> list[SimObject]:
        """Spawn the entities of a configuration.

        Args:
            robots_config: Entries with ``type`` ("agent" by default) and what that takes, and
                ``grid`` for many of them, ``manager`` for who manages them.

        Raises:
            KeyError: An unknown type or manager.
            ValueError: A value that is not allowed; from a file, also two entities that overlap.
        """
        spawned: list[tuple[SimObject, dict[str, Any]]] = []
        for entry in robots_config:
            with _said_with_line(entry):
                spawned += [(obj, entry) for obj in self._spawn_entry(entry)]
        check_overlaps(spawned)
        logger.info("Spawned %d entities from config", len(spawned))
        return [obj for obj, _ in spawned]

    def _spawn_entry(self, entry: dict[str, Any]) -> list[SimObject]:
        kind = entry.get("type", "agent")
        if not isinstance(kind, str) or kind not in ENTITY_REGISTRY:
            problem = f"Unknown entity type: {kind!r}. Available: {list(ENTITY_REGISTRY)}"
            if isinstance(entry, Lines):
                refuse(entry, "type", problem)
            raise KeyError(problem)
        if "batch_controller" in entry or "fleet_controller" in entry:
            raise ValueError(
                "entities[].batch_controller and entities[].fleet_controller are unsupported; "
                "declare a named manager with fleet_controller.type and route the entity with "
                "manager:"
            )
        config = _copied(entry)
        grid = config.pop("grid", None)
        config.pop("type", None)
        manager_name = config.pop("manager", None)
        cls = ENTITY_REGISTRY[kind]
        if isinstance(entry, Lines):
            check_entity(entry, cls)
        _resolve_paths(config)
        try:
            if grid is None:
                return [self._spawn_single(cls, config, manager_name)]
            return self._spawn_grid(cls, config, grid, manager_name)
        except AssetError as problem:
            if isinstance(entry, Lines):
                key = "urdf_path" if "urdf_path" in entry else None
                raise ConfigError(f"{entry.where(key)}: {problem}") from problem
            raise

    def _spawn_single(
        self, cls: type[SimObject], config: dict[str, Any], manager_name: str | None
    ) -> SimObject:
        if "name" not in config:
            config["name"] = f"entity_{len(self._core._sim_objects)}"
        manager = None if manager_name is None else self._manager(config, manager_name)
        with self._core.batch_spawn():
            obj = cls.from_dict(config, sim_core=self._core)
        if manager is not None:
            manager.add_object(obj)
        return obj

    def _spawn_grid(
        self,
        cls: type[SimObject],
        config: dict[str, Any],
        grid: dict[str, Any],
        manager_name: str | None,
    ) -> list[SimObject]:
        from unibody.fleet.agents.agent_manager import GridSpawnParams, SimObjectManager

        if isinstance(grid, Lines):
            check_keys(grid, GRID_KEYS, "grid")
        try:
            layout = GridSpawnParams.from_dict(grid)
            count = grid.get("count", layout.total_cells)
            layout.check(count)
        except (KeyError, TypeError, ValueError, OverflowError) as problem:
            if not isinstance(grid, Lines):
                raise
            said = f"has no {problem}" if isinstance(problem, KeyError) else str(problem)
            raise ConfigError(f"{grid.where()}: grid={dict(grid)!r:.200}: {said}") from problem
        _check_spacing(grid, layout, count)
        base = config.get("name", config.get("urdf_path", "robot"))
        config.pop("pose", None)
        config["name"] = base
        params = cls._spawn_params_cls.from_dict(config)
        manager: SimObjectManager[Any]
        if manager_name is not None:
            manager = self._manager(config, manager_name)
        else:
            manager = SimObjectManager(sim_core=self._core, object_class=cls)
            self._core.register_manager(manager)
        return manager.spawn_grid_mixed(count, layout, [(params, 1.0)], name_prefix=base)

    # --- world ---------------------------------------------------------------------------------

    def load_world(
        self, world_config: dict[str, Any], skip_models: list[str] | None = None
    ) -> list[SimObject]:
        """Load the surroundings: ``map``, ``world_file``, ``sdf`` or ``mesh_dir``.

        Raises:
            FileNotFoundError: There is no such file or folder.
        """
        from unibody.fleet.world_files.sdf_loader import (
            load_mesh_directory,
            load_sdf_world,
            load_sdf_world_file,
        )

        if isinstance(world_config, Lines):
            check_keys(world_config, WORLD_KEYS, "world")
            for key in ("world_file", "sdf", "mesh_dir", "map"):
                value = world_config.get(key)
                if value is not None and not isinstance(value, str):
                    problem = f"{key}={value!r:.80} is not allowed: expected a path"
                    refuse(world_config, key, problem)
        if world_config.get("map"):
            from unibody.fleet.world_files.map_loader import load_occupancy_map

            file = _beside(world_config, world_config["map"])
            with _said_with_line(world_config):
                height = float(world_config.get("map_height", 1.0))
                return load_occupancy_map(file, self._core, height)[1]
        given = () if skip_models is None else skip_models
        skip = given if len(given) > 0 else world_config.get("skip_models", [])
        if world_config.get("world_file"):
            return load_sdf_world_file(
                world_config["world_file"],
                sim_core=self._core,
                skip_models=skip,
                force_color=world_config.get("force_color"),
            )
        if world_config.get("sdf"):
            return load_sdf_world(world_config["sdf"], sim_core=self._core)
        folder = world_config.get("mesh_dir")
        if not folder:
            return []
        if not os.path.isdir(os.path.expanduser(folder)):
            logger.warning("World mesh directory not found: %s", os.path.abspath(folder))
            return []
        return load_mesh_directory(os.path.abspath(os.path.expanduser(folder)), sim_core=self._core)


def _beside(config: dict[str, Any], name: str) -> str:
    """A file by its name, which is looked for beside the file that names it, too."""
    file = os.path.expanduser(name)
    if isinstance(config, Lines) and not os.path.isabs(file):
        beside = os.path.join(os.path.dirname(config.file), file)
        return beside if os.path.isfile(beside) else file
    return file


def _copied(entry: dict[str, Any]) -> dict[str, Any]:
    """A copy that still knows its lines."""
    if not isinstance(entry, Lines):
        return dict(entry)
    copy = Lines(entry)
    copy.file, copy.line, copy.lines = entry.file, entry.line, entry.lines
    return copy


def _resolve_paths(config: dict[str, Any]) -> None:
    """Turn names of models into files."""
    from unibody.fleet.models.robot_models import resolve_model
    from unibody.fleet.world_files.sdf_loader import resolve_sdf_to_urdf

    turn = float(config.pop("model_yaw_offset", 0.0))
    if "sdf_path" in config and "urdf_path" not in config:
        try:
            config["urdf_path"] = resolve_sdf_to_urdf(config["sdf_path"], model_yaw_offset=turn)
        except (OSError, ValueError, AssetError) as problem:
            logger.error("Failed to convert SDF %s: %s", config.get("sdf_path"), problem)
    config.pop("sdf_path", None)
    if "urdf_path" not in config:
        return
    if not isinstance(config["urdf_path"], str) and isinstance(config, Lines):
        value = f"urdf_path={config['urdf_path']!r:.80}"
        refuse(config, "urdf_path", f"{value} is not allowed: expected a path or a model's name")
    try:
        config["urdf_path"] = resolve_model(config["urdf_path"])
    except FileNotFoundError as problem:
        if isinstance(config, Lines):
            raise ConfigError(f"{config.where('urdf_path')}: {problem}") from problem
        logger.warning("Could not resolve '%s': %s", config["urdf_path"], problem)


def _check_spacing(grid: dict[str, Any], layout: Any, count: int) -> None:
    """See that no two of the first cells of a grid lie on one another."""
    places = {
        tuple(round(value / _SHARED_CELL) for value in grid_to_world(cell, layout.spacing))
        for cell in layout.cells()[:count]
    }
    wanted = min(count, layout.total_cells)
    if len(places) == wanted:
        return
    problem = (
        f"spacing={list(layout.spacing)} lets {wanted} objects spawn in {len(places)} places: "
        "expected numbers other than 0 along every axis with more than one cell"
    )
    if isinstance(grid, Lines):
        refuse(grid, "spacing", problem)
    logger.warning(problem)


@contextmanager
def _said_with_line(entry: dict[str, Any]) -> Iterator[None]:
    """Let errors about an entry of a file name its line.

    Raises:
        ConfigError: In place of what was raised, if the entry came from a file.
    """
    try:
        yield
    except (TypeError, ValueError, LookupError, OverflowError) as problem:
        if not isinstance(entry, Lines) or f"{entry.file}:" in str(problem):
            raise
        key = getattr(problem, "argument", None)
        said = problem.args[0] if isinstance(problem, KeyError) and problem.args else problem
        raise ConfigError(f"{entry.where(key)}: {said}") from problem
