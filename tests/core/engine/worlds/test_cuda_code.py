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
DATA_CENTRE = 90  # compute capability 9.0


def test_modules_with_kernels_are_found():
    assert "unibody.core.engine.rows.warp_kernels" in KERNELS
    assert "unibody.isaacgym.batch.warp_kernels" in KERNELS


@pytest.mark.parametrize("name", KERNELS)
def test_kernels_compile_for_nvidia_cards(name, tmp_path):
    wp.init()
    possible = wp.get_cuda_supported_archs()
    if not possible:
        pytest.skip("this build of Warp has no compiler for CUDA")
    oldest = min(possible)
    chosen = sorted({oldest, DATA_CENTRE})
    module = importlib.import_module(name)
    wp.compile_aot_module(module, arch=chosen, module_dir=tmp_path, use_ptx=True)
    assert len(list(tmp_path.glob("*.ptx"))) == len(chosen)
