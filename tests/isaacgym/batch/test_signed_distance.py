"""Meshes that ask for a signed distance field keep their bores and sockets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh

from tests.isaacgym.scenes import DEVICES, DT, GRAVITY, Stage, open_stage
from unibody.isaacgym import gymapi
from unibody.isaacgym.gym.sims import DEVICE_VARIABLE

MM = 1e-3
SIDES = 64
A_TOOTH = 64  # outline points of a tooth: a gear of 24 has 12 000 triangles
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


def socket(radius: float) -> Any:
    """A block with a bore, whose floor is 11.5 mm below the origin, the rim as far above it."""
    floor = trimesh.creation.cylinder(20 * MM, 5 * MM, sections=SIDES)
    wall = trimesh.creation.annulus(radius, 20 * MM, 23 * MM, sections=SIDES)
    return trimesh.util.concatenate([wall, floor.apply_translation([0.0, 0.0, -14 * MM])])


def load(s: Stage, name: str, mesh: Any, *, fixed: bool) -> Any:
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
def test_a_square_peg_falls_past_the_mouth_of_its_socket_as_if_there_were_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, device: str
) -> None:
    """Between peg and socket are 0.07 mm, above it 1 mm, which it falls in the second step.

    From rest at z the semi-implicit rule ends two steps of h at v = -2 g h and z - 3 g h^2.
    """
    monkeypatch.setenv(DEVICE_VARIABLE, device)
    s = open_stage(tmp_path, 1, gravity=GRAVITY, substeps=2)
    wide, deep = 2.055 * MM, 9.0 * MM
    beams = [
        trimesh.creation.box([25 * MM, 10 * MM, deep]).apply_translation([0, y, 0.5 * deep])
        for y in (-wide - 5 * MM, wide + 5 * MM)
    ] + [
        trimesh.creation.box([10 * MM, 2 * wide, deep]).apply_translation([x, 0, 0.5 * deep])
        for x in (-wide - 5 * MM, wide + 5 * MM)
    ]
    s.actors(load(s, "socket", trimesh.util.concatenate(beams), fixed=True), "socket")
    peg = trimesh.creation.box([3.97 * MM, 3.97 * MM, 50 * MM])
    start = deep + 1.0 * MM + 25 * MM
    s.actors(load(s, "peg", peg, fixed=False), "peg", z=start)
    s.step(1)
    state = s.refreshed("actor_root_state")[1]
    h = DT / 2
    assert state[2] == pytest.approx(start - 3.0 * 9.81 * h**2, abs=1e-6)
    assert state[7:] == pytest.approx([0.0, 0.0, -2.0 * 9.81 * h, 0.0, 0.0, 0.0], abs=1e-4)
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


def extruded(outer: np.ndarray, inner: np.ndarray, height: float) -> trimesh.Trimesh:
    """A ring whose outer and inner radius are given by angle, from -height / 2 to height / 2."""
    count = len(outer)
    turn = 2 * np.pi * np.arange(count) / count
    circle = np.stack([np.cos(turn), np.sin(turn), np.zeros(count)], axis=1)
    lift = [0.0, 0.0, height / 2]
    shells = [circle * r[:, None] + s for r in (outer, inner) for s in (np.negative(lift), lift)]
    faces: list[tuple[int, int, int]] = []
    for k in range(count):
        n = (k + 1) % count
        for one, two in ((0, 1), (1, 3), (3, 2), (2, 0)):
            a, b, c, d = one * count + k, one * count + n, two * count + n, two * count + k
            faces += [(a, b, c), (a, c, d)]
    return trimesh.Trimesh(np.concatenate(shells), faces, process=False)


def toothed(bore: float, teeth: int) -> trimesh.Trimesh:
    """A gear of 10 mm: triangular teeth of 2 mm on a ring of 18 mm."""
    phase = np.arange(teeth * A_TOOTH) % A_TOOTH / A_TOOTH
    outer = 18 * MM + 2 * MM * (1.0 - np.abs(2.0 * phase - 1.0))
    return extruded(outer, np.full(teeth * A_TOOTH, bore), 10 * MM)


def test_a_gear_with_a_tenth_of_a_millimetre_around_its_shaft_goes_down_to_the_plate(
    tmp_path: Path,
) -> None:
    """One starts above the end of the shaft, one around it, turned and 0.03 mm off the axis."""
    s = open_stage(tmp_path, 2, gravity=GRAVITY, substeps=2)
    s.actors(load(s, "shaft", SHAFT, fixed=True), "shaft")
    s.actors(load(s, "gear", toothed(4.6 * MM, 24), fixed=False), "gear", z=(22.5 + 1 + 5) * MM)
    states = s.refreshed("actor_root_state").reshape(2, 2, 13)
    states[1, 1, :3] = 0.03 * MM, 0.0, 15 * MM
    states[1, 1, 3:7] = 0.0, 0.0, np.sin(0.2), np.cos(0.2)
    s.set("actor_root_state", states.reshape(4, 13))
    s.step(100)
    x, y, z = s.refreshed("actor_root_state").reshape(2, 2, 13)[:, 1, :3].T
    assert np.hypot(x, y).max() < 0.15 * MM
    assert z == pytest.approx(7.5 * MM, abs=0.1 * MM)
    s.gym.destroy_sim(s.sim)


def test_gears_side_by_side_on_their_shafts_mesh(tmp_path: Path) -> None:
    """Their axes are 39 mm apart, their teeth end at 20 mm: they lie in each other's gaps."""
    s = open_stage(tmp_path, 1, gravity=GRAVITY, substeps=2)
    other: Any = SHAFT.copy()
    other.apply_translation([39 * MM, 0.0, 0.0])
    s.actors(load(s, "shafts", trimesh.util.concatenate([SHAFT, other]), fixed=True), "shafts")
    gear = load(s, "gear", toothed(4.6 * MM, 24), fixed=False)
    for name in ("first", "second"):
        s.actors(gear, name, z=7.6 * MM)
    half = np.pi / 24  # the first has a gap at the angle 0, the second a tooth at 180 degrees
    states = s.refreshed("actor_root_state")
    states[2, 0] = 39 * MM
    states[2, 3:7] = 0.0, 0.0, np.sin(half / 2), np.cos(half / 2)
    s.set("actor_root_state", states)
    s.step(100)
    found = s.refreshed("actor_root_state")
    assert found[1, :3] == pytest.approx([0.0, 0.0, 7.5 * MM], abs=0.15 * MM)
    assert found[2, :3] == pytest.approx([39 * MM, 0.0, 7.5 * MM], abs=0.15 * MM)
    s.gym.destroy_sim(s.sim)


def test_a_nut_that_starts_within_a_thicker_bolt_leaves_it_slowly(tmp_path: Path) -> None:
    """Its bore is 0.4 mm narrower than the shaft, as a thread's crest is than the other's."""
    s = open_stage(tmp_path, 1, gravity=GRAVITY, substeps=2)
    s.actors(load(s, "bolt", SHAFT, fixed=True), "bolt")
    s.actors(load(s, "nut", toothed(4.1 * MM, 6), fixed=False), "nut", z=15 * MM)
    for _ in range(20):
        s.step(5)
        state = s.refreshed("actor_root_state")[1]
        assert np.linalg.norm(state[:3] - [0.0, 0.0, 15 * MM]) < 10 * MM
        assert np.linalg.norm(state[7:10]) < 1.0
    s.gym.destroy_sim(s.sim)
