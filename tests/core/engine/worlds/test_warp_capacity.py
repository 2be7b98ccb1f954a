"""Worlds on a Warp device that find more contacts than they have room for."""

from __future__ import annotations

import numpy as np
import pytest

from tests.core.engine.worlds.devices import numbers
from tests.core.engine.worlds.scenes import GRAVITY, box, plane
from unibody.core.assets.description import Pose
from unibody.core.engine.records.options import BodyOptions, WorldOptions
from unibody.core.engine.scene.scene import Scene
from unibody.core.engine.worlds import make_worlds, warp_capacity

pytest.importorskip("mujoco_warp")


def falling() -> Scene:
    """Four boxes above a plane: sixteen contacts once they have landed."""
    scene = Scene(WorldOptions(timestep=0.005, gravity=GRAVITY))
    scene.add(0, plane(), BodyOptions(fixed=True))
    for number in range(4):
        scene.add(1 + number, box(), BodyOptions(Pose((number, 0.0, 0.15))))
    return scene


@pytest.mark.parametrize("recorded", [False, True])
@pytest.mark.parametrize("room", [(5, 60), (40, 20)])  # of contacts, of rows
def test_worlds_grow_where_contacts_find_no_place(recorded, room, monkeypatch, capsys):
    expected = make_worlds(falling(), 2, device="warp-cpu")
    monkeypatch.setattr("unibody.core.engine.worlds.warp.capacity", lambda *_: room)
    worlds = make_worlds(falling(), 2, device="warp-cpu")
    friction = worlds.parameter("geom_friction")
    worlds._records = recorded
    for _ in range(120):
        expected.step()
        worlds.step()
    assert "had more contacts than there was room for" in capsys.readouterr().err
    assert worlds._watch.seen == 0
    assert worlds.parameter("geom_friction") is friction
    # what had too few contacts for some steps was turned, and slid a little until it lay flat
    found, wanted = (numbers(w.qpos).reshape(2, 4, 7) for w in (worlds, expected))
    np.testing.assert_allclose(found[..., 2], wanted[..., 2], atol=2e-4)
    np.testing.assert_allclose(found, wanted, atol=0.02)


def test_room_is_made_for_what_there_is_at_the_start():
    scene = falling()
    model, data = scene.world.model, scene.world.data
    contacts, rows = warp_capacity.capacity(model, data)
    assert contacts >= data.ncon
    assert rows >= data.nefc
