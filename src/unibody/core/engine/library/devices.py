"""Which devices there are, and what happens to a script that asks for a GPU where none is."""

from __future__ import annotations

import ctypes
import importlib.util
import os
from functools import cache

from unibody.errors import EngineError
from unibody.extras import install_command
from unibody.notices import tell

REQUIRE_GPU_VARIABLE = "UNIBODY_REQUIRE_GPU"
"""A non-empty value other than 0 means: without a GPU, fail rather than run on the CPU."""


def cuda_devices() -> int:
    """Return how many CUDA devices the driver shows; 0 without a driver."""
    for name in ("libcuda.so.1", "nvcuda.dll"):
        try:
            driver = ctypes.CDLL(name)
        except OSError:
            continue
        count = ctypes.c_int(0)
        if driver.cuInit(0) == 0 and driver.cuDeviceGetCount(ctypes.byref(count)) == 0:
            return count.value
    return 0


@cache
def why_no_gpu() -> str:
    """Return why worlds cannot be stepped on a GPU; "" where they can."""
    if cuda_devices() == 0:
        return "no CUDA device was found"
    if importlib.util.find_spec("mujoco_warp") is None:
        return f"mujoco-warp is not installed ({install_command('gpu')})"
    if importlib.util.find_spec("torch") is not None:
        import torch

        if not torch.cuda.is_available():
            return "this torch is built without CUDA"
    return ""


def use_gpu(request: str, *, required: bool = False) -> bool:
    """Decide for a script that asks for a GPU.

    Args:
        request: What it asked for, for the message: "sim_device='cuda:0'".
        required: The CPU will not do.

    Returns:
        Whether there is one. If not, one line on stderr has said so.

    Raises:
        EngineError: There is none, and it is required here or by ``REQUIRE_GPU_VARIABLE``.
    """
    reason = why_no_gpu()
    if not reason:
        return True
    if required or os.environ.get(REQUIRE_GPU_VARIABLE, "0") not in ("", "0"):
        raise EngineError(f"{request}: {reason}, and a GPU is required")
    _tell_once(f"{request}: {reason}, so the simulation and its tensors are on the CPU")
    return False


@cache
def _tell_once(text: str) -> None:
    tell(text)
