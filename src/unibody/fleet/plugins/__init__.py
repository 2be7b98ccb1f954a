"""Plugins."""

from unibody.fleet.plugins.battery_plugin import BatteryPlugin
from unibody.fleet.plugins.workcell_plugin import WorkcellPlugin

__all__ = ["BatteryPlugin", "WorkcellPlugin"]
