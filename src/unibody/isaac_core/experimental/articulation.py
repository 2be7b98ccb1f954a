"""Articulation: robots."""

from __future__ import annotations

from typing import Any

import numpy as np
from pxr import UsdPhysics

from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.isaac_core.experimental import prim_functions as functions
from unibody.isaac_core.experimental.arguments import Array, warp
from unibody.isaac_core.experimental.articulation_links import ArticulationLinks
from unibody.isaac_core.experimental.prim import Prim
from unibody.isaac_core.prims.articulation_view import ArticulationView

_DOFS = ("dof_positions", "dof_velocities", "dof_efforts")


class Articulation(ArticulationLinks):
    """Robots whose links are held by joints.

    Args:
        paths: Of the roots, of prims above them, or of bodies; patterns match level by level.
        **placed: Of `XformPrim`.

    Raises:
        InvalidArgumentError: A path has no prim.
    """

    def __init__(self, paths: str | list[str], **placed: Any) -> None:
        there, free = Prim.resolve_paths(paths)
        if free:
            raise InvalidArgumentError("paths", free[0], "a path of a prim of the stage")
        roots = self.fetch_articulation_root_api_prim_paths(there)
        # A body of an articulation stands for it, as it does for the physics.
        found = [root or path for root, path in zip(roots, there, strict=True)]
        super().__init__(found, resolve_paths=False, **placed)

    def _make_view(self, reset: bool) -> Any:
        return ArticulationView(self.paths, reset_xform_properties=reset)

    @staticmethod
    def fetch_articulation_root_api_prim_paths(paths: str | list[str]) -> list[str | None]:
        """Path of the root at each path or below; None where there is no articulation.

        Raises:
            InvalidArgumentError: A path has no prim.
        """
        there, free = Prim.resolve_paths(paths)
        if free:
            raise InvalidArgumentError("paths", free[0], "a path of a prim of the stage")
        roots = [
            functions.get_first_matching_child_prim(
                path,
                predicate=lambda prim, _: prim.HasAPI(UsdPhysics.ArticulationRootAPI),
                include_self=True,
            )
            for path in there
        ]
        return [None if root is None else root.GetPath().pathString for root in roots]

    @property
    def num_dofs(self) -> int:
        """How many degrees of freedom each has."""
        self._know()
        return self._view.num_dof

    @property
    def dof_names(self) -> list[str]:
        """Names of the degrees of freedom."""
        self._know()
        return self._view.dof_names

    @property
    def dof_paths(self) -> list[list[str]]:
        """Paths of the joints of the degrees of freedom, of each articulation."""
        self._know()
        return self._view._dof_paths

    @property
    def dof_types(self) -> list[Any]:
        """Whether each degree of freedom turns or slides."""
        self._know()
        return self._view.get_dof_types()

    @property
    def num_joints(self) -> int:
        """How many joints each has."""
        self._know()
        return self._view.num_joints

    @property
    def joint_names(self) -> list[str]:
        """Names of the joints."""
        self._know()
        return self._view.joint_names

    @property
    def joint_types(self) -> list[Any]:
        """Types of the joints."""
        self._know()
        return list(self._view._metadata.joint_types)

    @property
    def num_links(self) -> int:
        """How many links each has."""
        self._know()
        return self._view.num_bodies

    @property
    def link_names(self) -> list[str]:
        """Names of the links."""
        self._know()
        return self._view.body_names

    @property
    def link_paths(self) -> list[list[str]]:
        """Paths of the links, of each articulation."""
        self._know()
        return self._view.body_paths

    @property
    def num_shapes(self) -> int:
        """How many shapes each has."""
        self._know()
        return self._view.num_shapes

    @property
    def num_fixed_tendons(self) -> int:
        """How many fixed tendons each has."""
        self._know()
        return self._view.num_fixed_tendons

    def get_dof_indices(self, names: str | list[str]) -> Any:
        """(K,) numbers of degrees of freedom."""
        return _numbers(self.dof_names, names)

    def get_joint_indices(self, names: str | list[str]) -> Any:
        """(K,) numbers of joints."""
        return _numbers(self.joint_names, names)

    def get_link_indices(self, names: str | list[str]) -> Any:
        """(K,) numbers of links."""
        return _numbers(self.link_names, names)

    def is_physics_tensor_entity_valid(self) -> bool:
        """Whether there is a physics that can be asked."""
        return self._is_simulated()

    def is_physics_tensor_entity_initialized(self) -> bool:
        """Whether it has played, so that the physics knows it."""
        return self._view.has_begun

    def get_velocities(self, *, indices: Array | None = None) -> tuple[Any, Any]:
        """(N, 3) velocities [m/s] and (N, 3) angular velocities [rad/s] of the roots."""
        self._simulated("get_velocities")
        return super().get_velocities(indices=indices)

    def set_velocities(
        self,
        linear_velocities: Array | None = None,
        angular_velocities: Array | None = None,
        *,
        indices: Array | None = None,
    ) -> None:
        """Set (N, 3) velocities and (N, 3) angular velocities of the roots; None stays."""
        self._simulated("set_velocities")
        super().set_velocities(linear_velocities, angular_velocities, indices=indices)

    def get_default_state(  # pyright: ignore[reportIncompatibleMethodOverride] - the original's
        self, *, indices: Array | None = None, dof_indices: Array | None = None
    ) -> tuple[Any, ...]:
        """Poses, velocities, and of the joints positions, velocities and efforts by default."""
        roots = super().get_default_state(indices=indices)
        chosen = np.ix_(self._rows(indices), self._dofs(dof_indices))
        joints = [self._defaults.get(name) for name in _DOFS]
        return (*roots, *(None if one is None else warp(one[chosen]) for one in joints))

    def set_default_state(  # pyright: ignore[reportIncompatibleMethodOverride] - the original's
        self,
        positions: Array | None = None,
        orientations: Array | None = None,
        linear_velocities: Array | None = None,
        angular_velocities: Array | None = None,
        dof_positions: Array | None = None,
        dof_velocities: Array | None = None,
        dof_efforts: Array | None = None,
        *,
        indices: Array | None = None,
        dof_indices: Array | None = None,
    ) -> None:
        """Set poses, velocities and the state of joints by default; what is None stays."""
        super().set_default_state(
            positions, orientations, linear_velocities, angular_velocities, indices=indices
        )
        for name, values in zip(_DOFS, (dof_positions, dof_velocities, dof_efforts), strict=True):
            if values is not None:
                dofs = self._dofs(dof_indices)
                self._set_default(name, values, self.num_dofs, indices, dofs)

    def reset_to_default_state(self, *, warn_on_non_default_state: bool = False) -> None:
        """Go back to poses, velocities and joints by default; targets are those of the joints.

        Args:
            warn_on_non_default_state: Whether a warning says so where there is no default.
        """
        state, warn = self._defaults, warn_on_non_default_state
        super().reset_to_default_state(warn_on_non_default_state=warn)
        writers = (self.set_dof_positions, self.set_dof_velocities, self.set_dof_efforts)
        for name, write in zip(_DOFS, writers, strict=True):
            if name in state:
                write(state[name])
            else:
                self._no_default(name.replace("_", " "), warn)

    def initialize_cpp_data_view(self) -> None:
        """Refuse: there is no view for C++.

        Raises:
            NotSupportedError: Always.
        """
        raise NotSupportedError("initialize_cpp_data_view", "getters return arrays of Warp")


def _numbers(known: list[str], names: str | list[str]) -> Any:
    found = []
    for name in [names] if isinstance(names, str) else names:
        if name not in known:
            raise InvalidArgumentError("names", name, f"one of {', '.join(known)}")
        found.append(known.index(name))
    return warp(np.array(found, dtype=np.int32), "int32")
