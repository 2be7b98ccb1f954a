"""Body poses and velocities of joint coordinates, and the other way round."""

from __future__ import annotations

from typing import Any

import warp as wp

from unibody.errors import InvalidArgumentError
from unibody.newton import kinematics_kernels as kernels
from unibody.newton.enums import BodyFlags
from unibody.newton.model import Model
from unibody.newton.state import State


def eval_fk(
    model: Model,
    joint_q: wp.array[Any],
    joint_qd: wp.array[Any],
    state: State | Model,
    mask: wp.array[Any] | None = None,
    indices: wp.array[Any] | None = None,
    body_flag_filter: int = BodyFlags.ALL,
) -> None:
    """Work out poses and velocities of bodies from those of joints.

    A body's velocity is that of its centre of mass [m/s], then the angular velocity [rad/s], both
    in the world frame.

    Args:
        model: The model.
        joint_q: Positions of joints.
        joint_qd: Velocities of joints.
        state: Its ``body_q`` and ``body_qd`` are written.
        mask: Articulations that are worked out, as bools; None: all.
        indices: Articulations that are worked out; not together with `mask`.
        body_flag_filter: Bits of `BodyFlags`: bodies with none of them stay as they are.
    """
    _launch_forward(model, joint_q, joint_qd, state, mask, indices, body_flag_filter)


def record_fk(model: Model, joint_q: wp.array[Any], joint_qd: wp.array[Any], state: State) -> Any:
    """What works out poses and velocities of all bodies, prepared for many steps; None: nothing."""
    return _launch_forward(
        model, joint_q, joint_qd, state, None, None, BodyFlags.ALL, record_cmd=True
    )


def _launch_forward(
    model: Model,
    joint_q: Any,
    joint_qd: Any,
    state: State | Model,
    mask: Any,
    indices: Any,
    flags: int,
    **more: Any,
) -> Any:
    count = _count(model, mask, indices)
    if not count:
        return None
    return wp.launch(
        kernels.forward,
        dim=count,
        inputs=[
            *_selection(model, mask, indices),
            joint_q,
            joint_qd,
            model.joint_q_start,
            model.joint_qd_start,
            model.joint_type,
            model.joint_parent,
            model.joint_child,
            model.joint_X_p,
            model.joint_X_c,
            model.joint_axis,
            model.joint_dof_dim,
            model.joint_articulation,
            model.body_com,
            model.body_flags,
            int(flags),
        ],
        outputs=[state.body_q, state.body_qd],
        device=model.device,
        **more,
    )


def eval_ik(
    model: Model,
    state: State,
    joint_q: wp.array[Any],
    joint_qd: wp.array[Any],
    mask: wp.array[Any] | None = None,
    indices: wp.array[Any] | None = None,
    body_flag_filter: int = BodyFlags.ALL,
) -> None:
    """Work out positions and velocities of joints from those of bodies.

    Args:
        model: The model.
        state: Its ``body_q`` and ``body_qd`` are read.
        joint_q: Positions of joints, written.
        joint_qd: Velocities of joints, written.
        mask: Articulations that are worked out, as bools; None: all.
        indices: Articulations that are worked out; not together with `mask`.
        body_flag_filter: Bits of `BodyFlags`: joints of bodies with none of them stay as they are.
    """
    count = _count(model, mask, indices)
    if not count:
        return
    wp.launch(
        kernels.inverse,
        dim=(count, model.max_joints_per_articulation),
        inputs=[
            *_selection(model, mask, indices),
            state.body_q,
            state.body_qd,
            model.body_com,
            model.joint_type,
            model.joint_parent,
            model.joint_child,
            model.joint_X_p,
            model.joint_X_c,
            model.joint_axis,
            model.joint_dof_dim,
            model.joint_q_start,
            model.joint_qd_start,
            model.body_flags,
            int(body_flag_filter),
        ],
        outputs=[joint_q, joint_qd],
        device=model.device,
    )


def _count(model: Model, mask: Any, indices: Any) -> int:
    if mask is not None and indices is not None:
        raise ValueError(
            "Cannot specify both mask and indices: they are mutually exclusive, one of them is None"
        )
    if mask is not None and len(mask) != model.articulation_count:
        there = f"{model.articulation_count} values, one an articulation"
        raise InvalidArgumentError("mask", f"{len(mask)} values", there)
    return model.articulation_count if indices is None else len(indices)


def _selection(model: Model, mask: Any, indices: Any) -> list[Any]:
    return [model.articulation_start, model.articulation_count, mask, indices]
