"""Robots whose collision meshes are pointers of Git LFS load without them, as in PyBullet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import unibody.bullet
from tests.bullet.paired import both

POINTER = (
    "version https://git-lfs.github.com/spec/v1\n"
    "oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n"
)


def _robot(folder: Path, suffix: str) -> str:
    (folder / f"part{suffix}").write_text(POINTER)
    file = folder / "robot.urdf"
    file.write_text(
        '<robot name="robot"><link name="base"><inertial><mass value="2"/>'
        '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
        f'<collision><geometry><mesh filename="part{suffix}"/></geometry></collision>'
        '<collision><geometry><box size="0.1 0.2 0.3"/></geometry></collision></link></robot>'
    )
    return str(file)


@pytest.mark.parametrize("suffix", [".stl", ".dae"])
def test_a_mesh_that_is_a_pointer_is_left_out_as_in_pybullet(tmp_path: Path, suffix: str) -> None:
    name = _robot(tmp_path, suffix)

    def script(p: Any) -> Any:
        body = p.loadURDF(name)
        shapes = [shape[2:4] for shape in p.getCollisionShapeData(body, -1)]
        return shapes, p.getDynamicsInfo(body, -1)[2], p.getAABB(body)

    theirs, ours = both(script)
    assert ours[0] == theirs[0]
    for one, other in zip(theirs[1:], ours[1:], strict=True):
        np.testing.assert_allclose(np.array(other), np.array(one), rtol=1e-9)


def test_a_mesh_that_is_damaged_is_refused(tmp_path: Path) -> None:
    name = _robot(tmp_path, ".stl")
    (tmp_path / "part.stl").write_bytes(b"\0" * 80 + b"\7\0\0\0" + b"\0" * 10)
    client = unibody.bullet.connect(unibody.bullet.DIRECT)
    with pytest.raises(unibody.bullet.error, match=r"part\.stl"):
        unibody.bullet.loadURDF(name, physicsClientId=client)
    unibody.bullet.disconnect(client)
