"""What is kept on the disk makes loading faster, and changes nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.process import run_python

SCRIPT = """
import hashlib
import pybullet_data
import unibody.bullet as p
p.connect(p.DIRECT)
p.setAdditionalSearchPath(pybullet_data.getDataPath())
p.setGravity(0, 0, -9.8)
p.loadURDF("plane.urdf")
files = ["duck_vhacd.urdf", "random_urdfs/003/003.urdf", "r2d2.urdf", "cube_small.urdf"]
bodies = [p.loadURDF(file, [0.2 * k, 0, 0.3 + 0.4 * k]) for k, file in enumerate(files)]
for _ in range(100):
    p.stepSimulation()
states = [(p.getBasePositionAndOrientation(b), p.getBaseVelocity(b)) for b in bodies]
print(hashlib.sha256(repr(states).encode()).hexdigest(), len(p.getContactPoints()))
"""


@pytest.mark.thorough
def test_states_are_the_same_with_empty_caches_with_full_ones_and_with_damaged_ones(
    tmp_path: Path,
) -> None:
    def states() -> str:
        result = run_python(
            ["-c", SCRIPT], cwd=tmp_path, environment={"XDG_CACHE_HOME": str(tmp_path)}
        )
        assert result.returncode == 0, result.stderr
        return result.stdout

    empty = states()
    files = [file for file in (tmp_path / "unibody").rglob("*") if file.is_file()]
    assert {file.parent.name for file in files} >= {"meshes", "parts", "passed"}
    assert states() == empty
    for file in files:
        content = bytearray(file.read_bytes())
        content[len(content) // 2 : len(content) // 2 + 8] = b"\xff" * min(8, len(content))
        file.write_bytes(content)
    assert states() == empty
