"""Joints as springs and dampers about a desired motion, with the dynamics of a model."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from unibody.newton.controllers.base import ControllerBase
from unibody.newton.controllers.joint_impedance_model_free import (
    ControllerJointImpedanceModelFree,
    ImpedanceOutputs,
)
from unibody.newton.controllers.joint_selection import Choice, Selection, select_joints
from unibody.newton.controllers.ports import check_port, refuse_unread
from unibody.newton.inverse_dynamics import eval_inverse_dynamics_passive
from unibody.newton.kinematics import eval_fk
from unibody.newton.model import Model


class ModelImpedanceInputs:
    """What a step reads.

    Attributes:
        joint_q: Positions of all joints of the model.
        joint_qd: Velocities of all joints of the model.
        joint_q_des: Desired positions [m or rad], one a controlled joint.
        joint_qd_des: Desired velocities [m/s or rad/s], one a controlled joint.
        joint_qdd: Accelerations that are added to the demand [m/s² or rad/s²], or None.
        stiffness: As of the controller's argument, or None.
        damping: As of the controller's argument, or None.
    """

    joint_q: Any = None
    joint_qd: Any = None
    joint_q_des: Any = None
    joint_qd_des: Any = None
    joint_qdd: Any = None
    stiffness: Any = None
    damping: Any = None


class ControllerJointImpedance(ControllerBase[Any, Any]):
    """Forces of joints that behave as springs and dampers; the model has the dynamics.

    The law is that of `ControllerJointImpedanceModelFree`; mass matrices have the armature of
    joints. Each articulation is a robot.

    Args:
        model: The model; it is read in each step, and never written.
        articulations: Numbers, patterns of labels, or one pattern; None: all.
        joints: Numbers, patterns of the last parts of labels, or one pattern; None: all with one
            coordinate and one degree of freedom.
        stiffness: As of `ControllerJointImpedanceModelFree`.
        damping: As of `ControllerJointImpedanceModelFree`.
        use_gravity_compensation: Whether forces hold against gravity.
        use_coriolis_compensation: Whether forces make up for what the speed asks for.
        use_inertia_decoupling: Whether the mass matrix multiplies the demand.
        has_qdd_feedforward: Whether ``inputs.joint_qdd`` is part of the demand.
    """

    Inputs = ModelImpedanceInputs
    Outputs = ImpedanceOutputs

    def __init__(
        self,
        model: Model,
        *,
        articulations: Choice = None,
        joints: Choice = None,
        stiffness: Any,
        damping: Any,
        use_gravity_compensation: bool = True,
        use_coriolis_compensation: bool = True,
        use_inertia_decoupling: bool = True,
        has_qdd_feedforward: bool = False,
    ) -> None:
        if not isinstance(model, Model):
            raise TypeError(f"model is a {type(model).__name__}: it must be a newton.Model")
        selection = select_joints(model, articulations, joints)
        self._model = model
        self._state = model.state()
        device = model.device
        self._q_start = wp.array(selection.q_start, dtype=wp.int32, device=device)
        self._qd_start = wp.array(selection.qd_start, dtype=wp.int32, device=device)
        self._law = ControllerJointImpedanceModelFree(
            controlled_dofs_per_robot=wp.array(selection.counts, dtype=wp.int32, device=device),
            stiffness=stiffness,
            damping=damping,
            use_gravity_compensation=use_gravity_compensation,
            use_coriolis_compensation=use_coriolis_compensation,
            use_inertia_decoupling=use_inertia_decoupling,
            has_qdd_feedforward=has_qdd_feedforward,
            device=device,
            requires_grad=model.requires_grad,
        )
        self._switches: dict[str, tuple[bool, str]] = {
            "joint_qdd": (bool(has_qdd_feedforward), "has_qdd_feedforward=True"),
            "stiffness": (stiffness is None, "stiffness=None"),
            "damping": (damping is None, "damping=None"),
        }
        mask = np.zeros(model.articulation_count, bool)
        mask[selection.articulations] = True
        self._mask = wp.array(mask, dtype=bool, device=device)
        self._terms = _Terms(
            model,
            selection,
            use_inertia_decoupling,
            use_gravity_compensation,
            use_coriolis_compensation,
        )
        self._dynamics = self._law.Inputs()
        self._dynamics.joint_q = self._state.joint_q[self._q_start]
        self._dynamics.joint_qd = self._state.joint_qd[self._qd_start]
        self._dynamics.mass_matrix = self._terms.blocks
        if self._terms.gravity is not None:
            self._dynamics.gravity_force = self._terms.gravity[self._qd_start]
        if self._terms.coriolis is not None:
            self._dynamics.coriolis_force = self._terms.coriolis[self._qd_start]

    @property
    def model_robot_count(self) -> int:
        """Articulations of the model, controlled or not."""
        return self._model.articulation_count

    @property
    def controlled_robot_count(self) -> int:
        """Articulations with a controlled joint."""
        return self._law.controlled_robot_count

    @property
    def max_controlled_dofs(self) -> int:
        """Controlled joints of the articulation with the most of them."""
        return self._law.max_controlled_dofs

    @property
    def total_controlled_dofs(self) -> int:
        """Controlled joints of all articulations: the length of ports."""
        return self._law.total_controlled_dofs

    @property
    def q_start(self) -> wp.array[Any]:
        """The coordinate of each controlled joint in ``joint_q``."""
        return self._q_start

    @property
    def qd_start(self) -> wp.array[Any]:
        """The degree of freedom of each controlled joint in ``joint_qd``."""
        return self._qd_start

    @property
    def device(self) -> Any:
        """Where arrays lie."""
        return self._law.device

    @property
    def requires_grad(self) -> bool:
        """Whether gradients go through arrays."""
        return self._law.requires_grad

    def is_graphable(self) -> bool:
        """Whether `step` can be part of a CUDA graph: Jacobians are laid out on the host."""
        return False

    def input(self) -> ModelImpedanceInputs:
        """Make what `step` reads: arrays of zeros, and None where a feature is off."""
        inputs = ModelImpedanceInputs()
        inputs.joint_q = wp.zeros_like(self._state.joint_q)
        inputs.joint_qd = wp.zeros_like(self._state.joint_qd)
        law = self._law.input()
        for name in ("joint_q_des", "joint_qd_des", *self._switches):
            setattr(inputs, name, getattr(law, name))
        return inputs

    def output(self) -> ImpedanceOutputs:
        """Make what `step` writes."""
        return self._law.output()

    def step(self, *, inputs: Any, outputs: Any, dt: Any) -> None:
        """Write the forces of controlled joints.

        Args:
            inputs: As of `input`.
            outputs: As of `output`.
            dt: The law has no memory: it does not depend on the time of a step.
        """
        refuse_unread(inputs, self._switches)
        for name in ("joint_q", "joint_qd"):
            own, port = getattr(self._state, name), getattr(inputs, name)
            check_port(f"inputs.{name}", port, own.shape, self.device)
            wp.copy(own, port)
        state = self._state
        eval_fk(self._model, state.joint_q, state.joint_qd, state, mask=self._mask)
        self._terms.update(self._model, state, self._mask)
        for name in ("joint_q_des", "joint_qd_des", *self._switches):
            setattr(self._dynamics, name, getattr(inputs, name))
        self._law.step(inputs=self._dynamics, outputs=outputs, dt=dt)


class _Terms:
    """Terms of the equations of motion, as far as they are asked for.

    Attributes:
        blocks: Mass matrices of controlled joints, or None.
        gravity: What holds against gravity, one value a degree of freedom, or None.
        coriolis: What the speed asks for, one value a degree of freedom, or None.
    """

    def __init__(
        self, model: Model, selection: Selection, inertia: bool, gravity: bool, coriolis: bool
    ) -> None:
        device, dofs = model.device, model.joint_dof_count
        self.gravity = wp.zeros(dofs, dtype=float, device=device) if gravity else None
        self.coriolis = wp.zeros(dofs, dtype=float, device=device) if coriolis else None
        self.blocks: wp.array[Any] | None = None
        self._matrix: wp.array[Any] | None = None
        if inertia:
            most, all_dofs = int(selection.counts.max()), model.max_dofs_per_articulation
            robots = len(selection.counts)
            self.blocks = wp.zeros((robots, most, most), dtype=float, device=device)
            shape = (model.articulation_count, all_dofs, all_dofs)
            self._matrix = wp.zeros(shape, dtype=float, device=device)
            entries = _entries(model, selection)
            self._entries = wp.array(entries, dtype=wp.int32, device=device)

    def update(self, model: Model, state: Any, mask: wp.array[Any]) -> None:
        """Work the terms out at a state whose poses of bodies are those of its joints."""
        from unibody.newton.controllers.kernels import controlled_blocks

        eval_inverse_dynamics_passive(
            model,
            state,
            mass_matrix=self._matrix,
            gravity_force=self.gravity,
            coriolis_force=self.coriolis,
            mask=mask,
        )
        if self._matrix is not None:
            wp.launch(
                controlled_blocks,
                dim=len(self._entries),
                inputs=[self._entries, self._matrix],
                outputs=[self.blocks],
                device=model.device,
            )


def _entries(model: Model, selection: Selection) -> np.ndarray:
    """Rows of (articulation, row, column) in its matrix, and (robot, row, column) in its block."""
    first = model.joint_qd_start.numpy()[model.articulation_start.numpy()[:-1]]
    rows: list[tuple[int, ...]] = []
    for robot, number in enumerate(selection.articulations.tolist()):
        mine = selection.qd_start[selection.articulation == number] - first[number]
        rows += [
            (number, int(a), int(b), robot, i, k)
            for i, a in enumerate(mine)
            for k, b in enumerate(mine)
        ]
    return np.array(rows, np.int32)
