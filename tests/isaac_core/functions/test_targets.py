"""How robots stand to their targets, with functions that PyTorch can compile."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

torch = pytest.importorskip("torch")

RNG = np.random.default_rng(5)
COUNT = 12
# float32 carries 6e-8; a few products of numbers up to 4 lose one digit of it.
TOLERANCE = 2e-6


def tensor(values: np.ndarray) -> Any:
    return torch.tensor(values, dtype=torch.float32)


def turns() -> tuple[Rotation, Any]:
    found = Rotation.from_euler("xyz", RNG.uniform(-1.4, 1.4, (COUNT, 3)))
    return found, tensor(found.as_quat(scalar_first=True))


def compiled(name: str) -> Any:
    from unibody.isaac_core.functions.torch import rotations

    return torch.jit.script(getattr(rotations, name))


def test_a_robot_is_as_upright_and_faces_its_target_as_much_as_it_turned() -> None:
    now, quats = turns()
    start, _ = turns()
    away = RNG.uniform(-4.0, 4.0, (COUNT, 3))
    ahead, up = np.tile([1.0, 0.0, 0.0], (COUNT, 1)), np.tile([0.0, 0.0, 1.0], (COUNT, 1))
    back = tensor(start.inv().as_quat(scalar_first=True))
    found = compiled("compute_heading_and_up")(
        quats, back, tensor(away), tensor(ahead), tensor(up), 2
    )
    turned = now * start.inv()
    facing = turned.apply(ahead)
    cosine = (facing * away).sum(axis=1) / np.linalg.norm(away, axis=1)
    above = turned.apply(up)
    for ours, theirs in zip(found[1:], (above[:, 2], cosine, above, facing), strict=True):
        np.testing.assert_allclose(ours.numpy(), theirs, atol=TOLERANCE)
    np.testing.assert_allclose(
        Rotation.from_quat(found[0].numpy(), scalar_first=True).as_matrix(),
        turned.as_matrix(),
        atol=TOLERANCE,
    )


def test_velocities_of_a_robot_are_in_its_frame_and_its_target_is_at_an_angle() -> None:
    now, quats = turns()
    linear, angular, target, place = RNG.uniform(-4.0, 4.0, (4, COUNT, 3))
    found = compiled("compute_rot")(
        quats, tensor(linear), tensor(angular), tensor(target), tensor(place), True
    )
    angles = now.as_euler("xyz") % (2.0 * np.pi)
    away = target - place
    expected = (
        now.inv().apply(linear), now.inv().apply(angular), *angles.T,
        np.arctan2(away[:, 2], away[:, 0]) - angles[:, 2],
    )  # fmt: skip
    turn = 2.0 * np.pi
    for number, (ours, theirs) in enumerate(zip(found, expected, strict=True)):
        apart = ours.numpy() - theirs
        if number >= 2:  # angles
            apart = (apart + np.pi) % turn - np.pi
        np.testing.assert_allclose(apart, 0.0, atol=1e-5)  # an arc sine near 1.4 rad loses more


def test_an_axis_turns_with_a_quaternion_and_angles_are_brought_within_half_a_turn() -> None:
    now, quats = turns()
    for axis in range(3):
        found = compiled("quat_axis")(quats, axis)
        np.testing.assert_allclose(found.numpy(), now.as_matrix()[:, :, axis], atol=TOLERANCE)
    angles = np.array([-4.0, 1.0, 7.0])
    expected = [2.0 * np.pi - 4.0, 1.0, 7.0 - 2.0 * np.pi]
    found = compiled("normalize_angle")(tensor(angles))
    np.testing.assert_allclose(found.numpy(), expected, atol=TOLERANCE)
    vectors = RNG.uniform(-1.0, 1.0, (COUNT, 3))
    found = compiled("get_basis_vector")(quats, tensor(vectors))
    np.testing.assert_allclose(found.numpy(), now.apply(vectors), atol=TOLERANCE)


def test_numbers_are_scaled_between_their_ends_and_back() -> None:
    from unibody.isaac_core.functions.torch import maths

    lower, upper = tensor(np.array([-2.0, 1.0])), tensor(np.array([4.0, 3.0]))
    found = torch.jit.script(maths.scale)(tensor(np.array([[-1.0, 1.0], [0.0, 0.5]])), lower, upper)
    np.testing.assert_allclose(found.numpy(), [[-2.0, 3.0], [1.0, 2.5]], atol=TOLERANCE)
