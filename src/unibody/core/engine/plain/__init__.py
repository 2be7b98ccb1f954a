"""Worlds of plain MuJoCo models: no rules of ours, no options changed."""

from __future__ import annotations

from typing import Any

from unibody.core.engine.plain.worlds import PlainWorlds

__all__ = ["PlainWorlds", "make_plain_worlds"]


def make_plain_worlds(
    model: Any,
    data: Any,
    count: int,
    device: str,
    *,
    contacts: int | None = None,
    rows: int | None = None,
    parallel_search: bool = False,
    nonzeros: int | None = None,
) -> PlainWorlds:
    """Replicate a plain model.

    Args:
        model: An MjModel.
        data: Its MjData; what all worlds start as.
        count: Number of worlds.
        device: "cpu" (float64), or a Warp device (mujoco-warp, float32); "warp-cpu" runs the
            latter's code without a GPU.
        contacts: Most contacts of a world on a Warp device; None: by the model.
        rows: Most rows of constraints of a world on a Warp device; None: by the model.
        parallel_search: Whether mujoco-warp searches along lines in parallel.
        nonzeros: Most entries of a world's sparse Jacobian on a Warp device; None: by the model.
    """
    if device != "cpu":
        from unibody.core.engine.plain.warp import WarpPlainWorlds

        return WarpPlainWorlds(
            model, data, count, device, contacts, rows, parallel_search, nonzeros
        )
    from unibody.core.engine.plain.cpu import BatchWorlds, SingleWorld

    return SingleWorld(model, data) if count == 1 else BatchWorlds(model, data, count)
