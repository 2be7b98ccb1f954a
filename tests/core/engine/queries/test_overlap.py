"""Compiled answers about shapes that overlap are those of the Python functions."""

from __future__ import annotations

import itertools
from types import SimpleNamespace
from typing import Any

import mujoco
import numpy as np
import pytest

from unibody.core.engine.queries.distances import GeomPairs, geom_distances

KINDS = {
    "box": 'type="box" size="0.3 0.2 0.1"',
    "sphere": 'type="sphere" size="0.2"',
    "capsule": 'type="capsule" size="0.1 0.2"',
    "cylinder": 'type="cylinder" size="0.2 0.1"',
    "ellipsoid": 'type="ellipsoid" size="0.3 0.2 0.1"',
    "mesh": 'type="mesh" mesh="wedge"',
}
WEDGE = "0 0 0 0.5 0 0 0 0.4 0 0 0 0.3 0.5 0.4 0.1"
PAIRS = list(itertools.combinations_with_replacement(KINDS, 2))


def world_of(first: str, second: str) -> Any:
    """All that a measurement needs of a world."""
    bodies = "".join(f"<body><freejoint/><geom {KINDS[kind]}/></body>" for kind in (first, second))
    text = f'<mujoco><asset><mesh name="wedge" vertex="{WEDGE}"/></asset>'
    model = mujoco.MjModel.from_xml_string(f"{text}<worldbody>{bodies}</worldbody></mujoco>")
    return SimpleNamespace(model=model, data=mujoco.MjData(model))


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_compiled_code_finds_of_two_shapes_what_python_does(first: str, second: str) -> None:
    world = world_of(first, second)
    random = np.random.default_rng(7)
    model, data = world.model, world.data
    pairs = GeomPairs(world, [(0, 1)], [("head",)], ("tail",))
    deep = 0
    for turned, reach in itertools.product((True, False), (0.0, 0.1, 0.3, 0.5)):
        for _ in range(5):
            for at in (0, 7):
                data.qpos[at : at + 3] = random.uniform(-reach, reach, 3).round(2)
                data.qpos[at + 3 : at + 7] = random.normal(size=4) if turned else (1, 0, 0, 0)
            mujoco.mj_kinematics(model, data)
            wanted = geom_distances(model, data, 0, 1, 0.05)
            found = pairs.rows(0.05)
            assert len(found) == len(wanted)
            for row, (distance, on_a, on_b, normal) in zip(found, wanted, strict=True):
                head, here, there, direction, gap, tail = row
                assert (head, tail) == ("head", "tail")
                # sums in another order: a few units in the last place of points 1 m away
                np.testing.assert_allclose((*here, *there), (*on_a, *on_b), rtol=0, atol=1e-12)
                np.testing.assert_allclose((*direction, gap), (*normal, distance), 0, 1e-9)
                deep += gap < 0.0
    assert deep > 20
