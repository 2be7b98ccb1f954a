"""Joints that follow others in SolverFeatherstone: their inertia and efforts act on the others."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from unibody.newton.articulations import Layout
from unibody.newton.model import Model


class Followers:
    """Which degrees of freedom follow which, and where entries of mass matrices count.

    Args:
        model: A model of which joints follow others.
        layout: Of its mass matrices.
    """

    def __init__(self, model: Model, layout: Layout) -> None:
        starts = model.joint_qd_start.numpy()
        leads = model.joint_mimic_joint.numpy()
        leader = np.arange(model.joint_dof_count, dtype=np.int32)
        joint = np.repeat(np.arange(model.joint_count, dtype=np.int32), np.diff(starts))
        follows = leads[joint] >= 0
        leader[follows] += starts[leads[joint]][follows] - starts[joint][follows]
        rows, columns, _, places = layout.pairs.numpy().T
        sizes, firsts, begins = (a.numpy() for a in (layout.sizes, layout.dofs, layout.starts))
        owner = np.searchsorted(firsts, rows, side="right") - 1

        def place(row: Any, column: Any, owner: Any) -> Any:
            high, low = np.maximum(row, column), np.minimum(row, column)
            first = firsts[owner]
            return begins[owner] + (high - first) * sizes[owner] + low - first

        ahead = leader[rows], leader[columns]
        # Two ends of one leader: the entry above the diagonal counts there, too.
        times = np.where((ahead[0] == ahead[1]) & (rows != columns), 2, 1)
        followers = np.flatnonzero(follows).astype(np.int32)
        owners = np.searchsorted(firsts, followers, side="right") - 1
        self.model = model
        self._joint = joint
        with wp.ScopedDevice(model.device):
            self._leader = wp.array(leader, dtype=wp.int32)
            entries = np.stack([places, place(*ahead, owner)], axis=1)
            self._entries = wp.array(entries.astype(np.int32), dtype=wp.int32)
            weights = np.stack([rows, columns, times], axis=1)
            self._weights = wp.array(weights.astype(np.int32), dtype=wp.int32)
            held = place(followers, followers, owners)
            self._held = wp.array(held.astype(np.int32), dtype=wp.int32)
            self._factor = wp.empty(model.joint_dof_count, dtype=float)
        self.take_over()

    def take_over(self) -> None:
        """Take over the factors of the model."""
        factors = self.model.joint_mimic_coeffs.numpy()[:, 1]
        follows = self.model.joint_mimic_joint.numpy() >= 0
        self._factor.assign(np.where(follows, factors, 1.0)[self._joint].astype(np.float32))

    def efforts(self, tau: wp.array[Any]) -> wp.array[Any]:
        """Efforts of all as efforts of those that follow nothing."""
        from unibody.newton.solvers.follower_kernels import fold_efforts

        folded = wp.zeros_like(tau)
        wp.launch(
            fold_efforts,
            dim=len(tau),
            inputs=[self._leader, self._factor, tau],
            outputs=[folded],
            device=self.model.device,
        )
        return folded

    def matrix(self, H: wp.array[Any]) -> wp.array[Any]:
        """Mass matrices with the inertia of followers at those that they follow."""
        from unibody.newton.solvers.follower_kernels import fold_matrix, hold_followers

        folded = wp.zeros_like(H)
        wp.launch(
            fold_matrix,
            dim=len(self._entries),
            inputs=[self._entries, self._weights, self._factor, H],
            outputs=[folded],
            device=self.model.device,
        )
        wp.launch(
            hold_followers,
            dim=len(self._held),
            inputs=[self._held],
            outputs=[folded],
            device=self.model.device,
            record_tape=False,
        )
        return folded

    def accelerations(self, of_leaders: wp.array[Any]) -> wp.array[Any]:
        """Accelerations of all, from those of what follows nothing."""
        from unibody.newton.solvers.follower_kernels import unfold

        found = wp.empty_like(of_leaders)
        wp.launch(
            unfold,
            dim=len(found),
            inputs=[self._leader, self._factor, of_leaders],
            outputs=[found],
            device=self.model.device,
        )
        return found

    def coordinates(
        self, q: wp.array[Any], qd: wp.array[Any], q_new: wp.array[Any], qd_new: wp.array[Any]
    ) -> None:
        """Write coordinates of which those of followers are what they take over."""
        from unibody.newton.mimic_kernels import follow

        model = self.model
        wp.launch(
            follow,
            dim=model.joint_count,
            inputs=[
                None,
                model.joint_mimic_joint,
                model.joint_mimic_coeffs,
                model.joint_q_start,
                model.joint_qd_start,
                q,
                qd,
            ],
            outputs=[q_new, qd_new],
            device=model.device,
        )
