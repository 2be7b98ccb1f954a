"""Drives that give accelerations: their gains act on the inertia that a joint moves.

As in PhysX the inertia of joint i is 1 / (M^-1)_ii: a force over the acceleration of the joint that
it causes, where all other joints are free to follow. It depends on positions, so it is computed
anew before each step (for all substeps at once). The largest effort stays a force.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from unibody.core.batch.dynamics import Part, matrix_columns
from unibody.core.batch.exchange import on_host
from unibody.core.batch.group import Group
from unibody.core.batch.inertia_kernels import joint_inertias

Flags = npt.NDArray[np.bool_]
_LEAST = 1e-12  # 1/(kg m^2), 1/kg: of a joint that nothing can move


class AccelerationDrives:
    """The drives of one actor of the environments of a group.

    Args:
        group: The group.
        local: Number of the actor.
        flags: Which drives give accelerations, (worlds, dofs).
        parts: Of the mass matrices of these actors.
        zeros: Makes an array of the batch.
    """

    def __init__(
        self,
        group: Group,
        local: int,
        flags: Flags,
        parts: list[Part],
        zeros: Callable[[Any], Any],
    ) -> None:
        self._group, self._local, self._flags, self._parts = group, local, flags, parts
        actor = group.envs[0].actors[local]
        columns = matrix_columns(actor.kind, fixed=actor.fixed)
        self._inertias = np.ones(flags.shape)
        self._matrices = zeros((len(flags), columns, columns))

    def update(self) -> None:
        """Take the inertias as they are, with the poses of the last ``kinematics``."""
        for part in self._parts:
            part.read_mass_matrices(self._matrices)
        joint_inertias(on_host(self._matrices), self._flags, _LEAST, self._inertias)
        self._group.inertias_changed(self._local, self._inertias)
