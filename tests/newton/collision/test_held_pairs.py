"""Contacts of bodies that no force moves."""

from __future__ import annotations

from typing import Any

import pytest
import warp as wp

from unibody import newton
from unibody.newton.solvers import SolverMuJoCo


def _box(builder: Any, kind: str, height: float) -> None:
    place = wp.transform(wp.vec3(0.0, 0.0, height), wp.quat_identity())
    body = -1
    if kind == "fixed":
        body = builder.add_link(mass=1.0, xform=place)
        builder.add_articulation([builder.add_joint_fixed(-1, body, parent_xform=place)])
    elif kind != "static":
        body = builder.add_body(mass=1.0, xform=place, is_kinematic=kind == "kinematic")
    own = place if kind == "static" else wp.transform()
    builder.add_shape_box(body, xform=own, hx=0.1, hy=0.1, hz=0.1)


def _model(first: str, second: str) -> newton.Model:
    builder = newton.ModelBuilder()
    _box(builder, first, 0.0)
    _box(builder, second, 0.15)
    return builder.finalize()


def _count(model: Any, **options: Any) -> int:
    pipeline = newton.CollisionPipeline(model, **options)
    contacts = pipeline.contacts()
    pipeline.collide(model.state(), contacts)
    return int(contacts.rigid_contact_count.numpy()[0])


@pytest.mark.parametrize("mode", ["explicit", "nxn", "sap"])
def test_pairs_that_no_force_moves_are_left_out_where_asked(mode: str) -> None:
    held = _model("static", "kinematic")
    assert _count(held, broad_phase=mode) > 0
    assert _count(held, broad_phase=mode, include_static_kinematic_pairs=False) == 0
    free = _model("dynamic", "kinematic")
    assert _count(free, broad_phase=mode, include_static_kinematic_pairs=False) > 0


@pytest.mark.parametrize(
    ("first", "second", "meet"),
    [
        ("static", "kinematic", False),
        ("kinematic", "kinematic", False),
        ("fixed", "kinematic", False),
        ("fixed", "dynamic", True),
        ("kinematic", "dynamic", True),
    ],
)
def test_mujoco_is_given_contacts_of_what_moves_alone(first: str, second: str, meet: bool) -> None:
    model = _model(first, second)
    solver = SolverMuJoCo(model, use_mujoco_contacts=False, njmax=100, nconmax=100)
    state = model.state()
    contacts = model.collide(state)
    assert int(contacts.rigid_contact_count.numpy()[0]) > 0
    solver.step(state, model.state(), model.control(), contacts, 0.001)
    assert (int(solver.mjw_data.nacon.numpy()[0]) > 0) == meet
