"""Plugins of a simulation."""

from unibody.fleet.plugins.sim_plugin import SimPlugin


class _Counting(SimPlugin):
    steps = 0

    def on_step(self, dt):
        self.steps += 1


def test_a_plugin_can_be_tried_without_a_simulation():
    plugin = _Counting(sim_core=None)
    plugin.on_step(0.1)
    assert (plugin.steps, plugin.sim_core) == (1, None)
