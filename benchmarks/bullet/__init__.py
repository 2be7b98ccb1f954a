"""Work written against PyBullet's public API, so that it runs on either module.

Every function takes the module, prepares a scene in the one connected client and returns a
``Prepared``. Import the families to fill ``registry.WORKS``.
"""

from __future__ import annotations

from benchmarks.bullet import (
    argument_forms,
    articulated,
    calls,
    cameras,
    common_forms,
    crowds,
    edit_calls,
    loading,
    more_calls,
    piles,
    pure_calls,
    soft,
    soft_position_based,
    world_calls,
)
from benchmarks.bullet.registry import WORKS, Prepared, Work

__all__ = [
    "WORKS",
    "Prepared",
    "Work",
    "argument_forms",
    "articulated",
    "calls",
    "cameras",
    "common_forms",
    "crowds",
    "edit_calls",
    "loading",
    "more_calls",
    "piles",
    "pure_calls",
    "soft",
    "soft_position_based",
    "world_calls",
]
