"""Names with an underscore that tests of PyBulletFleet import at the top of a file.

Ours has nothing of these names. Whoever calls one fails; the other tests of the file can run. A
plugin of pytest: ``-p scripts.fleet_suite_names``.
"""

from __future__ import annotations

import importlib
import importlib.util

import pytest

NAMES = {
    "camera_controller": ("_MIN_ZOOM_DIST", "_ZOOM_FRACTION", "_pressed", "_triggered"),
    "sdf_loader": ("_extract_sdf_material_color", "_parse_pose"),
    "sim_plugin": ("_load_plugins_from_config",),
    "usd_loader": (
        "_expand_face_varying_uvs",
        "_mesh_cache_digest",
        "_mesh_texture_coordinates",
        "_shader_appearance",
    ),
}


class _Absent:
    def __init__(self, name: str) -> None:
        self._name = name

    def __call__(self, *args: object, **named: object) -> None:
        """Fail the test."""
        pytest.fail(f"{self._name} is an internal of the original")


def pytest_configure(config: pytest.Config) -> None:
    """Give modules of the fleet the names that they lack."""
    if importlib.util.find_spec("pybullet_fleet") is None:
        return
    for module, names in NAMES.items():
        found = importlib.import_module(f"pybullet_fleet.{module}")
        for name in names:
            if not hasattr(found, name):
                setattr(found, name, _Absent(name))
