"""Tests that need a GPU are skipped without one."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _needs_cuda(request: pytest.FixtureRequest) -> None:
    if request.node.get_closest_marker("gpu"):
        import warp as wp

        if not wp.is_cuda_available():
            pytest.skip("no CUDA device")
