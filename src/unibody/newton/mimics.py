"""Coordinates of joints that follow others."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from unibody.newton.model import Model
from unibody.newton.state import State


def eval_mimic(
    model: Model,
    state_in: State,
    state_out: State | None = None,
    *,
    mask: wp.array[Any] | None = None,
    indices: wp.array[Any] | None = None,
) -> None:
    """Write the coordinates of joints that follow others.

    Args:
        model: The model.
        state_in: Its ``joint_q`` and ``joint_qd`` are read.
        state_out: These are written, and those of independent joints copied; None: of `state_in`.
        mask: Articulations that are written, as bools; None: all joints.
        indices: Articulations that are written; not together with `mask`.

    Raises:
        ValueError: Both are given.
    """
    from unibody.newton.mimic_kernels import follow

    if mask is not None and indices is not None:
        raise ValueError("Cannot specify both mask and indices: one of them is None")
    chosen: Any = None
    if mask is not None or indices is not None:
        chosen = wp.array(_chosen(model, mask, indices), dtype=wp.bool, device=model.device)
    out = state_in if state_out is None else state_out
    wp.launch(
        follow,
        dim=model.joint_count,
        inputs=[
            chosen,
            model.joint_mimic_joint,
            model.joint_mimic_coeffs,
            model.joint_q_start,
            model.joint_qd_start,
            wp.clone(state_in.joint_q),
            wp.clone(state_in.joint_qd),
        ],
        outputs=[out.joint_q, out.joint_qd],
        device=model.device,
    )


def _chosen(model: Model, mask: Any, indices: Any) -> np.ndarray:
    """Which joints belong to chosen articulations."""
    rows = np.zeros(model.articulation_count + 1, dtype=bool)  # the last: of none
    if mask is not None:
        rows[:-1] = mask.numpy()
    else:
        numbers = indices.numpy()
        rows[numbers[(numbers >= 0) & (numbers < model.articulation_count)]] = True
    return rows[model.joint_articulation.numpy()]
