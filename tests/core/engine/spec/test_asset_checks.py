"""Asking MuJoCo about assets, once on a machine."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from unibody.core.assets.description import Asset, Inertial, Link, MeshSource, Pose, Shape
from unibody.core.assets.description import ShapeKind as Kind
from unibody.core.engine.records.options import BodyOptions
from unibody.core.engine.scene.scene import Scene
from unibody.core.engine.spec import asset_checks
from unibody.errors import AssetError


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "unibody" / "passed"


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[Asset]:
    """The assets that MuJoCo was asked about."""
    asked: list[Asset] = []
    original = asset_checks._compile

    def noting(spec: object, asset: Asset) -> None:
        asked.append(asset)
        original(spec, asset)

    monkeypatch.setattr(asset_checks, "_compile", noting)
    return asked


def body(mass: float = 1.0, *, size: float = 0.1, arm: bool = False) -> Asset:
    points = np.random.default_rng(1).normal(size=(30, 3)) * size
    mesh = MeshSource(vertices=tuple(map(tuple, points.tolist())))
    shape = Shape(Kind.MESH, mesh=mesh, margin=0.001)
    inertial = Inertial(mass, inertia=(mass, mass, mass, 0.0, 0.0, 0.0))
    links = [Link("base", inertial=inertial, collisions=[shape])]
    if arm:
        links.append(Link("arm", parent=0, inertial=inertial, collisions=[shape]))
    return Asset("body", links)


def test_what_passed_once_is_not_asked_about_again(compiled: list[Asset], folder: Path) -> None:
    for _ in range(2):
        Scene().add(1, body(), BodyOptions())
    assert len(compiled) == 1
    assert len(list(folder.iterdir())) == 1


@pytest.mark.parametrize("other", [body(2.0), body(size=0.2), body(arm=True)])
def test_what_differs_is_asked_about(compiled: list[Asset], other: Asset) -> None:
    Scene().add(1, body(), BodyOptions())
    Scene().add(1, other, BodyOptions())
    Scene().add(1, body(), BodyOptions(fixed=True))
    Scene().add(1, body(), BodyOptions(pose=Pose((1.0, 2.0, 3.0))))
    assert len(compiled) == 3


def test_what_mujoco_refuses_is_refused_each_time(folder: Path) -> None:
    flawed = body(size=1e-6)  # m
    flawed.links[0].collisions[0].margin = 0.0
    scene = Scene()
    for _ in range(2):
        with pytest.raises(AssetError, match="volume is too small"):
            scene.add(1, flawed, BodyOptions())
    assert not scene.bodies
    assert not folder.exists()
