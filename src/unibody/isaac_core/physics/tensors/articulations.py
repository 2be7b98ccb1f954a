"""The view of articulations: roots, links and properties. Joints are in ``dofs``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from unibody.core.batch.selection import Actors, Selection
from unibody.errors import InvalidArgumentError
from unibody.isaac_core.physics.scene import Body
from unibody.isaac_core.physics.tensors import properties
from unibody.isaac_core.physics.tensors.absent import AbsentOffsets
from unibody.isaac_core.physics.tensors.base import Array, Shared, poses_out
from unibody.isaac_core.physics.tensors.dofs import DofView
from unibody.isaac_core.physics.tensors.dynamics import DynamicsView
from unibody.isaac_core.physics.tensors.metatype import ArticulationMetatype, metatype_of
from unibody.isaac_core.physics.tensors.tendons import TendonView


class ArticulationView(DofView, DynamicsView, TendonView, AbsentOffsets):
    """Articulations.

    Where an articulation has fewer links or degrees of freedom than another, arrays hold zeros.

    Args:
        shared: Of the simulation view.
        bodies: The articulations.
    """

    def __init__(self, shared: Shared, bodies: Sequence[Body]) -> None:
        super().__init__(shared, [body.articulation for body in bodies])
        self._entries = list(bodies)
        actors = [body.actor for body in bodies]
        self._models = [body.model for body in bodies]
        self._owners = [body.actor for body in bodies]
        self._actors = Actors(self._batch, actors)
        self._links = Selection(
            self._batch,
            "body",
            actors,
            _numbers([len(model.bodies) for model in self._models]),
            self._models[0].names if bodies else [],
        )
        self._dofs = Selection(
            self._batch,
            "dof",
            actors,
            _numbers([len(model.kind.dofs) for model in self._models]),
            [dof.name for dof in self._models[0].kind.dofs] if bodies else [],
        )
        self._shapes = properties.Shapes(self, [(actor, None) for actor in actors])
        self._metatypes: dict[int, ArticulationMetatype] = {}

    # --- structure -----------------------------------------------------------------------------

    @property
    def max_links(self) -> int:
        """Links of the articulation with the most."""
        return self._links.numbers.shape[1]

    @property
    def max_dofs(self) -> int:
        """Degrees of freedom of the articulation with the most."""
        return self._dofs.numbers.shape[1]

    @property
    def max_shapes(self) -> int:
        """Shapes of the articulation with the most."""
        return self._shapes.most

    @property
    def is_homogeneous(self) -> bool:
        """Whether all have the same links and joints."""
        return all(self.get_metatype(0) == self.get_metatype(n) for n in self._firsts())

    def _firsts(self) -> list[int]:
        """The first articulation of each model."""
        found: dict[int, int] = {}
        for number, model in enumerate(self._models):
            found.setdefault(id(model), number)
        return list(found.values())

    @property
    def shared_metatype(self) -> ArticulationMetatype | None:
        """Names and structure of all; None if they differ."""
        return self.get_metatype(0) if self._entries and self.is_homogeneous else None

    def get_metatype(self, arti_idx: int) -> ArticulationMetatype:
        """Names and structure of one.

        Raises:
            InvalidArgumentError: There is no such articulation.
        """
        if not 0 <= arti_idx < self.count:
            raise InvalidArgumentError("arti_idx", arti_idx, f"0 to {self.count - 1}")
        model = self._models[arti_idx]
        if id(model) not in self._metatypes:
            self._metatypes[id(model)] = metatype_of(model)
        return self._metatypes[id(model)]

    @property
    def link_paths(self) -> list[list[str]]:
        """Paths of the links of each."""
        return [body.paths for body in self._entries]

    @property
    def dof_paths(self) -> list[list[str]]:
        """Paths of the joints of the degrees of freedom of each."""
        return [
            [body.whole(joint.path) for joint in body.model.joints for _ in range(joint.count)]
            for body in self._entries
        ]

    # --- states --------------------------------------------------------------------------------

    def get_root_transforms(self) -> Any:
        """Positions and quaternions xyzw of the roots, (count, 7)."""
        return self._give(poses_out(self._read(self._actors, "poses"), self._origins))

    def get_root_velocities(self) -> Any:
        """Linear velocities of the roots' mass centres and angular ones, (count, 6)."""
        return self._give(self._read(self._actors, "velocities"))

    def set_root_transforms(self, data: Any, indices: Any) -> bool:
        """Place the roots, (count, 7)."""
        rows = self._rows(indices)
        poses = self._take(data, (7,), rows).copy()
        poses[:, :3] += self._origins[rows]
        self._write(self._actors, "poses", poses, rows)
        return True

    def set_root_velocities(self, data: Any, indices: Any) -> bool:
        """Set velocities of the roots, (count, 6); those that are fixed stay."""
        rows = self._rows(indices)
        self._write(self._actors, "velocities", self._take(data, (6,), rows), rows)
        return True

    def get_link_transforms(self) -> Any:
        """Positions and quaternions xyzw of the links, (count, links, 7)."""
        return self._give(poses_out(self._read(self._links, "poses"), self._origins))

    def get_link_velocities(self) -> Any:
        """Linear velocities of the links' mass centres and angular ones, (count, links, 6)."""
        return self._give(self._read(self._links, "velocities"))

    def apply_forces_and_torques_at_position(
        self, force_data: Any, torque_data: Any, position_data: Any, indices: Any, is_global: bool
    ) -> bool:
        """Add forces and torques to links for one step, (count, links, 3) each.

        None: there are none; the positions where forces act are then the mass centres.
        """
        rows = self._rows(indices)
        named = {
            "force_data": force_data,
            "torque_data": torque_data,
            "position_data": position_data,
        }
        given: list[Array | None] = [
            None if value is None else self._take(value, (self.max_links, 3), rows, name)
            for name, value in named.items()
        ]
        if given[2] is not None and is_global:
            given[2] = given[2] + self._origins[rows][:, None]
        self._push(self._links, rows, *given, is_global=is_global)
        return True

    # --- properties ----------------------------------------------------------------------------

    def get_masses(self) -> Any:
        """Masses of links, (count, links)."""
        return self._give(properties.masses(self, self._links))

    def get_inv_masses(self) -> Any:
        """Inverse masses of links, (count, links)."""
        return self._give(properties.inverse_masses(self, self._links))

    def get_coms(self) -> Any:
        """Mass centres and principal axes in the links' frames, (count, links, 7)."""
        return self._give(properties.coms(self, self._links))

    def get_inertias(self) -> Any:
        """Inertias about the mass centres in the links' axes, (count, links, 9)."""
        return self._give(properties.inertias(self, self._links))

    def get_inv_inertias(self) -> Any:
        """Inverses of the inertias, (count, links, 9)."""
        return self._give(properties.inverse_inertias(self, self._links))

    def get_disable_gravities(self) -> Any:
        """Whether gravity does not act on links, (count, links), uint8."""
        return self._give(properties.weightless(self, self._links), np.uint8)

    def set_masses(self, data: Any, indices: Any) -> bool:
        """Set masses of links, (count, links)."""
        rows = self._rows(indices)
        self._write(self._links, "masses", self._take(data, (self.max_links,), rows), rows)
        return True

    def set_coms(self, data: Any, indices: Any) -> bool:
        """Set mass centres and principal axes, (count, links, 7)."""
        rows = self._rows(indices)
        values = self._take(data, (self.max_links, 7), rows)
        properties.set_coms(self, self._links, values, rows)
        return True

    def set_inertias(self, data: Any, indices: Any) -> bool:
        """Set inertias, (count, links, 9)."""
        rows = self._rows(indices)
        values = self._take(data, (self.max_links, 9), rows)
        self._write(self._links, "inertias", values.reshape(*values.shape[:-1], 3, 3), rows)
        return True

    def set_disable_gravities(self, data: Any, indices: Any) -> bool:
        """Say which links gravity does not act on, (count, links)."""
        rows = self._rows(indices)
        values = self._take(data, (self.max_links,), rows)
        properties.set_weightless(self, self._links, values, rows)
        return True

    def get_material_properties(self) -> Any:
        """Static and dynamic friction, and restitution of shapes, (count, shapes, 3)."""
        return self._give(self._shapes.materials())

    def set_material_properties(self, data: Any, indices: Any) -> bool:
        """Set the same; in motion both frictions are one, the dynamic one."""
        rows = self._rows(indices)
        self._shapes.set_materials(self._take(data, (self.max_shapes, 3), rows), rows)
        return True


def _numbers(counts: Sequence[int]) -> Any:
    """Numbers 0, 1, ... as rows, -1 behind the last."""
    most = max(counts, default=0)
    numbers = np.tile(np.arange(most, dtype=np.int64), (len(counts), 1))
    return np.where(numbers < np.array(counts, np.int64).reshape(-1, 1), numbers, -1)
