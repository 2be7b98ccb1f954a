"""Batches of rotations agree with SciPy, also inside TorchScript."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from unibody.core.engine.library import devices
from unibody.errors import EngineError, InvalidArgumentError
from unibody.isaacgym import torch_utils

# Float32 algebra of a few operations on numbers of order one.
SINGLE = 2e-6
seeds = st.integers(0, 2**31)


def random_quats(seed: int, count: int = 16) -> tuple[torch.Tensor, Rotation]:
    rotation = Rotation.random(count, random_state=seed)
    return torch.from_numpy(rotation.as_quat().astype(np.float32)), rotation


def test_a_product_of_single_and_double_precision_is_double() -> None:
    q, rq = random_quats(1)
    p, rp = random_quats(2)
    for multiply in (torch_utils.quat_mul, torch.jit.script(torch_utils.quat_mul)):
        product = multiply(q, p.double())
        assert product.dtype == torch.float64
        assert same_rotation(product.float(), rq * rp)


def random_vectors(seed: int, count: int = 16) -> torch.Tensor:
    return torch.randn(count, 3, generator=torch.Generator().manual_seed(seed))


def same_rotation(found: torch.Tensor, expected: Rotation) -> bool:
    return bool((Rotation.from_quat(found.numpy()) * expected.inv()).magnitude().max() < 5 * SINGLE)


def close(found: torch.Tensor, expected: Any) -> None:
    np.testing.assert_allclose(found.numpy(), expected, atol=5 * SINGLE)


@given(seeds)
def test_products_inverses_and_rotated_vectors_are_those_of_scipy(seed: int) -> None:
    q, rq = random_quats(seed)
    p, rp = random_quats(seed + 1)
    v = random_vectors(seed)
    assert same_rotation(torch_utils.quat_mul(q, p), rq * rp)
    assert same_rotation(torch_utils.quat_conjugate(q), rq.inv())
    for rotate in (
        torch_utils.quat_rotate,
        torch_utils.quat_apply,
        torch_utils.my_quat_rotate,
        torch_utils.get_basis_vector,
        torch_utils.tf_vector,
    ):
        close(rotate(q, v), rq.apply(v.numpy()))
    close(torch_utils.quat_rotate_inverse(q, v), rq.inv().apply(v.numpy()))
    for axis in range(3):
        close(torch_utils.quat_axis(q, axis), rq.as_matrix()[:, :, axis])


@given(seeds)
def test_angles_and_axes_make_the_rotation_about_them(seed: int) -> None:
    axis = random_vectors(seed)
    angle = 6.0 * random_vectors(seed + 1)[:, 0]
    unit = axis / axis.norm(dim=-1, keepdim=True)
    expected = Rotation.from_rotvec((unit * angle[:, None]).numpy())
    assert same_rotation(torch_utils.quat_from_angle_axis(angle, axis), expected)


@given(seeds)
def test_euler_angles_make_the_rotation_and_come_back_in_a_whole_turn(seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    roll, yaw = (2.0 * torch.rand(2, 16, generator=generator) - 1.0) * 3.1
    pitch = (2.0 * torch.rand(16, generator=generator) - 1.0) * 1.4
    q = torch_utils.quat_from_euler_xyz(roll, pitch, yaw)
    expected = Rotation.from_euler("ZYX", torch.stack([yaw, pitch, roll], -1).numpy())
    assert same_rotation(q, expected)
    for found, given_angle in zip(torch_utils.get_euler_xyz(q), (roll, pitch, yaw), strict=True):
        assert float(found.min()) >= 0.0
        assert float(found.max()) <= 2.0 * math.pi + SINGLE
        # At a pitch of 1.4 a rounding of the sine counts six times.
        difference = torch_utils.normalize_angle(found - given_angle)
        assert float(difference.abs().max()) < 1e-4


def test_a_pitch_of_a_right_angle_is_no_nan() -> None:
    q = torch.tensor([[0.0, math.sqrt(0.5), 0.0, math.sqrt(0.5) + 1e-7]])
    assert float(torch_utils.get_euler_xyz(q)[1]) == pytest.approx(math.pi / 2, abs=1e-3)


@given(seeds)
def test_poses_combine_apply_and_invert(seed: int) -> None:
    q1, r1 = random_quats(seed)
    q2, r2 = random_quats(seed + 1)
    t1, t2, v = (random_vectors(seed + i) for i in range(3))
    q, t = torch_utils.tf_combine(q1, t1, q2, t2)
    assert same_rotation(q, r1 * r2)
    inner = torch_utils.tf_apply(q2, t2, v)
    close(torch_utils.tf_apply(q, t, v), torch_utils.tf_apply(q1, t1, inner).numpy())
    back = torch_utils.tf_inverse(q, t)
    close(torch_utils.tf_apply(*back, torch_utils.tf_apply(q, t, v)), v.numpy())


def test_shapes_with_more_dimensions_are_kept() -> None:
    q, rotation = random_quats(0, 6)
    v = random_vectors(0, 6)
    expected = rotation.apply(v.numpy()).reshape(2, 3, 3)
    batch = q.view(2, 3, 4)
    close(torch_utils.quat_apply(batch, v.view(2, 3, 3)), expected)
    close(torch_utils.quat_rotate(batch, v.view(2, 3, 3)), expected)
    assert torch_utils.quat_mul(batch, batch).shape == (2, 3, 4)
    single = torch_utils.quat_apply(q[0], v[0])
    assert single.shape == (3,)


def test_normalising_nothing_gives_nothing() -> None:
    assert torch_utils.normalize(torch.zeros(2, 3)).abs().sum() == 0.0
    close(torch_utils.normalize(torch.tensor([[3.0, 4.0]])), [[0.6, 0.8]])
    pose = torch.tensor([[1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 2.0]])
    close(torch_utils.normalise_quat_in_pose(pose), [[1, 2, 3, 0, 0, 0, 1]])
    close(torch_utils.quat_unit(torch.tensor([[0.0, 0.0, 0.0, 5.0]])), [[0, 0, 0, 1]])


def test_angles_are_brought_into_half_a_turn_to_either_side() -> None:
    angles = torch.tensor([0.0, 3.0 * math.pi, -7.0])
    close(torch_utils.normalize_angle(angles).abs(), [0.0, math.pi, 7.0 - 2.0 * math.pi])


def test_scaling_maps_limits_to_one_and_back() -> None:
    low, high = torch.tensor([-1.0, 2.0]), torch.tensor([3.0, 4.0])
    close(torch_utils.scale(torch.tensor([[-1.0, 1.0]]), low, high), [[-1, 4]])
    close(torch_utils.unscale(torch.tensor([[1.0, 2.0]]), low, high), [[0, -1]])
    assert torch_utils.unscale_np(np.array(1.0), -1.0, 3.0) == 0.0
    clamped = torch_utils.tensor_clamp(torch.tensor([-5.0, 5.0]), low, high)
    close(clamped, [-1.0, 4.0])
    close(torch_utils.copysign(2.0, torch.tensor([-3.0, 0.0, 1.0])), [-2.0, 0.0, 2.0])


def test_an_axis_is_written_as_a_list() -> None:
    assert torch_utils.get_axis_params(-9.81, 2) == [0.0, 0.0, -9.81]
    assert torch_utils.get_axis_params(1.0, 1, x_value=0.5) == [0.5, 1.0, 0.0]
    assert torch_utils.get_axis_params(1.0, 3, n_dims=4) == [0.0, 0.0, 0.0, 1.0]
    with pytest.raises(InvalidArgumentError, match="axis_idx"):
        torch_utils.get_axis_params(1.0, 3)
    with pytest.raises(InvalidArgumentError, match="llocat"):
        torch_utils.get_axis_params(1.0, 3, n_dims=2**50)


def test_random_numbers_fill_their_range() -> None:
    torch.manual_seed(0)
    found = torch_utils.torch_rand_float(-2.0, 3.0, (1000, 2), "cpu")
    assert found.shape == (1000, 2)
    assert float(found.min()) >= -2.0
    assert float(found.max()) < 3.0
    assert float(found.max() - found.min()) > 4.9
    directions = torch_utils.torch_random_dir_2((50, 1), "cpu")
    assert directions.shape == (50, 2)
    close(directions.norm(dim=-1), np.ones(50))


def test_to_torch_makes_a_new_tensor() -> None:
    source = torch.zeros(2)
    made = torch_utils.to_torch(source, device="cpu")
    made += 1.0
    assert source.sum() == 0.0
    assert torch_utils.to_torch([1, 2], dtype=torch.long, device="cpu").tolist() == [1, 2]
    assert torch_utils.to_torch(np.ones(2), device="cpu", requires_grad=True).requires_grad


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a CUDA device")
def test_to_torch_falls_back_to_the_cpu_unless_a_gpu_is_required(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv(devices.REQUIRE_GPU_VARIABLE, raising=False)
    assert torch_utils.to_torch([1.0]).device.type == "cpu"
    monkeypatch.setenv(devices.REQUIRE_GPU_VARIABLE, "1")
    with pytest.raises(EngineError, match="GPU is required"):
        torch_utils.to_torch([1.0])


def test_every_function_of_tensors_can_be_called_under_torchscript() -> None:
    q, _ = random_quats(3)
    v = random_vectors(3)
    assert torch.equal(scripted(q, v), scripted_body(q, v))


def scripted_body(q: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    inverse, back = torch_utils.tf_inverse(q, v)
    both, place = torch_utils.tf_combine(q, v, inverse, back)
    roll, pitch, yaw = torch_utils.get_euler_xyz(torch_utils.quat_unit(both))
    turned = torch_utils.quat_from_euler_xyz(roll, pitch, yaw)
    product = torch_utils.quat_mul(turned, torch_utils.quat_conjugate(q))
    angle = torch_utils.normalize_angle(torch_utils.scale(roll, pitch, yaw))
    angle = torch_utils.tensor_clamp(torch_utils.unscale(angle, roll - 1.0, yaw + 1.0), -yaw, yaw)
    about = torch_utils.quat_from_angle_axis(angle, torch_utils.normalize(v))
    place = torch_utils.quat_rotate(about, place) + torch_utils.quat_rotate_inverse(q, v)
    place = torch_utils.quat_apply(product, place) + torch_utils.quat_axis(q, 2)
    place = torch_utils.tf_apply(q, v, place) + torch_utils.tf_vector(q, v)
    place = torch_utils.my_quat_rotate(q, torch_utils.get_basis_vector(q, place))
    noise = torch_utils.torch_rand_float(0.0, 0.0, (q.shape[0], 1), "cpu")
    noise = noise + 0.0 * torch_utils.torch_random_dir_2((q.shape[0], 1), "cpu")[:, :1]
    pose = torch_utils.normalise_quat_in_pose(torch.cat([place, q], dim=-1))
    return pose[:, :3] + noise * torch_utils.copysign(1.0, angle).unsqueeze(-1)


scripted = torch.jit.script(scripted_body)


def test_a_star_import_gives_what_scripts_rely_on() -> None:
    names: dict[str, Any] = {}
    exec("from unibody.isaacgym.torch_utils import *", names)
    assert names["np"] is np
    assert names["torch"] is torch
    assert names["F"] is torch.nn.functional
    assert callable(names["quat_rotate_inverse"])


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: torch_utils.quat_mul(None, torch.zeros(4)), r"a=None .*a torch.Tensor"),
        (lambda: torch_utils.normalize(torch.zeros(3), eps="x"), r"x, eps=\[\(3,\), 'x'\]"),
        (
            lambda: torch_utils.quat_rotate(torch.zeros(5, 4), torch.zeros(2, 3)),
            r"q, v=\[\(5, 4\), \(2, 3\)\]",
        ),
        (lambda: torch_utils.quat_axis(torch.zeros(5, 4), 7), r"q, axis=\[\(5, 4\), 7\]"),
        (lambda: torch_utils.to_torch("abc", device="cpu"), r"x, dtype.*'abc'"),
        (lambda: torch_utils.torch_rand_float(0.0, 1.0, (-1, 2), "cpu"), r"lower, upper, shape"),
        (lambda: torch_utils.unscale_np({}, 0.0, 1.0), r"x, lower, upper=\[\{\}, 0.0, 1.0\]"),
    ],
)
def test_what_is_no_tensor_or_does_not_fit_is_named(call: Any, said: str) -> None:
    with pytest.raises(InvalidArgumentError, match=said):
        call()
