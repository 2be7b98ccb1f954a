"""Meshes that ask for a signed distance field keep their bores and sockets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh

from tests.isaacgym.scenes import DEVICES, GRAVITY, Stage, open_stage
from unibody.isaacgym import gymapi
from unibody.isaacgym.gym.sims import DEVICE_VARIABLE

MM = 1e-3
SIDES = 64
PEG = trimesh.creation.cylinder(4.0 * MM, 50 * MM, sections=SIDES)
SHAFT = trimesh.util.concatenate(
    [
        trimesh.creation.cylinder(40 * MM, 5 * MM, sections=SIDES),
        trimesh.creation.cylinder(4.5 * MM, 20 * MM, sections=SIDES).apply_translation(
            [0.0, 0.0, 12.5 * MM]
        ),
    ]
)  # the plate ends at 2.5 mm, the shaft at 22.5 mm
GEAR = trimesh.creation.annulus(5.0 * MM, 20 * MM, 10 * MM, sections=SIDES)


def socket(radius: float) -> trimesh.Trimesh:
    """A block with a bore, whose floor is 11.5 mm below the origin, the rim as far above it."""
    floor = trimesh.creation.cylinder(20 * MM, 5 * MM, sections=SIDES)
    wall = trimesh.creation.annulus(radius, 20 * MM, 23 * MM, sections=SIDES)
    return trimesh.util.concatenate([wall, floor.apply_translation([0.0, 0.0, -14 * MM])])


def load(s: Stage, name: str, mesh: trimesh.Trimesh, *, fixed: bool) -> Any:
    mesh.export(s.folder / f"{name}.obj")
    shape = f'<collision><geometry><mesh filename="{name}.obj"/></geometry>'
    text = f'<robot name="{name}"><link name="{name}">{shape}<sdf resolution="256"/></collision>'
    (s.folder / f"{name}.urdf").write_text(f"{text}</link></robot>")
    options = gymapi.AssetOptions()
    options.fix_base_link, options.thickness, options.density = fixed, 0.0, 8000.0
    return s.gym.load_asset(s.sim, str(s.folder), f"{name}.urdf", options)


@pytest.mark.parametrize(("device", "clearance"), [("cpu", 0.05), ("warp-cpu", 0.5)])
def test_a_peg_falls_into_its_socket_to_the_floor_of_the_bore(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, device: str, clearance: float
) -> None:
    """The peg starts on the axis, 1 mm above the bore, where both were put."""
    monkeypatch.setenv(DEVICE_VARIABLE, device)
    s = open_stage(tmp_path, 2, gravity=GRAVITY, substeps=2)
    s.actors(load(s, "socket", socket((4.0 + clearance) * MM), fixed=True), "socket")
    s.actors(load(s, "peg", PEG, fixed=False), "peg", z=(11.5 + 1.0 + 25.0) * MM)
    states = s.refreshed("actor_root_state").reshape(2, 2, 13)
    states[1, :, :2] += 0.1, -0.2
    s.set("actor_root_state", states.reshape(4, 13))
    s.step(60)
    found = s.refreshed("actor_root_state").reshape(2, 2, 13)
    assert found[:, 1, 2] == pytest.approx((-11.5 + 25.0) * MM, abs=0.1 * MM)
    assert found[:, 1, :2] == pytest.approx(states[:, 1, :2], abs=(clearance + 0.05) * MM)
    s.gym.destroy_sim(s.sim)


@pytest.mark.parametrize("device", DEVICES)
def test_a_gear_stays_on_its_shaft(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, device: str
) -> None:
    """The shaft is 1 mm thinner than the bore; 50 mm/s sideways would take the gear away."""
    monkeypatch.setenv(DEVICE_VARIABLE, device)
    s = open_stage(tmp_path, 1, gravity=GRAVITY, substeps=2)
    s.actors(load(s, "shaft", SHAFT, fixed=True), "shaft")
    s.actors(load(s, "gear", GEAR, fixed=False), "gear", z=(2.5 + 1.0 + 5.0) * MM)
    states = s.refreshed("actor_root_state")
    states[1, 7] = 0.05
    s.set("actor_root_state", states)
    s.step(60)
    x, y, z = s.refreshed("actor_root_state")[1, :3]
    assert np.hypot(x, y) < 0.6 * MM
    assert z == pytest.approx(7.5 * MM, abs=0.1 * MM)
    s.gym.destroy_sim(s.sim)
