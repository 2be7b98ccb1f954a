"""Tensors share memory both ways, and what cannot be shared is refused by name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from unibody.errors import InvalidArgumentError
from unibody.isaacgym import gymapi, gymtorch


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (np.float32, torch.float32),
        (np.uint32, torch.int32),
        (np.int32, torch.int32),
        (np.uint64, torch.int64),
        (np.int64, torch.int64),
        (np.uint8, torch.uint8),
        (np.int16, torch.int16),
    ],
)
def test_a_wrapped_numpy_array_is_the_same_memory(ours: Any, theirs: torch.dtype) -> None:
    array = np.zeros((3, 4), ours)
    described = gymapi.Tensor.of(array)
    wrapped = gymtorch.wrap_tensor(described)
    assert wrapped.dtype == theirs
    wrapped[1, 2] = 7
    assert array[1, 2] == 7
    assert wrapped.data_ptr() == described.data_address == described.data_ptr.value
    assert (described.shape, described.ndim, described.device) == ((3, 4), 2, -1)


def test_a_torch_tensor_comes_back_as_the_same_memory() -> None:
    tensor = torch.arange(6, dtype=torch.float32).reshape(2, 3)
    described = gymtorch.unwrap_tensor(tensor)
    assert described.dtype == gymapi.DTYPE_FLOAT32
    assert described.data_address == tensor.data_ptr()
    gymtorch.wrap_tensor(described)[0, 0] = 5.0
    assert tensor[0, 0] == 5.0


def test_a_warp_array_is_shared_too() -> None:
    warp = pytest.importorskip("warp")
    array = warp.zeros((2, 3), dtype=warp.float32, device="cpu")
    gymtorch.wrap_tensor(gymapi.Tensor.of(array))[1, 1] = 4.0
    assert array.numpy()[1, 1] == 4.0


def test_a_tensor_of_nothing_is_none() -> None:
    assert gymtorch.wrap_tensor(gymapi.Tensor.of(np.zeros((0, 2), np.float32))) is None


def test_the_description_keeps_the_memory_alive() -> None:
    described = gymtorch.unwrap_tensor(torch.full((1000,), 3.0))
    _ = [torch.zeros(1000) for _ in range(10)]
    assert float(gymtorch.wrap_tensor(described).sum()) == 3000.0


def test_a_tensor_that_needs_gradients_is_taken_without_them() -> None:
    described = gymtorch.unwrap_tensor(torch.ones(2, requires_grad=True))
    assert not gymtorch.wrap_tensor(described).requires_grad


def test_a_part_is_a_view_of_the_whole() -> None:
    array = np.zeros((5, 4), np.float32)
    part = gymtorch.wrap_tensor(gymapi.Tensor.of(array), (1, 0), (2, 3))
    assert part.shape == (2, 3)
    part += 1.0
    assert array.sum() == 6.0
    rest = gymtorch.wrap_tensor(gymapi.Tensor.of(array), offsets=(3, 0))
    assert rest.shape == (2, 4)


@pytest.mark.parametrize(
    ("offsets", "counts"),
    [((0, 5), None), ((4, 0), (2, 4)), ((-1, 0), None), ((0,), None), (None, (1, 1, 1))],
)
def test_a_part_outside_is_refused(offsets: Any, counts: Any) -> None:
    described = gymapi.Tensor.of(np.zeros((5, 4), np.float32))
    with pytest.raises(InvalidArgumentError, match=r"offsets|counts"):
        gymtorch.wrap_tensor(described, offsets, counts)


def test_a_tensor_with_gaps_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="must be contiguous"):
        gymtorch.unwrap_tensor(torch.zeros(3, 4).t())


@pytest.mark.parametrize("dtype", [torch.float64, torch.bool, torch.float16])
def test_an_element_type_without_a_name_is_refused(dtype: torch.dtype) -> None:
    with pytest.raises(TypeError, match="dtype"):
        gymtorch.unwrap_tensor(torch.zeros(3, dtype=dtype))


def test_what_is_no_tensor_is_refused() -> None:
    with pytest.raises(TypeError, match="torch_tensor"):
        gymtorch.unwrap_tensor(np.zeros(3))
    with pytest.raises(TypeError, match="gym_tensor"):
        gymtorch.wrap_tensor(None)
    with pytest.raises(InvalidArgumentError, match="gym_tensor"):
        gymtorch.wrap_tensor(gymapi.Tensor())


def test_a_tensor_on_no_real_device_is_refused() -> None:
    with pytest.raises(TypeError, match="device"):
        gymtorch.unwrap_tensor(torch.zeros(3, device="meta"))


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
def test_a_tensor_on_the_gpu_is_shared_there() -> None:
    tensor = torch.zeros(4, device="cuda:0")
    described = gymtorch.unwrap_tensor(tensor)
    assert described.device == 0
    gymtorch.wrap_tensor(described)[2] = 1.0
    assert float(tensor.sum()) == 1.0
