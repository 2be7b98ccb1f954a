"""Joints as springs and dampers about a desired motion, with dynamics that scripts give."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from unibody.newton.controllers.base import ControllerBase
from unibody.newton.controllers.ports import check_port, gains, readable, refuse_unread


class ImpedanceInputs:
    """What a step reads; one value a controlled joint, if nothing else is said.

    Attributes:
        joint_q: Positions [m or rad].
        joint_qd: Velocities [m/s or rad/s].
        joint_q_des: Desired positions [m or rad].
        joint_qd_des: Desired velocities [m/s or rad/s].
        joint_qdd: Accelerations that are added to the demand [m/s² or rad/s²], or None.
        gravity_force: What holds against gravity [N or N m], or None.
        coriolis_force: What the speed asks for [N or N m], or None.
        mass_matrix: Shape (robots, most joints, most joints), or None.
        stiffness: As of the controller's argument, or None.
        damping: As of the controller's argument, or None.
    """

    joint_q: Any = None
    joint_qd: Any = None
    joint_q_des: Any = None
    joint_qd_des: Any = None
    joint_qdd: Any = None
    gravity_force: Any = None
    coriolis_force: Any = None
    mass_matrix: Any = None
    stiffness: Any = None
    damping: Any = None


class ImpedanceOutputs:
    """What a step writes.

    Attributes:
        joint_f: Forces of controlled joints [N or N m].
    """

    joint_f: Any = None


class ControllerJointImpedanceModelFree(ControllerBase[Any, Any]):
    """Forces of joints that behave as springs and dampers; scripts give the dynamics.

    ``tau = M (qdd + stiffness (q_des - q) + damping (qd_des - qd)) + C qd + g``

    Each term with M, C or g is there if its switch is on. Ports have one value a controlled
    joint, those of one robot after another: arrays, or views of larger ones.

    Args:
        controlled_dofs_per_robot: How many joints of each robot are controlled, int32.
        stiffness: Of the springs: [1/s²] with inertia decoupling, else [N/m or N m/rad]. One
            number, one each, or None: ``inputs.stiffness`` of each step.
        damping: Of the dampers, [1/s] or [N s/m or N m s/rad]; as `stiffness`.
        use_gravity_compensation: Whether ``inputs.gravity_force`` is added.
        use_coriolis_compensation: Whether ``inputs.coriolis_force`` is added.
        use_inertia_decoupling: Whether ``inputs.mass_matrix`` multiplies the demand.
        has_qdd_feedforward: Whether ``inputs.joint_qdd`` is part of the demand.
        device: Where arrays lie.
        requires_grad: Whether gradients go through them.
    """

    Inputs = ImpedanceInputs
    Outputs = ImpedanceOutputs

    def __init__(
        self,
        *,
        controlled_dofs_per_robot: wp.array[Any],
        stiffness: Any,
        damping: Any,
        use_gravity_compensation: bool = True,
        use_coriolis_compensation: bool = True,
        use_inertia_decoupling: bool = True,
        has_qdd_feedforward: bool = False,
        device: Any = None,
        requires_grad: bool = False,
    ) -> None:
        counts = _counts(controlled_dofs_per_robot)
        self._device: Any = wp.get_device(device)
        self._requires_grad = bool(requires_grad)
        self._counts = counts
        size = int(counts.sum())
        self._stiffness = gains("stiffness", stiffness, size, self._device, requires_grad)
        self._damping = gains("damping", damping, size, self._device, requires_grad)
        read = "has_qdd_feedforward=True"
        self._switches: dict[str, tuple[bool, str]] = {
            "joint_qdd": (bool(has_qdd_feedforward), read),
            "gravity_force": (bool(use_gravity_compensation), "use_gravity_compensation=True"),
            "coriolis_force": (bool(use_coriolis_compensation), "use_coriolis_compensation=True"),
            "mass_matrix": (bool(use_inertia_decoupling), "use_inertia_decoupling=True"),
            "stiffness": (self._stiffness is None, "stiffness=None"),
            "damping": (self._damping is None, "damping=None"),
        }
        self._places = wp.array(_places(counts), dtype=wp.int32, device=self._device)
        self._wanted = self._zeros(size)
        self._forces = self._zeros(size)

    @property
    def controlled_robot_count(self) -> int:
        """How many robots there are."""
        return len(self._counts)

    @property
    def max_controlled_dofs(self) -> int:
        """Joints of the robot with the most of them: rows of each of the mass matrices."""
        return int(self._counts.max())

    @property
    def total_controlled_dofs(self) -> int:
        """Joints of all robots: the length of ports."""
        return int(self._counts.sum())

    @property
    def device(self) -> Any:
        """Where arrays lie."""
        return self._device

    @property
    def requires_grad(self) -> bool:
        """Whether gradients go through arrays."""
        return self._requires_grad

    def is_graphable(self) -> bool:
        """Whether `step` can be part of a CUDA graph: its kernels can."""
        return True

    def input(self) -> ImpedanceInputs:
        """Make what `step` reads: arrays of zeros, and None where a feature is off."""
        inputs = ImpedanceInputs()
        for name in ("joint_q", "joint_qd", "joint_q_des", "joint_qd_des"):
            setattr(inputs, name, self._zeros(self.total_controlled_dofs))
        for name, (is_read, _) in self._switches.items():
            if is_read:
                setattr(inputs, name, self._zeros(self._shape(name)))
        return inputs

    def output(self) -> ImpedanceOutputs:
        """Make what `step` writes."""
        outputs = ImpedanceOutputs()
        outputs.joint_f = self._zeros(self.total_controlled_dofs)
        return outputs

    def step(self, *, inputs: Any, outputs: Any, dt: Any) -> None:
        """Write the forces of controlled joints.

        Args:
            inputs: As of `input`.
            outputs: As of `output`.
            dt: The law has no memory: it does not depend on the time of a step.
        """
        from unibody.newton.controllers import kernels

        refuse_unread(inputs, self._switches)
        read = {
            name: self._read(inputs, name)
            for name in ("joint_q", "joint_qd", "joint_q_des", "joint_qd_des")
        }
        optional = {
            name: self._read(inputs, name) if is_read else None
            for name, (is_read, _) in self._switches.items()
        }
        size = self.total_controlled_dofs
        check_port("outputs.joint_f", outputs.joint_f, (size,), self._device)
        stiffness, damping = optional["stiffness"], optional["damping"]
        with wp.ScopedDevice(self._device):
            wp.launch(
                kernels.demands,
                dim=size,
                inputs=[
                    *read.values(),
                    optional["joint_qdd"],
                    self._stiffness if stiffness is None else stiffness,
                    self._damping if damping is None else damping,
                ],
                outputs=[self._wanted],
            )
            is_view = isinstance(outputs.joint_f, wp.indexedarray)
            written = self._forces if is_view else outputs.joint_f
            dynamics = [optional[n] for n in ("mass_matrix", "gravity_force", "coriolis_force")]
            wp.launch(
                kernels.forces,
                dim=size,
                inputs=[self._places, self._wanted, *dynamics],
                outputs=[written],
            )
            if is_view:
                wp.copy(outputs.joint_f, self._forces)

    def _shape(self, name: str) -> tuple[int, ...]:
        if name == "mass_matrix":
            most = self.max_controlled_dofs
            return (self.controlled_robot_count, most, most)
        return (self.total_controlled_dofs,)

    def _read(self, inputs: Any, name: str) -> wp.array[Any]:
        port = getattr(inputs, name, None)
        check_port(f"inputs.{name}", port, self._shape(name), self._device)
        return readable(port)

    def _zeros(self, shape: Any) -> wp.array[Any]:
        return wp.zeros(shape, dtype=float, device=self._device, requires_grad=self._requires_grad)


def _counts(given: Any) -> np.ndarray:
    if not isinstance(given, wp.array):
        raise TypeError(
            f"controlled_dofs_per_robot is a {type(given).__name__}: it must be a wp.array of int32"
        )
    if given.dtype != wp.int32 or given.ndim != 1:
        raise TypeError("controlled_dofs_per_robot must be a wp.array of int32 of one dimension")
    counts = given.numpy().copy()
    if not len(counts) or counts.min() < 1:
        raise ValueError(
            f"controlled_dofs_per_robot is {counts.tolist()}: each robot must have a controlled "
            f"joint, and there must be a robot"
        )
    return counts


def _places(counts: np.ndarray) -> np.ndarray:
    """Rows of (robot, row of its matrix, its first controlled joint, how many it has)."""
    rows: list[tuple[int, int, int, int]] = []
    for robot, count in enumerate(counts.tolist()):
        first = len(rows)
        rows += [(robot, row, first, count) for row in range(count)]
    return np.array(rows, np.int32)
