"""Pictures of tasks."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np

import unibody.envs  # noqa: F401 - Gymnasium knows the tasks then


def test_there_is_ground_under_a_robot_that_has_gone_far() -> None:
    vector: Any = gymnasium.make_vec("unibody/Ant-v0", num_envs=1, render_mode="rgb_array")
    vector.reset(seed=0)
    near = vector.render()[0]
    vector.sim.qpos[0, 0] += 120.0  # m; two minutes at a metre a second
    vector.sim.worlds.kinematics()
    far = vector.render()[0]
    vector.close()
    # the last row shows the ground alone; where the tiles lie moves its mean by a few greys
    means = far[-1].mean(axis=0), near[-1].mean(axis=0)
    np.testing.assert_allclose(*means, atol=15.0)
    assert np.all(far[-1, :, 2] < 215)  # the sky is (214, 226, 240)
