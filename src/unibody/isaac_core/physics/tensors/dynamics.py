"""Jacobians, mass matrices and generalised forces of articulations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from unibody.core.batch.dynamics import BASE, jacobian_rows, matrix_columns
from unibody.core.batch.selection import Actors, Selection
from unibody.errors import NotSupportedError
from unibody.isaac_core.physics.models import Model
from unibody.isaac_core.physics.scene import Body
from unibody.isaac_core.physics.tensors.base import Array, Shared, View
from unibody.isaac_core.physics.tensors.joint_forces import (
    Alike,
    JointFrames,
    accelerations_of,
    alike,
    joint_frames,
    wrenches_of,
)


class DynamicsView(View):
    """The matrices of articulations.

    Columns are those of the base's velocity and angular velocity in the world's axes, where it
    moves, and of the degrees of freedom. Jacobians are of the mass centres.
    """

    _actors: Actors
    _links: Selection
    _dofs: Selection
    _models: list[Model]
    _entries: list[Body]

    def __init__(self, shared: Shared, paths: Sequence[str]) -> None:
        super().__init__(shared, paths)
        self._frames: dict[int, JointFrames] = {}  # by the model

    def _of_dofs(self, whole: Array) -> Array:
        """Rows and columns of the degrees of freedom: without those of bases that move."""
        width, axes = self._dofs.numbers.shape[1], whole.ndim - 1
        found = np.zeros((self.count, *[width] * axes), whole.dtype)
        fixed = np.array([model.kind.fixed for model in self._models], bool)
        for base, chosen in ((0, fixed), (BASE, ~fixed)):
            rows = np.flatnonzero(chosen)
            part = whole[(rows, *[slice(base, base + width)] * axes)]
            found[(rows, *(slice(0, length) for length in part.shape[1:]))] = part
        return found

    @property
    def jacobian_shape(self) -> tuple[int, int]:
        """Rows and columns of a Jacobian."""
        kinds = [(model.kind, model.kind.fixed) for model in self._models]
        rows = max(jacobian_rows(kind, fixed=fixed) for kind, fixed in kinds)
        columns = max(matrix_columns(kind, fixed=fixed) for kind, fixed in kinds)
        return rows * 6, columns

    @property
    def mass_matrix_shape(self) -> tuple[int, int]:
        """Rows and columns of a mass matrix of the degrees of freedom alone."""
        width = self._dofs.numbers.shape[1]
        return width, width

    @property
    def generalized_mass_matrix_shape(self) -> tuple[int, int]:
        """Rows and columns of a mass matrix."""
        columns = self.jacobian_shape[1]
        return columns, columns

    def get_jacobians(self) -> Any:
        """Jacobians, (count, links, 6, columns); a root that is held has no row."""
        return self._give(self._read(self._actors, "jacobians"))

    def get_generalized_mass_matrices(self) -> Any:
        """Mass matrices, (count, columns, columns)."""
        return self._give(self._read(self._actors, "mass_matrices"))

    def get_mass_matrices(self) -> Any:
        """Mass matrices of the degrees of freedom alone, (count, dofs, dofs)."""
        return self._give(self._of_dofs(self._read(self._actors, "mass_matrices")))

    def _gravity(self) -> Array:
        return self._read(self._actors, "gravity_forces")

    def get_gravity_compensation_forces(self) -> Any:
        """Forces that hold against gravity, (count, columns)."""
        return self._give(-self._gravity())

    def get_generalized_gravity_forces(self) -> Any:
        """The same of the degrees of freedom alone, (count, dofs)."""
        return self._give(-self._of_dofs(self._gravity()))

    def get_coriolis_and_centrifugal_compensation_forces(self) -> Any:
        """Forces that hold against Coriolis and centrifugal forces, (count, columns)."""
        return self._give(self._read(self._actors, "coriolis_forces"))

    def get_coriolis_and_centrifugal_forces(self) -> Any:
        """The same of the degrees of freedom alone, (count, dofs)."""
        return self._give(self._of_dofs(self._read(self._actors, "coriolis_forces")))

    def get_articulation_mass_center(self, local_frame: bool = False) -> Any:
        """Mass centres, in the world or in the roots' frames, (count, 3)."""
        from unibody.core.assets.rotations import rotations

        poses = self._read(self._links, "poses").astype(float)
        turn = rotations(np.roll(poses[..., 3:], 1, axis=-1))
        own = self._read(self._links, "mass_centres")
        masses = self._read(self._links, "masses").astype(float)
        points = poses[..., :3] + np.einsum("abij,abj->abi", turn, own)
        centre = np.einsum("ab,abi->ai", masses, points) / masses.sum(axis=1)[:, None]
        if local_frame:
            found = np.einsum("aji,aj->ai", turn[:, 0], centre - poses[:, 0, :3])
            return self._give(found)
        return self._give(centre - self._origins)

    def get_articulation_centroidal_momentum(self) -> Any:
        """Matrices of centroidal momentum.

        Raises:
            NotSupportedError: Always.
        """
        raise NotSupportedError(
            "matrices of centroidal momentum", "get_jacobians, get_masses and get_inertias"
        )

    def get_link_accelerations(self) -> Any:
        """Accelerations of the links' mass centres and angular ones, (count, links, 6)."""
        return self._give(self._solved(accelerations_of))

    def get_link_incoming_joint_force(self) -> Any:
        """Forces and torques of the joints above links, (count, links, 6).

        They act on the second body of each joint, at its frame there and in its axes.
        """

        def read(some: Alike) -> Array:
            key = id(some.body.model)
            if key not in self._frames:
                self._frames[key] = joint_frames(self._scene.stage, some.body)
            return wrenches_of(some, self._frames[key])

        return self._give(self._solved(read))

    def _solved(self, read: Callable[[Alike], Array]) -> Array:
        """Rows (links, 6) of all articulations; zeros before the first step."""
        self._usable()
        found = np.zeros((self.count, self._links.numbers.shape[1], 6))
        if self._scene.steps:
            for some in alike(self._scene, self._entries):
                found[some.rows, : len(some.links)] = read(some)
        return found
