"""Contacts of surfaces: a choice of them, or all."""

from __future__ import annotations

import numpy as np
import pytest
import warp as wp

from unibody import newton


def _found(model: newton.Model, *, reduced: bool) -> tuple[np.ndarray, np.ndarray]:
    """Depths [m] and normals of the contacts of a model."""
    pipeline = newton.CollisionPipeline(model, reduce_contacts=reduced)
    state, contacts = model.state(), pipeline.contacts()
    pipeline.collide(state, contacts)
    distance = wp.empty(contacts.rigid_contact_max, dtype=float, device=model.device)
    newton.eval_rigid_contact_kinematics(model, state, contacts, out_distance=distance)
    count = int(contacts.rigid_contact_count.numpy()[0])
    return distance.numpy()[:count], np.abs(contacts.rigid_contact_normal.numpy()[:count])


def _on_field(add: str, height: float, **size: float) -> newton.Model:
    field = newton.Heightfield(np.zeros((21, 21)), 21, 21, min_z=0.0, max_z=1.0)
    builder = newton.ModelBuilder()
    builder.add_shape_heightfield(heightfield=field)
    body = builder.add_body(xform=wp.transform((0.0, 0.0, height), wp.quat_identity()))
    getattr(builder, add)(body, **size)
    return builder.finalize(device="cpu")


@pytest.mark.parametrize("reduced", [True, False])
@pytest.mark.parametrize("depth", [0.005, 0.019, 0.021, 0.05])
def test_a_ball_in_a_height_field_is_pushed_up_however_deep_it_is(
    depth: float, reduced: bool
) -> None:
    model = _on_field("add_shape_sphere", 0.02 - depth, radius=0.02)
    distance, normal = _found(model, reduced=reduced)
    deepest = int(np.argmin(distance))
    assert distance[deepest] == pytest.approx(-depth, abs=1e-3)
    assert normal[deepest][2] > 0.999


def test_without_reduction_each_triangle_has_contacts_of_its_own() -> None:
    model = _on_field("add_shape_box", 0.045, hx=0.3, hy=0.3, hz=0.05)
    few, many = _found(model, reduced=True)[0], _found(model, reduced=False)[0]
    assert len(few) <= 12
    # 6 x 6 cells of two triangles are below the box
    assert len(many) >= 72
    assert many.min() == pytest.approx(-0.005, abs=5e-5)  # 1e-5 of each shape is its thickness
    assert few.min() == pytest.approx(many.min(), abs=1e-5)
