"""Contacts that a pipeline recognises in its next pass."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import warp as wp

from unibody import newton
from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.newton.solvers import SolverVBD


def _boxes(count: int = 2) -> Any:
    """Cubes of 0.2 m beside one another that lie 1 mm deep in the ground."""
    builder = newton.ModelBuilder()
    builder.add_ground_plane()
    for k in range(count):
        body = builder.add_body(xform=wp.transform((k, 0.0, 0.099), wp.quat_identity()))
        builder.add_shape_box(body, hx=0.1, hy=0.1, hz=0.1)
    builder.color()
    return builder.finalize(device="cpu")


def _pass(pipeline: Any, contacts: Any, state: Any) -> np.ndarray:
    pipeline.collide(state, contacts)
    return contacts.rigid_contact_match_index.numpy()[: contacts.rigid_contact_count.numpy()[0]]


def _move(state: Any, body: int, by: tuple[float, float, float]) -> None:
    q = state.body_q.numpy()
    q[body, :3] += by
    state.body_q.assign(q)


def test_contacts_that_stay_near_are_those_of_the_pass_before() -> None:
    model = _boxes()
    pipeline = newton.CollisionPipeline(model, contact_matching="latest")
    contacts, state = pipeline.contacts(), model.state()
    first = _pass(pipeline, contacts, state)
    assert len(first) == 8
    assert first.tolist() == [-1] * 8
    shapes = contacts.rigid_contact_shape1.numpy()[:8].copy()
    _move(state, 0, (0.0004, 0.0, 0.0))
    _move(state, 1, (0.0006, 0.0, 0.0))
    second = _pass(pipeline, contacts, state)
    # Contacts may move by 0.5 mm: those of the first box are the same, those of the second not.
    mine = shapes == shapes.min()
    assert sorted(second[mine].tolist()) == np.flatnonzero(mine).tolist()
    assert second[~mine].tolist() == [-2] * 4
    pipeline.reset_contact_matching()
    assert _pass(pipeline, contacts, state).tolist() == [-1] * 8


def test_one_contact_of_the_pass_before_is_that_of_one_contact_at_most() -> None:
    model = _boxes(1)
    pipeline = newton.CollisionPipeline(
        model, contact_matching="latest", contact_matching_pos_threshold=0.5
    )
    contacts, state = pipeline.contacts(), model.state()
    _pass(pipeline, contacts, state)
    before = contacts.rigid_contact_point0.numpy()[:4].copy()
    # By 0.15 m, further than half an edge: two corners are nearest to each corner on their way.
    _move(state, 0, (0.15, 0.0, 0.0))
    found = _pass(pipeline, contacts, state)
    now = contacts.rigid_contact_point0.numpy()[:4]
    for i, index in enumerate(found.tolist()):
        if now[i, 0] < 0.1:  # the corners that were behind: 0.05 m from where others were
            assert index >= 0
            assert abs(np.linalg.norm(before[index] - now[i]) - 0.05) < 1e-4
        else:
            assert index == -2


def test_contacts_that_press_keep_their_points_where_they_are_sticky() -> None:
    found = {}
    for mode in ("latest", "sticky"):
        model = _boxes(1)
        pipeline = newton.CollisionPipeline(model, contact_matching=mode)
        contacts, state = pipeline.contacts(), model.state()
        _pass(pipeline, contacts, state)
        began = contacts.rigid_contact_point0.numpy()[:4].copy()
        for _ in range(3):
            _move(state, 0, (0.0001, 0.0, 0.0))
            assert (_pass(pipeline, contacts, state) >= 0).all()
        ends = contacts.rigid_contact_point0.numpy()[:4]
        order = [np.lexsort(points.T.round(3)) for points in (began, ends)]
        found[mode] = (ends[order[1]] - began[order[0]])[:, 0]
    # The ground's points follow the box, unless they stay where the contact began.
    np.testing.assert_allclose(found["latest"], 0.0003, atol=1e-6)
    np.testing.assert_allclose(found["sticky"], 0.0, atol=1e-6)


def test_wrong_arguments_of_matching_are_named() -> None:
    model = _boxes(1)
    make = newton.CollisionPipeline
    with pytest.raises(InvalidArgumentError, match="disabled or latest or sticky"):
        make(model, contact_matching="first")
    with pytest.raises(InvalidArgumentError, match="contact_matching_pos_threshold"):
        make(model, contact_matching="latest", contact_matching_pos_threshold=-1.0)
    with pytest.raises(InvalidArgumentError, match="contact_matching_normal_dot_threshold"):
        make(model, contact_matching="latest", contact_matching_normal_dot_threshold=2.0)
    with pytest.raises(NotSupportedError, match="contact_report"):
        make(model, contact_matching="latest", contact_report=True)
    plain = make(model)
    assert plain.contacts().rigid_contact_match_index is None
    matching = make(model, contact_matching="latest")
    with pytest.raises(InvalidArgumentError, match="indices of matches"):
        matching.collide(model.state(), plain.contacts())
    solver = SolverVBD(model, rigid_contact_history=True)
    states = model.state(), model.state()
    with pytest.raises(InvalidArgumentError, match="contact_matching"):
        solver.step(*states, model.control(), plain.collide(states[0]), 0.01)
