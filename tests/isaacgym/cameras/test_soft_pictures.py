"""Cameras see soft bodies as they are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from tests.isaacgym.boxes import NEAR, add_box, camera, image, new_env
from unibody.isaacgym import gymapi, gymtorch

# A tetrahedron whose base of 0.4 m looks at the camera
_TET = "v 0 -0.2 -0.2\nv 0 0.2 -0.2\nv 0 0 0.2\nv 0.3 0 0\nt 0 1 2 3\n"


def test_a_soft_body_is_seen_where_its_particles_are_in_each_environment(
    gym: Any, sim: Any, tmp_path: Path
) -> None:
    (tmp_path / "one.tet").write_text(_TET)
    asset = gym.load_asset(sim, str(tmp_path), "one.tet", gymapi.AssetOptions())
    envs = [new_env(gym, sim) for _ in range(2)]
    for env in envs:
        pose = gymapi.Transform()
        pose.p = gymapi.Vec3(-0.5, 0.0, 0.0)
        gym.create_actor(env, asset, pose, "soft", -1, -1, 3)  # its base is NEAR the camera
    cameras = [camera(gym, env) for env in envs]
    depths = [
        image(gym, sim, env, one, gymapi.IMAGE_DEPTH)
        for env, one in zip(envs, cameras, strict=True)
    ]
    assert (depths[0] == depths[1]).all() and np.isfinite(depths[0]).any()
    # the base is a plane at this distance
    np.testing.assert_allclose(depths[0][np.isfinite(depths[0])], -NEAR, atol=1e-5)
    state = gymtorch.wrap_tensor(gym.acquire_particle_state_tensor(sim)).clone()
    state[4:, 0] += 0.5  # particles of the second environment
    gym.set_particle_state_tensor(sim, gymtorch.unwrap_tensor(state))
    depths = [
        image(gym, sim, env, one, gymapi.IMAGE_DEPTH)
        for env, one in zip(envs, cameras, strict=True)
    ]
    np.testing.assert_allclose(depths[0][np.isfinite(depths[0])], -NEAR, atol=1e-5)
    np.testing.assert_allclose(depths[1][np.isfinite(depths[1])], -NEAR - 0.5, atol=1e-5)
    seen = image(gym, sim, envs[0], cameras[0], gymapi.IMAGE_SEGMENTATION)
    assert set(np.unique(seen)) == {0, 3}
    add_box(gym, sim, envs[0])
    assert 7 in np.unique(image(gym, sim, envs[0], cameras[0], gymapi.IMAGE_SEGMENTATION))
