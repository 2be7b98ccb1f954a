"""States, controls and forces between a model and the worlds of a group."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from unibody.core.engine.plain.worlds import PlainWorlds
from unibody.newton.enums import JointType
from unibody.newton.solvers.mujoco import exchange_kernels as kernels
from unibody.newton.solvers.mujoco.maps import Maps


class Exchange:
    """Moves states, controls and forces.

    Args:
        model: The model.
        worlds: The group's worlds.
        maps: Where all is.
    """

    def __init__(self, model: Any, worlds: PlainWorlds, maps: Maps) -> None:
        self._model, self._worlds = model, worlds
        self._device = model.device
        with wp.ScopedDevice(self._device):
            self._joints = wp.array(maps.ordered_joints, dtype=wp.int32)
            self._qpos_start = wp.array(maps.qpos, dtype=wp.int32)
            self._qvel_start = wp.array(maps.qvel, dtype=wp.int32)
            self._bodies = wp.array(maps.body, dtype=wp.int32)
            self._control = wp.array(maps.control, dtype=wp.int32)
            self._source = wp.array(maps.source, dtype=wp.int32)
            self._free_dof = wp.array(_free_dofs(model), dtype=wp.int32)
        names = ("qpos", "qvel", "ctrl", "qfrc_applied")
        self._qpos, self._qvel, self._ctrl, self._qfrc = (
            _as_warp(getattr(worlds, name)) for name in names
        )
        self._xfrc = _as_warp(worlds.xfrc_applied)
        self._dof_ref = getattr(vars(model).get("mujoco"), "dof_ref", None)
        self._written: tuple[Any, Any] | None = None

    def _joint_inputs(self) -> list[Any]:
        m = self._model
        inputs = [self._joints, self._qpos_start, self._qvel_start, m.joint_type]
        inputs += [m.joint_q_start, m.joint_qd_start, m.joint_child, m.body_com, self._dof_ref]
        return inputs

    def put_state(self, joint_q: Any, joint_qd: Any) -> None:
        """Take positions and velocities of joints over into the worlds.

        On the CPU, a state as it was written last goes on in double precision.
        """
        if self._written is not None and self._is_written(joint_q, joint_qd):
            return
        wp.launch(
            kernels.put_state,
            dim=self._joints.shape,
            inputs=[*self._joint_inputs(), joint_q, joint_qd],
            outputs=[self._qpos, self._qvel],
            device=self._device,
        )

    def _is_written(self, joint_q: Any, joint_qd: Any) -> bool:
        if self._written is None:
            return False
        q, qd = self._written
        return np.array_equal(joint_q.numpy(), q) and np.array_equal(joint_qd.numpy(), qd)

    def take_state(self, joint_q: Any, joint_qd: Any) -> None:
        """Write positions and velocities of joints."""
        wp.launch(
            kernels.take_state,
            dim=self._joints.shape,
            inputs=[*self._joint_inputs(), self._qpos, self._qvel],
            outputs=[joint_q, joint_qd],
            device=self._device,
        )

    def note_written(self, joint_q: Any, joint_qd: Any) -> None:
        """Remember what a script was given, where worlds are more precise than it."""
        if self._worlds.device == "cpu":
            self._written = (joint_q.numpy().copy(), joint_qd.numpy().copy())

    def forget_written(self) -> None:
        """Take the next state over, whatever it is."""
        self._written = None

    def put_controls(self, control: Any, body_f: Any) -> None:
        """Take targets, controls and forces over into the worlds.

        Args:
            control: A `Control`, or the model, which has arrays of the same names.
            body_f: Forces on bodies, or None.
        """
        if self._source.shape[0]:
            direct = getattr(getattr(control, "mujoco", None), "ctrl", None)
            wp.launch(
                kernels.put_controls,
                dim=self._control.shape,
                inputs=[
                    self._source,
                    self._control,
                    control.joint_target_pos,
                    control.joint_target_vel,
                    direct,
                ],
                outputs=[self._ctrl],
                device=self._device,
            )
        m = self._model
        if control.joint_f is not None and self._joints.size:
            wp.launch(
                kernels.put_joint_forces,
                dim=self._joints.shape,
                inputs=[
                    self._joints,
                    self._qvel_start,
                    m.joint_type,
                    m.joint_qd_start,
                    control.joint_f,
                ],
                outputs=[self._qfrc],
                device=self._device,
            )
        wp.launch(
            kernels.put_body_forces,
            dim=self._bodies.shape,
            inputs=[self._bodies, self._free_dof, body_f, control.joint_f],
            outputs=[self._xfrc],
            device=self._device,
        )


def _free_dofs(model: Any) -> Any:
    """Body -> first degree of freedom of its free joint, or -1."""
    dofs = np.full(max(model.body_count, 1), -1, np.int32)
    free = model.joint_type.numpy() == JointType.FREE
    dofs[model.joint_child.numpy()[free]] = model.joint_qd_start.numpy()[:-1][free]
    return dofs


def _as_warp(array: Any) -> Any:
    """An array of worlds as one of plain numbers that Warp's kernels write into."""
    if isinstance(array, np.ndarray):
        return wp.array(
            ptr=array.ctypes.data if array.size else None,
            dtype=wp.float64,
            shape=array.shape,
            strides=array.strides,
            device="cpu",
            copy=False,
        )
    if array.dtype is wp.float32:
        return array
    width = array.dtype._length_
    return wp.array(
        ptr=array.ptr,
        dtype=wp.float32,
        shape=(*array.shape, width),
        strides=(*array.strides, 4),
        device=array.device,
        copy=False,
    )
