"""Functions of arrays give the same numbers with NumPy, PyTorch and Warp."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from unibody.isaac_core import convert

_RNG = np.random.default_rng(3)
_ANGLES = _RNG.uniform(-1.4, 1.4, (20, 3))
_QUATS = Rotation.from_euler("xyz", _RNG.uniform(-3.1, 3.1, (20, 3))).as_quat(scalar_first=True)
_QUATS *= np.where(_QUATS[:, :1] < 0, -1.0, 1.0)


def _backend(name: str) -> tuple[Any, Any]:
    if name != "numpy":
        pytest.importorskip(name)
    module = importlib.import_module(f"unibody.isaac_core.functions.{name}")
    return module, lambda data: module.convert(np.asarray(data), "cpu")


BACKENDS = ("numpy", "torch", "warp")
# float32 carries 6e-8; a few products of numbers up to 4 lose one digit of it.
TOLERANCE = 2e-6


@pytest.mark.parametrize("name", BACKENDS)
@pytest.mark.parametrize("extrinsic", [True, False])
def test_angles_turn_into_quaternions_and_back(name: str, extrinsic: bool) -> None:
    module, made = _backend(name)
    order = "xyz" if extrinsic else "XYZ"
    expected = Rotation.from_euler(order, _ANGLES).as_quat(scalar_first=True)
    expected *= np.where(expected[:, :1] < 0, -1.0, 1.0)
    found = convert.plain(module.euler_angles_to_quats(made(_ANGLES), extrinsic=extrinsic))
    found = found * np.where(found[:, :1] < 0, -1.0, 1.0)
    np.testing.assert_allclose(found, expected, atol=TOLERANCE)
    back = module.quats_to_euler_angles(made(expected), extrinsic=extrinsic)
    np.testing.assert_allclose(convert.plain(back), _ANGLES, atol=1e-5)


@pytest.mark.parametrize("name", BACKENDS)
def test_matrices_turn_into_quaternions(name: str) -> None:
    module, made = _backend(name)
    matrices = Rotation.from_quat(_QUATS, scalar_first=True).as_matrix()
    found = convert.plain(module.rot_matrices_to_quats(made(matrices)))
    np.testing.assert_allclose(found, _QUATS, atol=1e-6)
    again = convert.plain(module.quats_to_rot_matrices(made(_QUATS)))
    np.testing.assert_allclose(again, matrices, atol=TOLERANCE)


@pytest.mark.parametrize("name", BACKENDS)
def test_poses_go_to_parents_and_back(name: str) -> None:
    module, made = _backend(name)
    places = _RNG.uniform(-1, 1, (20, 3))
    parents = np.zeros((20, 4, 4))
    parents[:, :3, :3] = np.swapaxes(
        Rotation.from_quat(np.roll(_QUATS, 1, axis=0), scalar_first=True).as_matrix(), 1, 2
    )  # USD's vectors are rows
    parents[:, 3, :3], parents[:, 3, 3] = places[::-1], 1.0
    local = module.get_local_from_world(made(parents), made(places), made(_QUATS), "cpu")
    expected = np.einsum("nij,nj->ni", parents[:, :3, :3], places - places[::-1])
    np.testing.assert_allclose(convert.plain(local[0]), expected, atol=TOLERANCE)
    world = module.get_world_from_local(made(parents), *local, "cpu")
    np.testing.assert_allclose(convert.plain(world[0]), places, atol=TOLERANCE)
    np.testing.assert_allclose(np.abs(convert.plain(world[1])), np.abs(_QUATS), atol=1e-5)


@pytest.mark.parametrize("name", BACKENDS)
def test_some_poses_are_written_among_all(name: str) -> None:
    module, made = _backend(name)
    places = np.zeros((4, 3))
    indices = module.resolve_indices([1, 3], 4, "cpu")
    pose = module.assign_pose(
        made(places), made(_QUATS[:4]), made(np.ones((2, 3))), None, indices, "cpu"
    )
    found = convert.plain(pose)
    np.testing.assert_allclose(found[:, 0], [0, 1, 0, 1])
    np.testing.assert_allclose(found[:, 3:], np.roll(_QUATS[:4], -1, axis=1), atol=1e-7)


@pytest.mark.parametrize("name", BACKENDS)
def test_arrays_are_joined_padded_and_assigned(name: str) -> None:
    module, made = _backend(name)
    a = made(np.arange(6.0).reshape(2, 3))
    assert convert.plain(module.tensor_cat([a, a], dim=-1)).shape == (2, 6)
    assert convert.plain(module.tensor_stack([a, a])).shape == (2, 2, 3)
    assert convert.plain(module.expand_dims(a, 0)).shape == (1, 2, 3)
    padded = convert.plain(module.pad(a, ((0, 1), (2, 0)), value=7.0))
    assert padded.shape == (3, 5)
    assert padded[2, 0] == padded[0, 1] == 7.0
    rows = module.resolve_indices([1], 2, "cpu")
    module.assign(made(np.full((1, 3), -1.0)), a, rows)
    np.testing.assert_array_equal(convert.plain(a), [[0, 1, 2], [-1, -1, -1]])


def test_names_that_scripts_import_with_a_star_from_rotations_of_torch_are_there() -> None:
    torch = pytest.importorskip("torch")
    room: dict = {}
    exec("from unibody.isaac_core.functions.torch.rotations import *", room)
    assert torch.allclose(room["normalize"](torch.tensor([[0.0, 3.0]])), torch.tensor([[0.0, 1.0]]))
    assert room["copysign"](2.0, torch.tensor([-1.0, 5.0])).tolist() == [-2.0, 2.0]
    # a quarter turn about z takes x to y
    turn = torch.tensor([[0.5**0.5, 0.0, 0.0, 0.5**0.5]])
    turned = room["quat_apply"](turn, torch.tensor([[1.0, 0.0, 0.0]]))
    assert torch.allclose(turned, torch.tensor([[0.0, 1.0, 0.0]]), atol=1e-6)


def test_random_directions_of_the_plane_have_unit_length() -> None:
    pytest.importorskip("torch")
    from unibody.isaac_core.functions.torch.maths import torch_random_dir_2

    found = torch_random_dir_2((5, 1), "cpu")
    assert found.shape == (5, 2)
    np.testing.assert_allclose(found.norm(dim=-1), 1.0, atol=1e-6)
