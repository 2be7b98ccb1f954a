"""Saved states of worlds with soft bodies."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import unibody.bullet
from tests.bullet.soft.cubes import cube_of_tetrahedra
from tests.support.duo import DATA, connected
from unibody.bullet import error


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


def test_the_steps_after_a_restored_file_are_the_same_to_the_bit(tmp_path: Path) -> None:
    file, saved = cube_of_tetrahedra(tmp_path, 2, 0.2), str(tmp_path / "world.bullet")

    def steps(p: Any, jelly: int) -> Any:
        for _ in range(30):
            p.stepSimulation()
        return _particles(p, jelly)

    with connected(unibody.bullet) as p:
        jelly, _ = _world(p, file)
        steps(p, jelly)
        p.saveBullet(saved)
        first = steps(p, jelly)
        p.restoreState(fileName=saved)
        np.testing.assert_array_equal(steps(p, jelly), first)
    with connected(unibody.bullet) as p:  # another world, made in the same way
        jelly, box = _world(p, file)
        p.restoreState(fileName=saved)
        np.testing.assert_array_equal(steps(p, jelly), first)
        p.removeBody(jelly)
        with pytest.raises(error, match="Couldn't restore state"):
            p.restoreState(fileName=saved)
        assert p.loadBullet(saved) == (jelly, box + 1)  # the plane and the box, without the jelly


def test_load_bullet_says_in_one_line_that_soft_bodies_are_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, saved = cube_of_tetrahedra(tmp_path, 1, 0.2), str(tmp_path / "world.bullet")
    with connected(unibody.bullet) as p:
        _world(p, file)
        _jelly(p, file)
        p.saveBullet(saved)
        p.resetSimulation()
        capsys.readouterr()
        p.loadBullet(saved)
        told = capsys.readouterr().err
        assert told.count("\n") == 1
        assert "leaves 2 soft bodies out" in told
        p.resetSimulation()
        p.loadURDF(f"{DATA}/plane.urdf")
        p.saveBullet(saved)
        p.loadBullet(saved)
        assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("name", "array"),
    [
        ("0.npy", np.full((8, 3), np.nan)),
        ("place.npy", np.zeros(3)),
        ("keys.npy", np.array([5, 3], dtype=np.int64)),
    ],
)
def test_particles_of_a_file_that_are_not_as_they_were_written_are_refused(
    name: str, array: Any, tmp_path: Path
) -> None:
    file, saved = cube_of_tetrahedra(tmp_path, 1, 0.2), tmp_path / "world.bullet"
    with connected(unibody.bullet) as p:
        jelly, _ = _world(p, file)
        p.saveBullet(str(saved))
        with zipfile.ZipFile(saved) as archive:
            parts = {entry: archive.read(entry) for entry in archive.namelist()}
        content = io.BytesIO()
        np.save(content, array)
        parts[f"particles/{jelly}/{name}"] = content.getvalue()
        with zipfile.ZipFile(saved, "w") as archive:
            for entry, part in parts.items():
                archive.writestr(entry, part)
        before = _particles(p, jelly)
        with pytest.raises(error, match="not as saveBullet's"):
            p.restoreState(fileName=str(saved))
        np.testing.assert_array_equal(_particles(p, jelly), before)


def test_places_that_are_no_numbers_are_refused(tmp_path: Path) -> None:
    with connected(unibody.bullet) as p:
        jelly, _ = _world(p, cube_of_tetrahedra(tmp_path, 1, 0.2))
        for places in ("abc", None, [["x"] * 3] * 8):
            with pytest.raises(error, match="resetMeshData failed"):
                p.resetMeshData(jelly, places)
