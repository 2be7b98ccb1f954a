"""Free bodies that hang on moving parents, in SolverFeatherstone."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from unibody.newton.enums import JointType
from unibody.newton.gravity_kernels import gravity_of_worlds
from unibody.newton.kinematics import eval_fk
from unibody.newton.model import Model
from unibody.newton.solvers.held import kinematic_bodies
from unibody.newton.state import State


class Descendants:
    """Joints of free bodies below other bodies, by how many such joints are above them.

    Args:
        model: The model.
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        kinds, above = model.joint_type.numpy(), model.joint_ancestor.numpy()
        free = np.isin(kinds, [int(JointType.FREE), int(JointType.DISTANCE)])
        free &= (model.joint_parent.numpy() >= 0) & (model.joint_articulation.numpy() >= 0)
        held = kinematic_bodies(model)[model.joint_child.numpy()]
        depth = np.zeros(len(kinds), np.int32)
        for joint in range(len(kinds)):  # parents come first
            depth[joint] = (depth[above[joint]] if above[joint] >= 0 else 0) + int(free[joint])
        self.levels: int = int(depth[free].max(initial=0))
        level = np.where(free & ~held, depth, 0).astype(np.int32)
        self._level = wp.array(level, dtype=wp.int32, device=model.device)

    def move(
        self, joints: Any, work: Any, qdd: wp.array[Any], coordinates: Any, after: Any, dt: float
    ) -> None:
        """Write coordinates of which those of free bodies are where their parents are by then.

        Args:
            joints: Of the model.
            work: Arrays of the step.
            qdd: Accelerations of joints.
            coordinates: Positions and velocities of all joints after the step.
            after: Arrays that are written.
            dt: Time step [s].
        """
        from unibody.newton.solvers.descendant_kernels import body_rates, move_descendants

        model = self.model
        faster = wp.zeros_like(work.own_F)
        wp.launch(
            body_rates,
            dim=model.articulation_count,
            inputs=[joints, work.S, qdd],
            outputs=[faster],
            device=model.device,
        )
        of_bodies = [model.body_com, model.body_world, gravity_of_worlds(model)]
        for level in range(1, self.levels + 1):
            moved = State()
            moved.body_q, moved.body_qd = wp.zeros_like(work.body_q), wp.zeros_like(work.body_qd)
            q, qd = coordinates
            eval_fk(model, q, qd, moved)
            last = level == self.levels
            found = after if last else tuple(wp.empty_like(array) for array in after)
            wp.launch(
                move_descendants,
                dim=model.joint_count,
                inputs=[
                    *(joints, self._level, level, model.joint_articulation, *of_bodies),
                    *(work.reference, work.A, faster, work.body_q, work.body_qd),
                    *(moved.body_q, moved.body_qd, *coordinates, dt),
                ],
                outputs=list(found),
                device=model.device,
            )
            coordinates = found
