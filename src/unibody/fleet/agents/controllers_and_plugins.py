"""What an agent is put together from: its controllers and its plugins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from unibody.errors import InvalidArgumentError
from unibody.fleet.agents.end_effector import ArmObject
from unibody.fleet.foundation.types import MotionMode
from unibody.fleet.parameters.controller_params import ControllerParams
from unibody.fleet.plugins.agent_plugin import AgentPlugin

if TYPE_CHECKING:
    from unibody.fleet.controllers.controller import Controller

_PluginT = TypeVar("_PluginT", bound=AgentPlugin)


class ComposedAgent(ArmObject):
    """An object with controllers and plugins."""

    _motion_mode: MotionMode
    _controllers: list[Any]
    _plugins: list[Any]

    # --- controllers ---------------------------------------------------------------------------

    def _init_controllers(self, controller: Any) -> None:
        from unibody.fleet.controllers.controller import Controller

        if isinstance(controller, Controller):
            preset = getattr(controller, "params", None)
            known = isinstance(preset, ControllerParams)
            self.controller_params: ControllerParams = preset if known else ControllerParams()
            self.set_controller(controller)
        elif isinstance(controller, ControllerParams):
            self.controller_params = controller
            self.set_controller(self._make_default_controller())
        else:
            self._init_controller_chain(controller)

    def _init_controller_chain(self, controller: Any) -> None:
        from unibody.fleet.controllers.controller import KinematicController

        entries: list[Any] = []
        if isinstance(controller, (list, tuple)):
            entries = list(controller)
        elif controller is not None:
            entries = [controller]
        base: KinematicController | None = None
        above: list[Any] = []
        settings: dict[str, Any] = {}
        for entry in entries:
            made = self._make_controller_from_entry(entry)
            stated: dict[str, Any] = {} if isinstance(entry, str) else entry
            if isinstance(made, KinematicController):
                base, settings = made, stated
                continue
            settings = settings or stated
            if made is not None:
                above.append(made)
        if base is None:
            self.controller_params = ControllerParams.from_dict(settings)
            self.set_controller(self._make_default_controller())
        else:
            self.controller_params = base.params
            self.set_controller(base)
        for item in above:
            self.add_controller(item)

    @staticmethod
    def _make_controller_from_entry(entry: str | dict[str, Any]) -> Any:
        from unibody.fleet.controllers.batch_base import BATCH_CONTROLLER_REGISTRY
        from unibody.fleet.controllers.controller import (
            create_controller,
            create_controller_from_entry,
        )

        stated = {"type": entry} if isinstance(entry, str) else entry
        if stated.get("class") is not None:
            config = {key: value for key, value in stated.items() if key != "class"}
            return create_controller_from_entry({"class": stated["class"], "config": config})
        kind = stated.get("type")
        if not kind:
            return None
        if not isinstance(kind, str):
            raise InvalidArgumentError("type", kind, "the name of a controller")
        if kind.lower() in BATCH_CONTROLLER_REGISTRY:
            raise ValueError(
                f"controller.type={kind!r} is a batch controller type. Batch controllers must be "
                "used through AgentManager: AgentManager(sim_core=sim, fleet_controller={'type': "
                "'batch_differential'})."
            )
        return create_controller(kind, stated)

    def _make_default_controller(self) -> Any:
        from unibody.fleet.controllers.controller import DifferentialController, OmniController

        omni = self._motion_mode is MotionMode.OMNIDIRECTIONAL
        return (OmniController if omni else DifferentialController)(self.controller_params)

    @property
    def controllers(self) -> list[Any]:
        """Its controllers; the first one drives the base."""
        return list(self._controllers)

    @property
    def controller(self) -> Any:
        """The one that drives the base; None without one."""
        return self._controllers[0] if self._controllers else None

    @property
    def _controller(self) -> Any:
        return self.controller

    @_controller.setter
    def _controller(self, value: Any) -> None:
        self.set_controller(value)

    def set_controller(self, controller: Controller | None = None) -> None:
        """Let another controller drive the base; None takes all of them away."""
        if controller is None:
            self._controllers.clear()
        else:
            self._controllers[:1] = [controller]
            bind = getattr(controller, "bind", None)  # those that hold state of an agent have it
            if bind is not None:
                bind(self)
        self._changed()

    def add_controller(self, controller: Controller) -> None:
        """Put a controller above the others; it is asked before them."""
        self._controllers.append(controller)
        self._changed()

    def remove_controller(self, controller_or_cls: Any) -> None:
        """Remove a controller above the first, or the first of them of a class."""
        for number, known in enumerate(self._controllers[1:], start=1):
            by_class = isinstance(controller_or_cls, type) and isinstance(known, controller_or_cls)
            if by_class or known is controller_or_cls:
                del self._controllers[number]
                break
        self._changed()

    def get_controller_by_type(self, cls: type) -> Any:
        """The first controller of a class; None without one."""
        return next((known for known in self._controllers if isinstance(known, cls)), None)

    # --- battery and other plugins -------------------------------------------------------------

    @property
    def battery_plugin(self) -> Any:
        """Its battery; None without one."""
        from unibody.fleet.plugins.battery_plugin import BatteryPlugin

        return self.get_plugin(BatteryPlugin)

    @property
    def battery_soc(self) -> float:
        """State of charge, 0 to 1; 1 without a battery."""
        battery = self.battery_plugin
        return 1.0 if battery is None else battery.soc

    @property
    def is_charging(self) -> bool:
        """Whether its battery is charging."""
        battery = self.battery_plugin
        return battery is not None and battery.is_charging

    def set_charging(self, charging: bool) -> None:
        """Begin or end charging; nothing without a battery."""
        battery = self.battery_plugin
        if battery is not None:
            battery.set_charging(charging)

    @property
    def plugins(self) -> list[AgentPlugin]:
        """Its plugins."""
        return list(self._plugins)

    def add_plugin(self, plugin: AgentPlugin) -> None:
        """Add a plugin that was made for this agent.

        Raises:
            ValueError: It was made for another one.
        """
        if plugin.agent is not self:
            raise ValueError(f"Plugin {plugin!r} is bound to a different agent")
        self._plugins.append(plugin)
        self._changed()

    def remove_plugin(self, plugin_or_cls: Any) -> None:
        """Remove a plugin, or the first one of a class.

        Raises:
            ValueError: The plugin is not there.
        """
        if isinstance(plugin_or_cls, type):
            plugin_or_cls = self.get_plugin(plugin_or_cls)
            if plugin_or_cls is None:
                return
        if not any(plugin_or_cls is known for known in self._plugins):
            allowed = f"one of {self._plugins}, or the class of one"
            raise InvalidArgumentError("plugin_or_cls", plugin_or_cls, allowed)
        self._plugins.remove(plugin_or_cls)
        self._changed()

    def get_plugin(self, cls: type[_PluginT]) -> _PluginT | None:
        """The first plugin of a class; None without one."""
        return next((plugin for plugin in self._plugins if isinstance(plugin, cls)), None)
