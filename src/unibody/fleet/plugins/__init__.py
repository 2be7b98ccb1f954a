"""Plugins."""

from unibody.fleet.plugins.battery_plugin import BatteryPlugin
from unibody.fleet.plugins.program_plugin import ProgramPlugin
from unibody.fleet.plugins.recharge_plugin import RechargePlugin
from unibody.fleet.plugins.workcell_plugin import WorkcellPlugin

__all__ = ["BatteryPlugin", "ProgramPlugin", "RechargePlugin", "WorkcellPlugin"]
