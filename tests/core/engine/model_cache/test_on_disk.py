"""Compiled models that are kept on the disk for the next process."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.core.engine.insertion.test_reserved_slots import GRAVITY, MESH, thing
from unibody.core.assets import disk_cache
from unibody.core.assets.description import Pose, Shape, ShapeKind
from unibody.core.engine.model_cache.in_memory import CompiledModels
from unibody.core.engine.records.options import BodyOptions, WorldOptions
from unibody.core.engine.scene.scene import Scene


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty disk cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "unibody" / "models"


def moved(friction: float = 0.5) -> tuple[bytes, Scene]:
    """Where a body of a mesh is after half a second, of a scene that begins."""
    scene = Scene(WorldOptions(gravity=GRAVITY), CompiledModels())
    options = BodyOptions(pose=Pose((0.0, 0.0, 1.0)), friction=(friction, 0.0, 0.0))
    scene.add(1, thing(MESH, 1, Pose((0.1, 0.0, 0.1))), options)
    for _ in range(120):
        scene.world.step()
    return scene.world.data.qpos.tobytes(), scene


def test_a_model_that_was_stored_moves_as_the_compiled_one(folder: Path) -> None:
    """To the last bit; stored with the second compile, taken with the third."""
    first, scene = moved()
    assert not folder.exists()
    second, _ = moved()
    (file,) = folder.iterdir()
    file.touch()
    before = file.stat().st_mtime_ns
    third, taken = moved()
    assert first == second == third
    assert file.stat().st_mtime_ns == before
    for name in scene.world.model._all_fields:
        ours, theirs = getattr(taken.world.model, name), getattr(scene.world.model, name)
        np.testing.assert_array_equal(ours, theirs, err_msg=name)


@pytest.mark.usefixtures("folder")
def test_a_scene_with_another_number_in_it_has_a_model_of_its_own() -> None:
    """Its friction."""
    for _ in range(3):
        moved()
    _, scene = moved(friction=0.25)
    assert scene.world.model.geom_friction[0, 0] == 0.25


def test_a_damaged_file_is_as_good_as_none(folder: Path) -> None:
    """Cut short, or with other bytes in it."""
    first, _ = moved()
    moved()
    (file,) = folder.iterdir()
    whole = file.read_bytes()
    for damaged in (whole[:100], b"", whole[:-1] + b"x", whole[:200] + b"\xff" + whole[201:]):
        file.write_bytes(damaged)
        again, _ = moved()
        assert again == first


def two_bodies(folder: Path) -> bytes:
    """What is stored for a scene of two bodies."""
    before = set(folder.iterdir())
    for _ in range(3):
        beside_a_mesh(BALL, CompiledModels())
    (file,) = set(folder.iterdir()) - before
    content = disk_cache.stored("models", file.name)
    assert content is not None
    return content


@pytest.mark.parametrize("mode", [0o777, 0o775])
def test_a_forged_model_in_a_folder_that_others_can_write_to_is_not_loaded(
    folder: Path, mode: int
) -> None:
    """It has a right checksum, and another friction."""
    moved()
    moved()
    (file,) = folder.iterdir()
    content = disk_cache.stored("models", file.name)
    assert content is not None
    friction = np.array([0.5]).tobytes()
    assert friction in content
    forged = content.replace(friction, np.array([0.125]).tobytes())
    disk_cache.store("models", file.name, forged)
    folder.chmod(mode)
    disk_cache._made.cache_clear()
    _, scene = moved()
    assert scene.world.model.geom_friction[0, 0] == 0.5


def test_a_model_that_is_not_of_the_bodies_that_are_asked_for_is_not_loaded(folder: Path) -> None:
    """Though its checksum is right."""
    first, _ = moved()
    moved()
    (file,) = folder.iterdir()
    other = two_bodies(folder)
    disk_cache.store("models", file.name, other)
    again, scene = moved()
    assert scene.world.model.nbody == 2
    assert again == first


def test_a_model_of_another_user_is_not_loaded(folder: Path) -> None:
    """The file alone is theirs."""
    if os.geteuid() != 0:
        pytest.skip("only root can give a file away")
    first, _ = moved()
    moved()
    (file,) = folder.iterdir()
    disk_cache.store("models", file.name, two_bodies(folder))
    os.chown(file, 65534, 65534)
    assert moved()[0] == first
    assert file.stat().st_uid == os.geteuid()  # made anew


@pytest.mark.usefixtures("folder")
def test_bodies_come_to_a_world_whose_model_was_stored() -> None:
    """The bodies of the file are in the next compile, too."""
    for _ in range(2):
        moved()
    _, scene = moved()
    scene.add(2, thing(MESH, 2, Pose()), BodyOptions(pose=Pose((3.0, 0.0, 1.0))))
    scene.world.step()
    assert scene.world.model.nbody == 3
    assert scene.world.data.qpos[7] == pytest.approx(3.0)


BALL, BOX = Shape(ShapeKind.SPHERE, (0.3,)), Shape(ShapeKind.BOX, (0.6, 0.6, 0.6))


def beside_a_mesh(shape: Shape, models: CompiledModels | None) -> Scene:
    """A scene of a body of a mesh, and one of a shape."""
    scene = Scene(WorldOptions(gravity=GRAVITY), models)
    scene.add(1, thing(MESH, 1, Pose()), BodyOptions())
    scene.add(2, thing([shape], 2, Pose()), BodyOptions(pose=Pose((2.0, 0.0, 0.0))))
    scene.world.step()
    return scene


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "other",
    [
        BOX,
        replace(BALL, size=(0.2,)),
        replace(BALL, pose=Pose((0.0, 0.0, 0.1))),
        replace(BALL, friction=(0.1, 0.0, 0.0)),
    ],
)
def test_shapes_beside_a_mesh_are_those_of_the_scene_not_of_one_that_was_stored(
    other: Shape,
) -> None:
    """Of one link of primitives all numbers may be the same and the shapes others."""
    for _ in range(3):
        beside_a_mesh(BALL, CompiledModels())
    model = beside_a_mesh(other, CompiledModels()).world.model
    compiled = beside_a_mesh(other, None).world.model
    for name in ("geom_type", "geom_size", "geom_pos", "geom_friction", "body_inertia"):
        np.testing.assert_array_equal(getattr(model, name), getattr(compiled, name), err_msg=name)


def test_scenes_without_meshes_are_not_stored(folder: Path) -> None:
    """They compile faster than they are read."""
    for _ in range(3):
        scene = Scene(WorldOptions(), CompiledModels())
        scene.add(1, thing([BALL], 1, Pose()), BodyOptions())
        scene.world.step()
    assert not folder.exists()
