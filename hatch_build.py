"""What goes into a wheel besides the sources: machine code for the processors of a kind.

A wheel that is made from the source distribution, as ``python -m build`` does, on Linux with a
processor that has AVX2, carries it and says so in its name. One that pip makes from a checkout does
not: it would wait for minutes. ``UNIBODY_WHEEL_PIECES=1`` or ``0`` decides instead.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

VARIABLE = "UNIBODY_WHEEL_PIECES"
TAG = "py3-none-manylinux_2_28_x86_64"  # where NumPy, numba and MuJoCo have wheels, too
INSIDE = "unibody/machine_code/pieces"


class CustomBuildHook(BuildHookInterface[Any]):
    """Compiles, and adds what was compiled."""

    def _wanted(self) -> bool:
        if self.target_name != "wheel" or sys.platform != "linux":
            return False
        if platform.machine() != "x86_64":
            return False
        asked = os.environ.get(VARIABLE, "")
        return asked == "1" if asked else (Path(self.root) / "PKG-INFO").exists()

    def dependencies(self) -> list[str]:
        """What compiling needs: all that the package needs."""
        return self.metadata.core.dependencies if self._wanted() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile for the wheel.

        Args:
            version: "editable" for an installation that stays where it is.
            build_data: What hatchling builds from.

        Raises:
            subprocess.CalledProcessError: It cannot be compiled.
        """
        if not self._wanted() or version == "editable":
            return
        self._folder = tempfile.TemporaryDirectory()
        source = Path(self.root) / "src"
        sys.path.insert(0, str(source))
        from unibody.machine_code.shipped import SETTINGS, SHIP_TO

        environment = {**os.environ, **SETTINGS, SHIP_TO: self._folder.name}
        environment["PYTHONPATH"] = str(source)
        command = [sys.executable, "-m", "unibody", "compile"]
        self.app.display_info("compiling for the wheel: some minutes")
        subprocess.run(command, env=environment, check=True)
        build_data["pure_python"] = False
        build_data["tag"] = TAG
        build_data["force_include"][self._folder.name] = INSIDE

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Take away what was compiled; the wheel has it."""
        folder = getattr(self, "_folder", None)
        if folder is not None:
            folder.cleanup()
