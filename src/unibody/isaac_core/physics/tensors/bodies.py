"""The view of rigid bodies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from unibody.core.batch.selection import Actors, Selection
from unibody.errors import NotSupportedError
from unibody.isaac_core.physics.tensors import properties
from unibody.isaac_core.physics.tensors.absent import AbsentOffsets
from unibody.isaac_core.physics.tensors.base import Array, Ints, Shared, View, poses_out
from unibody.isaac_core.physics.tensors.joint_forces import accelerations_of, alike


class RigidBodyView(AbsentOffsets, View):
    """Rigid bodies, links of articulations among them.

    Args:
        shared: Of the simulation view.
        paths: Of the bodies.
    """

    def __init__(self, shared: Shared, paths: Sequence[str]) -> None:
        super().__init__(shared, paths)
        found = [self._scene.body_of(path) for path in paths]
        self._owners = [place for place in found if place is not None]
        actors = [body.actor for body, _ in self._owners]
        numbers = np.array([number for _, number in self._owners], np.int64)
        names = [path.rsplit("/", 1)[-1] for path in paths]
        self._bodies = Selection(self._batch, "body", actors, numbers, names)
        self._actors = Actors(self._batch, actors)
        self._shapes = properties.Shapes(self, [(body.actor, n) for body, n in self._owners])
        self._root = numbers == 0
        self._alone = np.array([len(body.model.bodies) == 1 for body, _ in self._owners], bool)

    @property
    def max_shapes(self) -> int:
        """Most shapes of a body."""
        return self._shapes.most

    # --- states --------------------------------------------------------------------------------

    def get_transforms(self) -> Any:
        """Positions and quaternions xyzw, (count, 7)."""
        return self._give(poses_out(self._read(self._bodies, "poses"), self._origins))

    def get_velocities(self) -> Any:
        """Linear velocities of the mass centres and angular ones, (count, 6)."""
        return self._give(self._read(self._bodies, "velocities"))

    def get_accelerations(self) -> Any:
        """Accelerations of the mass centres and angular ones, (count, 6)."""
        self._usable()
        found = np.zeros((self.count, 6))
        if self._scene.steps:
            numbers = np.array([number for _, number in self._owners], np.int64)
            for some in alike(self._scene, [body for body, _ in self._owners]):
                own = accelerations_of(some)
                found[some.rows] = own[np.arange(len(own)), numbers[some.rows]]
        return self._give(found)

    def set_transforms(self, data: Any, indices: Any) -> bool:
        """Place bodies, (count, 7).

        Raises:
            NotSupportedError: One is a link that is not the root of its articulation.
        """
        rows = self._free(indices, "placing", roots=True)
        poses = self._take(data, (7,), rows).copy()
        poses[:, :3] += self._origins[rows]
        self._write(self._actors, "poses", poses, rows)
        return True

    def set_kinematic_targets(self, data: Any, indices: Any) -> bool:
        """Place kinematic bodies, (count, 7)."""
        return self.set_transforms(data, indices)

    def set_velocities(self, data: Any, indices: Any) -> bool:
        """Set linear velocities of the mass centres and angular ones, (count, 6).

        Raises:
            NotSupportedError: One is a link that is not the root of its articulation.
        """
        rows = self._free(indices, "setting the velocity of", roots=True)
        self._write(self._actors, "velocities", self._take(data, (6,), rows), rows)
        return True

    def _free(self, indices: Any, what: str, *, roots: bool = False) -> Ints:
        """Rows of bodies that are alone; or roots, which their articulations follow."""
        rows = self._rows(indices)
        allowed = self._alone | (self._root & roots)
        if not allowed[rows].all():
            bad = self._paths[int(rows[~allowed[rows]][0])]
            raise NotSupportedError(
                f"{what} {bad!r}, which is joined to other bodies",
                "set the root and the joints through an articulation view",
            )
        return rows

    # --- forces --------------------------------------------------------------------------------

    def apply_forces(self, data: Any, indices: Any, is_global: bool = True) -> bool:
        """Add forces at the mass centres for one step, (count, 3)."""
        return self.apply_forces_and_torques_at_position(data, None, None, indices, is_global)

    def apply_forces_and_torques_at_position(
        self, force_data: Any, torque_data: Any, position_data: Any, indices: Any, is_global: bool
    ) -> bool:
        """Add forces and torques for one step, (count, 3) each; None: none, or at mass centres."""
        rows = self._rows(indices)
        named = {
            "force_data": force_data,
            "torque_data": torque_data,
            "position_data": position_data,
        }
        given: list[Array | None] = [
            None if value is None else self._take(value, (3,), rows, name)
            for name, value in named.items()
        ]
        if given[2] is not None and is_global:
            given[2] = given[2] + self._origins[rows]
        self._push(self._bodies, rows, *given, is_global=is_global)
        return True

    # --- properties ----------------------------------------------------------------------------

    def get_masses(self) -> Any:
        """Masses, (count, 1)."""
        return self._give(properties.masses(self, self._bodies)[:, None])

    def get_inv_masses(self) -> Any:
        """Inverse masses, (count, 1); 0 of kinematic bodies."""
        return self._give(properties.inverse_masses(self, self._bodies)[:, None])

    def get_coms(self) -> Any:
        """Mass centres and principal axes in the bodies' frames, (count, 7)."""
        return self._give(properties.coms(self, self._bodies))

    def get_inertias(self) -> Any:
        """Inertias about the mass centres in the bodies' axes, (count, 9)."""
        return self._give(properties.inertias(self, self._bodies))

    def get_inv_inertias(self) -> Any:
        """Inverses of the inertias, (count, 9)."""
        return self._give(properties.inverse_inertias(self, self._bodies))

    def get_disable_gravities(self) -> Any:
        """Whether gravity does not act on bodies, (count, 1), uint8."""
        return self._give(properties.weightless(self, self._bodies)[:, None], np.uint8)

    def set_masses(self, data: Any, indices: Any) -> bool:
        """Set masses, (count, 1)."""
        rows = self._rows(indices)
        self._write(self._bodies, "masses", self._take(data, (1,), rows)[:, 0], rows)
        return True

    def set_coms(self, data: Any, indices: Any) -> bool:
        """Set mass centres and principal axes, (count, 7)."""
        rows = self._rows(indices)
        properties.set_coms(self, self._bodies, self._take(data, (7,), rows), rows)
        return True

    def set_inertias(self, data: Any, indices: Any) -> bool:
        """Set inertias, (count, 9)."""
        rows = self._rows(indices)
        values = self._take(data, (9,), rows)
        self._write(self._bodies, "inertias", values.reshape(-1, 3, 3), rows)
        return True

    def set_disable_gravities(self, data: Any, indices: Any) -> bool:
        """Say which bodies gravity does not act on, (count, 1)."""
        rows = self._rows(indices)
        properties.set_weightless(self, self._bodies, self._take(data, (1,), rows)[:, 0], rows)
        return True

    def get_disable_simulations(self) -> Any:
        """Whether bodies take no part in the simulation, (count, 1), uint8."""
        return self._give(properties.disabled(self, self._bodies)[:, None], np.uint8)

    def set_disable_simulations(self, data: Any, indices: Any) -> bool:
        """Take bodies out of the simulation, (count, 1): they stay, and touch nothing.

        Raises:
            NotSupportedError: One that changes is a link, or joined to another body.
        """
        rows = self._rows(indices)
        wanted = self._take(data, (1,), rows)[:, 0] != 0.0
        changes = properties.disabled(self, self._bodies)[rows] != wanted
        chosen = self._free(rows[changes], "disabling the simulation of")
        properties.set_disabled(self, self._bodies, wanted[changes], chosen)
        return True

    def get_material_properties(self) -> Any:
        """Static and dynamic friction, and restitution of shapes, (count, shapes, 3)."""
        return self._give(self._shapes.materials())

    def set_material_properties(self, data: Any, indices: Any) -> bool:
        """Set the same; here both frictions are one, the dynamic one."""
        rows = self._rows(indices)
        self._shapes.set_materials(self._take(data, (self.max_shapes, 3), rows), rows)
        return True
