"""Build the wheel, install it where there is no checkout, and use it there.

A fresh virtual environment gets the wheel and what it depends on; ``unibody doctor`` and a script
run from an empty folder. The exit status is 1 if one of them fails.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent
SCRIPT = """\
import pybullet as p

p.connect(p.DIRECT)
p.setGravity(0.0, 0.0, -9.8)
p.createMultiBody(0.0, p.createCollisionShape(p.GEOM_PLANE))
ball = p.createMultiBody(1.0, p.createCollisionShape(p.GEOM_SPHERE, radius=0.5), -1, [0, 0, 2])
for _ in range(480):
    p.stepSimulation()
height = p.getBasePositionAndOrientation(ball)[0][2]
print(f"the ball lies at {height:.3f} m")
assert abs(height - 0.5) < 1e-3, height
"""


def run(*command: str | Path, folder: Path) -> None:
    """Run a command that must succeed, and show what it prints."""
    print("$", *command, flush=True)
    subprocess.run(command, cwd=folder, check=True)


def main() -> int:
    """Build, install, use."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        pip = (sys.executable, "-m", "pip", "--disable-pip-version-check")
        run(*pip, "wheel", "--quiet", "--no-deps", "-w", folder, CHECKOUT, folder=folder)
        (wheel,) = folder.glob("*.whl")
        home = folder / "environment"
        run(sys.executable, "-m", "venv", "--without-pip", home, folder=folder)
        python = home / "bin" / "python"
        run(*pip, "--python", python, "install", "--quiet", wheel, folder=folder)
        empty = folder / "elsewhere"
        empty.mkdir()
        (empty / "fall.py").write_text(SCRIPT, encoding="utf-8")
        run(home / "bin" / "unibody", "doctor", folder=empty)
        run(home / "bin" / "unibody", "run", "fall.py", folder=empty)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except subprocess.CalledProcessError as problem:
        sys.exit(f"check_wheel: {problem}")
