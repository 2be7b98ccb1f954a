"""Caches are bounded by bytes, so that what is new in each episode does not add up."""

from __future__ import annotations

import gc
from pathlib import Path

import mujoco
import numpy as np
import pytest

import unibody.bullet as p
from unibody.core.assets.bounded_cache import BoundedCache, asset_bytes
from unibody.core.assets.description import Asset, HeightfieldData, Link, Shape, ShapeKind
from unibody.core.assets.mesh import hull as mesh_hull
from unibody.core.assets.mesh import load as meshes
from unibody.core.engine.mesh_contacts import surface
from unibody.core.engine.spec import asset_checks

SMALL = 256 << 10
WARM_UP, ROUNDS = 400, 200


def test_what_was_used_longest_ago_goes_when_the_bytes_are_too_many() -> None:
    cache: BoundedCache[str, int] = BoundedCache(10, 10_000)
    for number, name in enumerate("abc"):
        cache.put(name, number, 2_000)
    assert cache.get("a") == 0
    cache.put("d", 3, 2_000)
    assert [cache.get(name) for name in "abcd"] == [0, None, 2, 3]
    cache.put("e", 4, 50_000)
    assert len(cache) == 1
    assert cache.get("e") == 4
    cache.clear()
    assert cache.nbytes == len(cache) == 0


def test_an_asset_counts_with_its_heights() -> None:
    field = HeightfieldData(100, 100, tuple(np.zeros(10_000)), (1.0, 1.0))
    link = Link("l", collisions=[Shape(ShapeKind.HEIGHTFIELD, heightfield=field)])
    # A tuple of 10 000 numbers: 8 bytes of a reference and 24 of a number each.
    assert 320_000 <= asset_bytes(Asset("a", [link])) < 330_000


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * 4096


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs Linux's /proc")
@pytest.mark.parametrize("kind", ["scale", "field"])
def test_a_new_mesh_scale_or_height_field_each_episode_leaves_memory_flat(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Full from the beginning, so that a hundred rounds say what ten thousand would.
    caches = [
        (mesh_hull, "_memory"), (mesh_hull, "_parts"), (meshes, "_scaled"), (surface, "_cache"),
        (asset_checks, "_passed"), (asset_checks, "_contents"),
    ]  # fmt: skip
    for module, name in caches:
        monkeypatch.setattr(module, name, BoundedCache(1000, SMALL))
    monkeypatch.setattr("unibody.bullet.bodies.loading._placings", BoundedCache(1000, SMALL))
    cache = mujoco.mj_getCache()
    file = tmp_path / "grid.obj"
    rng = np.random.default_rng(0)
    points = rng.normal(size=(1100, 3))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    rows = [f"v {x} {y} {z}" for x, y, z in points]
    file.write_text("\n".join([*rows, "f 1 2 3"]))
    p.connect(p.DIRECT)
    before = capacity = 0
    for number in range(WARM_UP + ROUNDS):
        p.resetSimulation()
        if kind == "scale":
            scale = [1 + number * 1e-4] * 3
            shape = p.createCollisionShape(p.GEOM_MESH, fileName=str(file), meshScale=scale)
        else:
            heights = rng.uniform(0, 0.1, 100 * 100)
            shape = p.createCollisionShape(
                p.GEOM_HEIGHTFIELD, meshScale=[0.1, 0.1, 1], heightfieldData=heights,
                numHeightfieldRows=100, numHeightfieldColumns=100,
            )  # fmt: skip
        p.createMultiBody(int(kind == "scale"), shape)
        p.stepSimulation()
        if number == WARM_UP:
            capacity = mujoco.mj_getCacheCapacity(cache)
            mujoco.mj_setCacheCapacity(cache, SMALL)
            gc.collect()
            before = _resident()
    gc.collect()
    grown = _resident() - before
    mujoco.mj_setCacheCapacity(cache, capacity)
    p.disconnect()
    # A hundredth; without bounds 200 scales add 140 MB, and 200 fields 90 MB.
    assert grown < 0.01 * before
    assert capacity <= 32 << 20 or kind == "field"
