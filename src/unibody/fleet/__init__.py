"""The PyBulletFleet API: fleets of robots, as arrays."""

from __future__ import annotations

from unibody.fleet import original_modules
from unibody.fleet.api import *  # noqa: F403 - the package has the names of its module api
from unibody.fleet.api import __all__ as __all__

original_modules.install()
