"""How rules and kernels are compiled."""

from __future__ import annotations

from unibody.machine_code.jit import inlined, kernel, rule

__all__ = ["inlined", "kernel", "rule"]
