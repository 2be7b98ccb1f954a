"""ArticulationView."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import warp as wp

from unibody import newton
from unibody.errors import InvalidArgumentError
from unibody.newton import dialect
from unibody.newton.selection import ArticulationView

WALKER = """<mujoco model="walker"><worldbody>
<body name="torso" pos="0 0 1"><freejoint name="root"/>
<geom type="sphere" size="0.1"/><body name="leg" pos="0.1 0 0"><joint name="hip"/>
<geom type="sphere" size="0.05"/><body name="foot" pos="0.1 0 0"><joint name="knee"/>
<geom name="sole" type="sphere" size="0.05"/></body></body></body></worldbody></mujoco>"""


@pytest.fixture
def model() -> newton.Model:
    one = newton.ModelBuilder()
    one.add_mjcf(WALKER)
    builder = newton.ModelBuilder()
    builder.replicate(one, 3)
    builder.add_ground_plane()
    return builder.finalize()


def test_names_are_those_of_the_first_articulation(model: newton.Model) -> None:
    view: Any = ArticulationView(model, "walk*")
    assert (view.world_count, view.count_per_world, view.count) == (3, 1, 3)
    assert view.joint_names == ["root", "hip", "knee"]
    assert view.link_names == view.body_names == ["torso", "leg", "foot"]
    assert view.shape_names[-1] == "sole"
    assert view.link_shapes == [[0], [1], [2]]
    assert view.is_floating_base
    assert view.joint_dof_count == 8


def test_joints_and_links_are_chosen_by_name_number_and_kind(model: newton.Model) -> None:
    free = [newton.JointType.FREE]
    view = ArticulationView(model, "walker", exclude_joint_types=free, exclude_links=["t*", 1])
    assert view.joint_names == ["hip", "knee"]
    assert view.link_names == ["foot"]
    knee: Any = ArticulationView(model, "walker", include_joints="knee")
    assert knee.joint_dof_names == ["knee"]
    with pytest.raises(KeyError, match="runner"):
        ArticulationView(model, "runner")


def test_values_are_live_views_and_written_where_the_mask_says(model: newton.Model) -> None:
    view = ArticulationView(model, "walker", exclude_joint_types=[newton.JointType.FREE])
    state = model.state()
    live = view.get_dof_positions(state)
    assert live.shape == (3, 1, 2)
    view.set_dof_positions(state, [[[0.1, 0.2]], [[0.3, 0.4]], [[0.5, 0.6]]], mask=[1, 0, 1])
    np.testing.assert_allclose(live.numpy()[:, 0], [[0.1, 0.2], [0.0, 0.0], [0.5, 0.6]], rtol=1e-6)
    view.set_attribute("joint_armature", model, 0.5)
    armature = model.joint_armature.numpy().reshape(3, 8)
    assert (armature[:, 6:] == 0.5).all()
    assert not (armature[:, :6] == 0.5).any()


def test_roots_are_moved_by_their_joints(model: newton.Model) -> None:
    view = ArticulationView(model, "walker")
    state = model.state()
    poses = view.get_root_transforms(state).numpy()
    assert poses.shape == (3, 1, 7)
    poses[..., 2] = 2.0
    view.set_root_transforms(state, poses)
    view.set_root_velocities(state, wp.array(np.ones((3, 1, 6)), dtype=wp.spatial_vector))
    view.eval_fk(state, mask=[True, False, True])
    heights = view.get_link_transforms(state).numpy()[:, 0, 0, 2]
    np.testing.assert_allclose(heights, [2.0, 1.0, 2.0])
    assert (view.get_root_velocities(state).numpy() == 1.0).all()


def test_articulations_that_are_not_alike_are_refused() -> None:
    builder = newton.ModelBuilder()
    for text in (WALKER, WALKER.replace('<joint name="knee"/>', "")):
        one = newton.ModelBuilder()
        one.add_mjcf(text)
        builder.add_world(one)
    with pytest.raises(InvalidArgumentError, match="not identical"):
        ArticulationView(builder.finalize(), "walker")


def test_rows_that_say_which_articulation_they_belong_to_are_attributes_of_views() -> None:
    text = WALKER.replace(
        "</worldbody>",
        """</worldbody><tendon><spatial><site site="s"/>
        <pulley divisor="2"/><site site="t"/></spatial></tendon>""",
    )
    text = text.replace(
        '<joint name="hip"/>', '<joint name="hip"/><site name="s"/><site name="t"/>'
    )
    dialect.choose("1", "1")
    try:
        one = newton.ModelBuilder()
        one.add_mjcf(text)
        builder = newton.ModelBuilder()
        builder.replicate(one, 2)
        model = builder.finalize()
        view = ArticulationView(model, "walk*")
        kinds = view.get_attribute("mujoco.tendon_wrap_type", model)
    finally:
        dialect.choose("0.2", "0.2")
    assert model.mujoco.tendon_wrap_articulation.numpy().tolist() == [0, 0, 0, 1, 1, 1]
    assert view.custom_frequency_counts["mujoco:tendon_wrap"] == 3
    assert kinds.numpy().tolist() == [[[0, 2, 0]], [[0, 2, 0]]]
