"""Views of cables, cloths and soft bodies in many worlds, in the 1.x dialect."""

from __future__ import annotations

import functools
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

sys.path.append(str(Path(__file__).parent))
from later import found_later

_SCRIPT = """
import re
from newton_selection import DeformableCurveView, DeformableSurfaceView, DeformableVolumeView
found = {}
at = {"pos": wp.vec3(0.0, 0.0, 2.0), "rot": wp.quat_identity(), "vel": wp.vec3(0.0)}

def cloth(builder, label, cells=1):
    builder.add_cloth_grid(
        **at, dim_x=cells, dim_y=1, cell_x=1.0, cell_y=1.0, mass=1.0, label=label)

def soft(builder, label):
    builder.add_soft_grid(
        **at, dim_x=1, dim_y=1, dim_z=1, cell_x=1.0, cell_y=1.0, cell_z=1.0, density=1.0,
        k_mu=1.0, k_lambda=1.0, k_damp=0.0, label=label)

def cable(builder, label):
    builder.add_rod(
        rod=newton.Rod([(0.1 * k, 0.0, 1.0) for k in range(4)], radius=0.02), label=label,
        body_frame_origin="com")

def model_of(gaps):
    builder = newton.ModelBuilder()
    for gap in gaps:
        builder.begin_world()
        for _ in range(gap):
            builder.add_particle(wp.vec3(0.0), wp.vec3(0.0), 1.0)
        cloth(builder, "napkin")
        soft(builder, "cushion")
        cable(builder, "cord")
        builder.end_world()
    return builder.finalize(device="cpu")

for name, gaps in (("even", (0, 0, 0)), ("uneven", (0, 1, 2))):
    model = model_of(gaps)
    view = DeformableSurfaceView(model, "nap*")
    state = model.state()
    rows = view.get_particle_positions(state)
    places = rows.numpy().copy()
    places[..., 2] += np.array([1.0, 2.0, 3.0])[:, None]
    before = state.particle_q.numpy().copy()
    view.set_particle_positions(state, places, mask=[True, False, True])
    moved = (state.particle_q.numpy() - before)[:, 2]
    seed = model.state(requires_grad=True)
    with wp.Tape() as tape:
        copy = wp.zeros((3, 4), dtype=wp.vec3, requires_grad=True)
        wp.copy(copy, view.get_particle_positions(seed))
    tape.backward(grads={copy: wp.ones_like(copy)})
    found[name] = {
        "shape": list(rows.shape),
        "ranges": view.ranges("particle"),
        "moved": moved.tolist(),
        "live": rows.numpy()[..., 2].tolist() if name == "even" else None,
        "again": view.get_particle_positions(state).numpy()[..., 2].tolist(),
        "same": view.get_particle_positions(state) is rows,
        "gradient": seed.particle_q.grad.numpy()[:, 0].tolist(),
        "triangles": view.element_count("triangle"),
    }

model = model_of((0, 0))
volume, curve = DeformableVolumeView(model, ["cushion"]), DeformableCurveView(model, "cord")
state = model.state()
poses = curve.get_body_transforms(state).numpy().copy()
poses[..., 0] += 5.0
curve.set_body_transforms(state, poses, mask=wp.array([False, True], dtype=wp.bool))
found["families"] = {
    "volume": [volume.labels, volume.worlds, volume.particle_count, volume.ranges("tetrahedron")],
    "curve": [curve.labels, curve.worlds, curve.body_count, curve.ranges("joint")],
    "moved": (state.body_q.numpy() - model.body_q.numpy())[:, 0].tolist(),
    "masses": volume.get_particle_inv_masses(model).numpy()[0].tolist(),
    "flags": volume.get_particle_flags(model).numpy()[0].tolist(),
}
mask = wp.zeros(2, dtype=wp.bool)
curve.set_mask_from_indices(mask, [1, 1])
found["mask"] = mask.numpy().tolist()
curve.set_mask_from_indices(mask, wp.array([-1, 0, 7], dtype=wp.int32))
found["of_device"] = mask.numpy().tolist()

builder = newton.ModelBuilder()
for count in (1, 2, 0):
    builder.begin_world()
    for k in range(count):
        cloth(builder, f"cloth_{k}", cells=1 + k)
    if not count:
        builder.add_particle(wp.vec3(0.0), wp.vec3(0.0), 1.0)
    builder.end_world()
model = builder.finalize(device="cpu")
view = DeformableSurfaceView(model, re.compile("cloth_[01]"))
found["varying"] = [
    view.count_per_world, view.deformable_object_ranges(), view.worlds, view.particle_count,
    DeformableSurfaceView(model, [0, 2]).labels,
]

def told(action):
    try:
        action()
    except Exception as error:
        return f"{type(error).__name__}: {error}"

state = model.state()
one = DeformableSurfaceView(model, "cloth_0")
found["errors"] = {
    "none": told(lambda: DeformableSurfaceView(model, "no_such")),
    "varying": told(lambda: view.get_particle_positions(state)),
    "kind": told(lambda: view.ranges("body")),
    "order": told(lambda: DeformableSurfaceView(model, [2, 0])),
    "shape": told(lambda: one.set_particle_positions(state, np.zeros((3, 4, 3)))),
    "mask": told(lambda: one.set_particle_positions(state, np.zeros((2, 4, 3)), mask=[True])),
    "index": told(lambda: one.set_mask_from_indices(mask, [2])),
    "overlap": told(lambda: one.set_particle_positions(state, one.get_particle_positions(state))),
}
"""


@functools.cache
def _found() -> Any:
    script = _SCRIPT.replace("from newton_selection", "from unibody.newton.selection")
    return found_later(script)


@pytest.mark.parametrize("name", ["even", "uneven"])
def test_writes_reach_the_objects_that_a_mask_means(name: str) -> None:
    found = _found()[name]
    assert found["shape"] == [3, 4]
    wanted = np.zeros(len(found["moved"]))
    for row, way in ((0, 1.0), (2, 3.0)):
        wanted[slice(*found["ranges"][row])] = way
    assert found["moved"] == pytest.approx(wanted)
    assert found["triangles"] == 2


@pytest.mark.parametrize("name", ["even", "uneven"])
def test_what_is_read_follows_the_state(name: str) -> None:
    found = _found()[name]
    assert found["again"] == [[3.0] * 4, [2.0] * 4, [5.0] * 4]
    assert found["same"]


def test_rows_are_views_where_objects_are_evenly_spaced() -> None:
    assert _found()["even"]["live"] == _found()["even"]["again"]


@pytest.mark.parametrize("name", ["even", "uneven"])
def test_gradients_reach_the_particles_of_the_objects_alone(name: str) -> None:
    found = _found()[name]
    wanted = np.zeros(len(found["gradient"]))
    for row in found["ranges"]:
        wanted[slice(*row)] = 1.0
    assert found["gradient"] == pytest.approx(wanted)


def test_soft_bodies_and_cables_are_families_of_their_own() -> None:
    found = _found()["families"]
    assert found["volume"] == [["cushion"] * 2, [0, 1], 8, [[0, 5], [5, 10]]]
    assert found["curve"] == [["cord"] * 2, [0, 1], 3, [[0, 3], [3, 6]]]
    assert found["moved"] == pytest.approx([0.0] * 3 + [5.0] * 3)
    assert found["masses"] == pytest.approx([1.0] * 8)  # each has the mass of a cell, 1 kg
    assert found["flags"] == [1] * 8


def test_indices_become_a_mask() -> None:
    assert _found()["mask"] == [False, True]
    assert _found()["of_device"] == [True, False]


def test_worlds_may_have_different_numbers_of_objects() -> None:
    ranges = [[0, 1], [1, 3], [3, 3]]
    assert _found()["varying"] == [None, ranges, [0, 1, 1], None, ["cloth_0", "cloth_1"]]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("none", "KeyError: .*no_such"),
        ("varying", r"ValueError: Varying particle counts.*\[4, 6\].*ranges"),
        ("kind", "ValueError: .*particle, triangle, edge.*'body'"),
        ("order", "ValueError: .*ascending"),
        ("shape", r"ValueError: values.*\(2, 4, 3\)"),
        ("mask", r"ValueError: the mask.*\(2,\)"),
        ("overlap", "ValueError: values overlap"),
        ("index", r"ValueError: .*2 is not in \[0, 2\)"),
    ],
)
def test_what_does_not_fit_is_refused(name: str, message: str) -> None:
    assert re.match(message, _found()["errors"][name])
