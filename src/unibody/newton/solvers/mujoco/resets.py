"""Worlds of SolverMuJoCo that begin anew: states as in the model, and nothing kept of steps."""

from __future__ import annotations

from typing import Any

import numpy as np

from unibody.newton.solvers.flags import StateFlags

_KEPT = ("qacc_warmstart", "qfrc_applied", "xfrc_applied", "act", "ctrl")
"""What MuJoCo takes from one step to the next, beside positions and velocities."""


def reset_joints(model: Any, state: Any, worlds: np.ndarray, flags: int) -> bool:
    """Give joints of some worlds their positions and velocities in the model.

    Returns:
        Whether anything was written.
    """
    of_joint = worlds[model.joint_world.numpy()]
    written = False
    for flag, name, starts in (
        (StateFlags.JOINT_Q, "joint_q", model.joint_q_start),
        (StateFlags.JOINT_QD, "joint_qd", model.joint_qd_start),
    ):
        array = getattr(state, name)
        if not flags & flag or array is None:
            continue
        chosen = np.repeat(of_joint, np.diff(starts.numpy()))
        first = getattr(model, name).numpy()
        array.assign(np.where(chosen, first, array.numpy()))
        written = True
    return written


def forget_steps(part: Any, worlds: np.ndarray) -> None:
    """Clear what MuJoCo has kept of earlier steps and been given for the next one.

    Args:
        part: A group of worlds.
        worlds: Which ones, by number in the model.
    """
    rows = worlds[np.maximum(part.group.worlds, 0)]
    for name in _KEPT:
        array = part.worlds.output(name)
        if isinstance(array, np.ndarray):
            array[rows] = 0.0
        elif array.size:
            kept = array.numpy()
            kept[rows] = 0.0
            array.assign(kept)


def put_states(part: Any, state: Any, worlds: np.ndarray) -> None:
    """Take positions and velocities of some worlds over into MuJoCo."""
    rows = worlds[np.maximum(part.group.worlds, 0)]
    own = part.worlds
    before = [np.array(_rows(array)) for array in (own.qpos, own.qvel)]
    part.exchange.put_state(state.joint_q, state.joint_qd)
    for array, old in zip((own.qpos, own.qvel), before, strict=True):
        wanted = np.where(rows[:, None], _rows(array), old)
        if isinstance(array, np.ndarray):
            array[...] = wanted
        else:
            array.assign(wanted)


def _rows(array: Any) -> np.ndarray:
    return array if isinstance(array, np.ndarray) else array.numpy()
