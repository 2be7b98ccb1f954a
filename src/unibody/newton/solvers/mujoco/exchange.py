"""States, controls and forces between a model and the worlds of a group."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from unibody.core.engine.plain.worlds import PlainWorlds
from unibody.newton.dialect import is_after_first_of_1
from unibody.newton.enums import JointType
from unibody.newton.gravity_kernels import gravity_of_worlds
from unibody.newton.solvers.mujoco import exchange_kernels as kernels
from unibody.newton.solvers.mujoco.maps import Maps
from unibody.newton.targets import targets_of


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
            as_warp(getattr(worlds, name)) for name in names
        )
        self._xfrc = as_warp(worlds.xfrc_applied)
        self._dof_ref = getattr(vars(model).get("mujoco"), "dof_ref", None)
        self._written: tuple[Any, Any] = (None, None)
        if worlds.device == "cpu":  # more precise than what scripts are given
            self._written = tuple(
                wp.full(max(count, 1), wp.nan, dtype=float, device=self._device)
                for count in (model.joint_coord_count, model.joint_dof_count)
            )

    def _joint_inputs(self) -> list[Any]:
        m = self._model
        inputs = [self._joints, self._qpos_start, self._qvel_start, m.joint_type]
        inputs += [m.joint_q_start, m.joint_qd_start, m.joint_child, m.joint_X_p]
        inputs += [m.joint_X_c, m.body_com, m.body_flags, self._dof_ref]
        return inputs

    def forget_written(self) -> None:
        """Take all joints over anew: the same coordinates mean another state."""
        for written in self._written:
            if written is not None:
                written.fill_(wp.nan)

    def put_state(self, joint_q: Any, joint_qd: Any) -> None:
        """Take positions and velocities of joints over into the worlds."""
        for launch in self.recorded_put(joint_q, joint_qd):
            launch.launch()

    def recorded_put(self, joint_q: Any, joint_qd: Any, *, held: bool = False) -> list[wp.Launch]:
        """What takes positions and velocities of joints over into the worlds.

        On the CPU, joints that are as they were written last go on in double precision.

        Args:
            joint_q: Positions.
            joint_qd: Velocities.
            held: Whether those of kinematic bodies alone are taken over.
        """
        return _recorded(
            kernels.put_state,
            self._joints.shape,
            [*self._joint_inputs(), joint_q, joint_qd, *self._written, held],
            [self._qpos, self._qvel],
            self._device,
        )

    def recorded_take(self, given_q: Any, given_qd: Any, joint_q: Any, joint_qd: Any) -> wp.Launch:
        """What writes positions and velocities of joints; kinematic bodies keep those given."""
        return _recorded(
            kernels.take_state,
            self._joints.shape,
            [*self._joint_inputs(), self._qpos, self._qvel, given_q, given_qd],
            [joint_q, joint_qd, *self._written],
            self._device,
        )

    def recorded_controls(self, control: Any, body_f: Any) -> list[wp.Launch]:
        """What takes targets, controls and forces over into the worlds.

        Args:
            control: A `Control`, or the model, which has arrays of the same names.
            body_f: Forces on bodies, or None.
        """
        found = []
        if self._source.shape[0]:
            targets = [*targets_of(self._model, control), control.joint_target_vel]
            targets.append(direct_controls(control))
            targets.append(self._dof_ref if is_after_first_of_1() else None)
            inputs = [self._source, self._control, *targets]
            shape = self._control.shape
            found += _recorded(kernels.put_controls, shape, inputs, [self._ctrl], self._device)
        m = self._model
        if control.joint_f is not None and self._joints.size:
            inputs = [self._joints, self._qpos_start, self._qvel_start, m.joint_type]
            inputs += [m.joint_qd_start, m.joint_X_c, control.joint_f, self._qpos]
            shape = self._joints.shape
            found += _recorded(kernels.put_joint_forces, shape, inputs, [self._qfrc], self._device)
        inputs = [self._bodies, self._free_dof, body_f, control.joint_f, m.body_mass]
        inputs += [m.body_world, gravity_of_worlds(m), gravity_compensation(m)]
        shape = self._bodies.shape
        found += _recorded(kernels.put_body_forces, shape, inputs, [self._xfrc], self._device)
        return found


def gravity_compensation(model: Any) -> Any:
    """The share of gravity that bodies do not feel in MuJoCo, (bodies,), or None."""
    return getattr(vars(model).get("mujoco"), "gravcomp", None)


def direct_controls(control: Any) -> Any:
    """Controls of a script's own actuators, or None."""
    return getattr(getattr(control, "mujoco", None), "ctrl", None)


def _recorded(
    kernel: Any, dim: Any, inputs: list[Any], outputs: list[Any], device: Any
) -> list[wp.Launch]:
    """A launch of a kernel that is prepared once, for many steps; none where it has no threads."""
    launch: Any = wp.launch(
        kernel, dim=dim, inputs=inputs, outputs=outputs, device=device, record_cmd=True
    )
    return [] if launch is None else [launch]


def _free_dofs(model: Any) -> Any:
    """Body -> first degree of freedom of its free joint, or -1."""
    dofs = np.full(max(model.body_count, 1), -1, np.int32)
    free = model.joint_type.numpy() == JointType.FREE
    dofs[model.joint_child.numpy()[free]] = model.joint_qd_start.numpy()[:-1][free]
    return dofs


def as_warp(array: Any) -> Any:
    """An array of worlds as one of plain numbers that Warp's kernels write into."""
    if isinstance(array, np.ndarray):
        view: Any = wp.array(
            ptr=array.ctypes.data if array.size else None,
            dtype=wp.float64,
            shape=array.shape,
            strides=array.strides,
            device="cpu",
            copy=False,
        )
        view.memory = array  # lives as long as a recorded graph that writes into it
        return view
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
