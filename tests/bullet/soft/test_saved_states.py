"""Saved states of worlds with soft bodies."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import unibody.bullet
from tests.bullet.soft.cubes import cube_of_tetrahedra
from tests.support.duo import DATA, connected
from unibody.bullet import error
from unibody.errors import NotSupportedError


def _jelly(p: Any, file: str) -> int:
    return p.loadSoftBody(
        file, [0, 0, 0.05], mass=1.0, collisionMargin=0.01, useNeoHookean=1, NeoHookeanMu=800,
        NeoHookeanLambda=1500, NeoHookeanDamping=0.01, frictionCoeff=0.5,
    )  # fmt: skip


def _particles(p: Any, body: int) -> Any:
    return np.array(p.getMeshData(body, -1, flags=p.MESH_DATA_SIMULATION_MESH)[1])


def _world(p: Any, file: str) -> tuple[int, int]:
    p.resetSimulation(p.RESET_USE_DEFORMABLE_WORLD)
    p.setGravity(0, 0, -10)
    p.loadURDF(f"{DATA}/plane.urdf")
    jelly = _jelly(p, file)
    return jelly, p.loadURDF(f"{DATA}/cube_small.urdf", [0.1, 0.1, 0.31])


def test_the_steps_after_a_restored_state_are_the_same_to_the_bit(tmp_path: Path) -> None:
    file = cube_of_tetrahedra(tmp_path, 2, 0.2)
    with connected(unibody.bullet) as p:
        jelly, box = _world(p, file)

        def steps() -> list[Any]:
            for _ in range(40):
                p.stepSimulation()
            return [
                _particles(p, jelly), *p.getBasePositionAndOrientation(jelly),
                *p.getBaseVelocity(jelly), *p.getBasePositionAndOrientation(box),
            ]  # fmt: skip

        steps()
        state = p.saveState()
        now = _particles(p, jelly)
        first = steps()
        assert np.abs(first[0] - now).max() > 1e-3
        p.restoreState(state)
        np.testing.assert_array_equal(_particles(p, jelly), now)
        for again, before in zip(steps(), first, strict=True):
            np.testing.assert_array_equal(again, before)


def test_a_soft_body_that_was_moved_is_back_where_it_was(tmp_path: Path) -> None:
    file = cube_of_tetrahedra(tmp_path, 1, 0.2)
    with connected(unibody.bullet) as p:
        jelly, _ = _world(p, file)
        p.resetBasePositionAndOrientation(jelly, [3, 2, 1], [0, 0, 1, 0])
        state, now = p.saveState(), _particles(p, jelly)
        p.resetBasePositionAndOrientation(jelly, [0, 0, 5], [0, 0, 0, 1])
        p.restoreState(state)
        np.testing.assert_array_equal(_particles(p, jelly), now)
        np.testing.assert_allclose(p.getBasePositionAndOrientation(jelly)[0], [3, 2, 1], atol=1e-6)


def test_a_state_with_other_soft_bodies_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    file = cube_of_tetrahedra(tmp_path, 1, 0.2)
    with connected(unibody.bullet) as p:
        jelly, box = _world(p, file)
        state = p.saveState()
        p.resetBasePositionAndOrientation(box, [0, 0, 5], [0, 0, 0, 1])
        more = _jelly(p, file)
        with pytest.raises(error, match=f"restore state. only the world has the soft body {more}"):
            p.restoreState(state)
        assert p.getBasePositionAndOrientation(box)[0] == (0, 0, 5)
        p.removeBody(more)
        p.restoreState(state)
        p.removeBody(jelly)
        with pytest.raises(error, match="Couldn't restore state"):
            p.restoreState(state)


def test_a_file_of_a_world_with_a_soft_body_is_not_supported(tmp_path: Path) -> None:
    file = cube_of_tetrahedra(tmp_path, 1, 0.2)
    with connected(unibody.bullet) as p:
        jelly, _ = _world(p, file)
        with pytest.raises(NotSupportedError, match=f"the soft body {jelly}"):
            p.saveBullet(str(tmp_path / "world.bullet"))
        assert not (tmp_path / "world.bullet").exists()
        p.removeBody(jelly)
        p.saveBullet(str(tmp_path / "world.bullet"))
        p.restoreState(fileName=str(tmp_path / "world.bullet"))
