"""Contacts with meshes that are thinner than the distance up to which contacts are found."""

from __future__ import annotations

import numpy as np
import pytest
import warp as wp

from unibody import newton
from unibody.newton import solvers
from unibody.newton.mesh import Mesh


@pytest.mark.parametrize("above", [0.035, -0.005])
def test_the_far_side_of_a_thin_plate_leaves_alone_what_lies_above_it(above: float) -> None:
    plate = Mesh.create_box(1.0, 1.0, 0.04, compute_inertia=False)
    builder = newton.ModelBuilder()
    builder.default_shape_cfg.contact_margin = 0.1
    builder.add_shape_mesh(-1, mesh=plate)
    pose = wp.transform((0.3, 0.1, 0.04 + 0.08 + above), wp.quat_identity())
    box = builder.add_body(xform=pose)
    builder.add_shape_box(box, hx=0.18, hy=0.12, hz=0.08)
    model = builder.finalize(device="cpu")
    now, after = model.state(), model.state()
    contacts = model.collide(now)
    count = int(contacts.rigid_contact_count.numpy()[0])
    assert count >= 4
    assert np.abs(contacts.rigid_contact_normal.numpy()[:count, 2]).min() > 0.3
    solvers.SolverXPBD(model).step(now, after, None, contacts, 1e-3)
    speed = after.body_qd.numpy()[0, 2]
    if above > 0.0:
        assert speed == pytest.approx(-9.81e-3, rel=1e-3)
    else:  # it is lifted by what it is deep, in rounds that each take a part of it
        assert 0.0 < speed <= 5.0 + 1e-3
