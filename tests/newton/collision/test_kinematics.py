"""Points and distances of contacts for other poses than they were found at."""

from __future__ import annotations

import numpy as np
import pytest
import warp as wp

from unibody import newton


def test_contacts_tell_their_distances_for_poses_that_bodies_have_since() -> None:
    builder = newton.ModelBuilder()
    builder.add_ground_plane()
    body = builder.add_body(xform=((0.0, 0.0, 0.19), (0.0, 0.0, 0.0, 1.0)))
    builder.add_shape_sphere(body, radius=0.2)
    model = builder.finalize(device="cpu", requires_grad=True)
    state = model.state()
    contacts = model.collide(state)
    room = contacts.rigid_contact_max
    distance = wp.zeros(room, dtype=float, device="cpu", requires_grad=True)
    first = wp.zeros(room, dtype=wp.vec3, device="cpu")
    second = wp.zeros(room, dtype=wp.vec3, device="cpu")
    pose = np.array([[0.0, 0.0, 0.25, 0.0, 0.0, 0.0, 1.0]], np.float32)
    state.body_q.assign(pose)
    tape = wp.Tape()
    with tape:
        newton.eval_rigid_contact_kinematics(
            model, state, contacts, out_distance=distance, out_point0_world=first
        )
    newton.eval_rigid_contact_kinematics(model, state, contacts, out_point1_world=second)
    assert contacts.rigid_contact_count.numpy()[0] == 1
    # 0.25 m up, with a radius of 0.2 m; a contact keeps a few 1e-5 m of thickness
    assert distance.numpy()[0] == pytest.approx(0.05, abs=1e-4)
    assert first.numpy()[0] == pytest.approx([0.0, 0.0, 0.0], abs=1e-4)
    assert second.numpy()[0] == pytest.approx([0.0, 0.0, 0.25], abs=1e-4)
    seed = np.zeros(room, np.float32)
    seed[0] = 1.0
    tape.backward(grads={distance: wp.array(seed, dtype=float, device="cpu")})
    assert state.body_q.grad.numpy()[0, :3] == pytest.approx([0.0, 0.0, 1.0], abs=1e-5)


def test_wrong_arrays_for_contacts_are_named() -> None:
    builder = newton.ModelBuilder()
    builder.add_ground_plane()
    builder.add_shape_sphere(builder.add_body(), radius=0.2)
    model = builder.finalize(device="cpu")
    state, contacts = model.state(), model.contacts()
    tell = newton.eval_rigid_contact_kinematics
    with pytest.raises(ValueError, match="at least one"):
        tell(model, state, contacts)
    with pytest.raises(ValueError, match=r"out_distance.*shape"):
        tell(model, state, contacts, out_distance=wp.zeros(3, dtype=float, device="cpu"))
    room = contacts.rigid_contact_max
    with pytest.raises(TypeError, match="vec3"):
        tell(model, state, contacts, out_point0_world=wp.zeros(room, dtype=float, device="cpu"))
    with pytest.raises(TypeError, match="list"):
        tell(model, state, contacts, out_distance=[0.0] * room)
