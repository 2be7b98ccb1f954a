"""Order and frames survive the way to core and back."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from unibody.isaacgym import convert, gymapi

ROTATIONS = Rotation.random(20, random_state=0)
QUATS = ROTATIONS.as_quat()
VECTORS = np.random.default_rng(0).normal(size=(20, 3))

# Float64 algebra of two vector products.
ALGEBRA = 1e-12


def test_quaternions_are_reordered() -> None:
    assert convert.to_wxyz(np.array([1.0, 2.0, 3.0, 4.0])).tolist() == [4, 1, 2, 3]
    np.testing.assert_array_equal(convert.to_xyzw(convert.to_wxyz(QUATS)), QUATS)


def test_vectors_turn_as_scipy_turns_them() -> None:
    world = convert.to_world_axes(QUATS, VECTORS)
    np.testing.assert_allclose(world, ROTATIONS.apply(VECTORS), atol=ALGEBRA)
    np.testing.assert_allclose(convert.to_body_axes(QUATS, world), VECTORS, atol=ALGEBRA)


def test_a_pose_goes_to_core_and_comes_back() -> None:
    pose = gymapi.Transform(gymapi.Vec3(1, 2, 3), gymapi.Quat.from_euler_zyx(0.1, 0.2, 0.3))
    position, quat = convert.to_pose(pose)
    assert position.tolist() == [1.0, 2.0, 3.0]
    # Four numbers in single precision.
    np.testing.assert_allclose(np.linalg.norm(quat), 1.0, atol=2e-7)
    back = convert.to_transform(position, quat)
    assert repr(back) == repr(pose)
