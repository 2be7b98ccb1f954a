"""Warp kernels as code for NVIDIA cards: compiled here, where there need not be one."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest
import warp as wp

import unibody

SOURCES = Path(unibody.__file__).parent
KERNELS = sorted(
    ".".join(("unibody", *path.relative_to(SOURCES).with_suffix("").parts))
    for path in SOURCES.rglob("*.py")
    if "@wp.kernel" in path.read_text(encoding="utf-8")
)
# Newton's forward kinematics is differentiated by its users, with Warp's tape.
DIFFERENTIABLE = {"unibody.newton.kinematics_kernels"}


def test_modules_with_kernels_are_found():
    assert "unibody.core.engine.rules.warp_kernels" in KERNELS
    assert "unibody.core.batch.warp_kernels" in KERNELS


@pytest.mark.parametrize("name", KERNELS)
def test_kernels_compile_for_nvidia_cards(name, tmp_path):
    wp.init()
    possible = wp.get_cuda_supported_archs()
    if not possible:
        pytest.skip("this build of Warp has no compiler for CUDA")
    module = importlib.import_module(name)
    oldest = min(possible)  # what it can do, newer cards can
    wp.compile_aot_module(module, arch=[oldest], module_dir=tmp_path, use_ptx=True)
    assert len(list(tmp_path.glob("*.ptx"))) == 1


def test_no_kernel_has_derivatives_compiled_that_nobody_asks_for():
    """They are as much code again, which the first start on a GPU waits for."""
    assert set(KERNELS) >= DIFFERENTIABLE
    for name in set(KERNELS) - DIFFERENTIABLE:
        for kernel in importlib.import_module(name).__dict__.values():
            if isinstance(kernel, wp.Kernel):
                assert kernel.options.get("enable_backward") is False, (name, kernel.key)
