"""Articulations whose paths match patterns: what they are made of."""

from __future__ import annotations

from typing import Any

import numpy as np

from unibody.errors import InvalidArgumentError
from unibody.isaac_core import arrays, handles
from unibody.isaac_core.functions import prims as functions
from unibody.isaac_core.kit import log
from unibody.isaac_core.prims.physics_poses import PhysicsPoses
from unibody.isaac_core.prims.xform_view import Array, XFormPrimView
from unibody.isaac_core.simulation import seam
from unibody.isaac_core.simulation.manager import simulation

_STATES = frozenset(  # of which each degree of freedom has one number
    ("dof_positions", "dof_velocities", "dof_position_targets", "dof_velocity_targets",
     "dof_actuation_forces")
)  # fmt: skip


class ArticulationBase(PhysicsPoses):
    """Names and numbers of degrees of freedom, joints and bodies; they are known once it plays."""

    def _build(self, prim_paths_expr: str | list[str], name: str, *placed: Any) -> None:
        several = isinstance(prim_paths_expr, list)
        patterns = prim_paths_expr if several else [prim_paths_expr]
        roots = [functions.get_articulation_root_api_prim_path(one) for one in patterns]
        self._physics_view: Any = None
        self._types: Any = None
        self._has_begun = False
        self._num_dof: Any = None
        self._num_bodies: Any = None
        self._num_shapes: Any = None
        self._num_joints: Any = None
        self._num_fixed_tendons: Any = None
        self._paused: dict[str, Any] = {}
        self._dof_paths: list[list[str]] = []
        self._body_paths: list[list[str]] = []
        self._joint_state: dict[str, Any] = {}
        XFormPrimView.__init__(self, roots, name, *placed)
        if simulation.view is not None:
            self._on_physics_ready()

    @property
    def initialized(self) -> bool:
        """Whether it has played, so that its joints are known."""
        return self._types is not None

    @property
    def num_dof(self) -> int:
        """How many degrees of freedom each has; None before it plays."""
        return self._num_dof

    @property
    def num_bodies(self) -> int:
        """How many bodies each has; None before it plays."""
        return self._num_bodies

    @property
    def num_shapes(self) -> int:
        """How many shapes each has; None before it plays."""
        return self._num_shapes

    @property
    def num_joints(self) -> int:
        """How many joints each has; None before it plays."""
        return self._num_joints

    @property
    def num_fixed_tendons(self) -> int:
        """How many fixed tendons each has; None before it plays."""
        return self._num_fixed_tendons

    @property
    def dof_names(self) -> list[str]:
        """Names of the degrees of freedom; None before it plays."""
        return list(self._types.dof_names) if self.initialized else None  # type: ignore[return-value]

    @property
    def joint_names(self) -> list[str]:
        """Names of the joints; None before it plays."""
        return list(self._types.joint_names) if self.initialized else None  # type: ignore[return-value]

    @property
    def body_names(self) -> list[str]:
        """Names of the bodies; None before it plays."""
        return list(self._types.link_names) if self.initialized else None  # type: ignore[return-value]

    @property
    def _body_indices(self) -> dict[str, int]:
        """Numbers of the bodies by name: environments of reinforcement learning read it."""
        return dict(self._types.link_indices)

    @property
    def has_begun(self) -> bool:
        """Whether the physics has known it, so that states by default are there."""
        return self._has_begun

    @property
    def body_paths(self) -> list[list[str]]:
        """Paths of the bodies, of each articulation; none before names are known."""
        return self._body_paths

    def read_names(self) -> None:
        """Know names and numbers before it plays: the stage is read, and nothing moves.

        Raises:
            InvalidArgumentError: There is no articulation at the paths.
        """
        if self.initialized:
            return
        if simulation.view is not None:
            self._on_physics_ready()
            return
        with seam.glimpse(handles.current_stage()) as view:
            self._learn(view.create_articulation_view(self._pattern()))

    def get_dof_index(self, dof_name: str) -> int:
        """Number of a degree of freedom."""
        return _index(self.dof_names, dof_name, "dof_name")

    def get_joint_index(self, joint_name: str) -> int:
        """Number of a joint."""
        return _index(self.joint_names, joint_name, "joint_name")

    def get_body_index(self, body_name: str) -> int:
        """Number of a body."""
        return _index(self.body_names, body_name, "body_name")

    def get_link_index(self, link_name: str) -> int:
        """Number of a body."""
        return _index(self.body_names, link_name, "link_name")

    def get_articulation_body_count(self) -> int:
        """How many bodies each has."""
        return self.num_bodies

    def get_dof_types(self, dof_names: list[str] | None = None) -> list[Any]:
        """Of which type degrees of freedom are, `DofType`; None before it plays."""
        if not self.initialized:
            return None  # type: ignore[return-value]
        kinds = list(self._types.dof_types)
        return kinds if dof_names is None else [kinds[self.get_dof_index(n)] for n in dof_names]

    def _is_turning(self, dof: int) -> bool:
        return int(self._types.dof_types[dof]) == 0

    def _dofs(self, indices: Any, names: list[str] | None = None) -> np.ndarray:
        if names is not None:
            if indices is not None:
                raise InvalidArgumentError("joint_indices", indices, "None where there are names")
            indices = [self.get_dof_index(name) for name in names]
        return arrays.rows(indices, self.num_dof or 0)

    def _ready(self, what: str) -> bool:
        """Whether the physics can be asked; if not, a warning says so."""
        if self.is_physics_handle_valid():
            return True
        log.log_warn(f"{what} of {self._regex_prim_paths}: nothing is simulated; play first")
        return False

    @property
    def _metadata(self) -> Any:
        """Names and numbers of joints and links, by the original's private name."""
        return self._types

    def _read(self, getter: str, indices: Array, columns: Any, clone: bool = True) -> Any:
        """Rows and columns of what the physics knows; None if it cannot be asked."""
        if not self._ready(getter):
            return None
        values = getattr(self._physics_view, getter)()
        every = columns is not None and np.array_equal(columns, np.arange(values.shape[1]))
        return arrays.take(values, self._rows(indices), None if every else columns, clone)

    def _write_columns(self, name: str, new: Any, indices: Array, columns: Any) -> None:
        """Write rows and columns of what the physics knows."""
        if not self._ready(f"set_{name}"):
            return
        view = self._physics_view
        write = getattr(view, f"set_{name}")
        shape = view.count, view.max_dofs
        every = name in _STATES and indices is None and tuple(np.shape(new)) == shape
        if every and np.array_equal(columns, np.arange(view.max_dofs)):
            write(new, None)  # what was there before is of no matter
            return
        which = self._rows(indices)
        values = arrays.put(getattr(view, f"get_{name}")(), which, new, columns)
        write(values, arrays.row_numbers(which))

    def _on_physics_ready(self) -> None:
        if simulation.view is None or not any(prim.IsValid() for prim in self._prims):
            return
        physics = simulation.view.create_articulation_view(self._pattern())
        self._learn(physics)
        self._physics_view = physics
        if not self._has_begun:
            self._has_begun = True
            self._begin()

    def _pattern(self) -> str | list[str]:
        patterns = [pattern.replace(".*", "*") for pattern in self._regex_prim_paths]
        return patterns if len(patterns) > 1 else patterns[0]

    def _learn(self, physics: Any) -> None:
        """Keep the names and numbers that the physics has, the first time.

        Raises:
            InvalidArgumentError: It knows no articulation.
        """
        if physics is None or not physics.count:
            raise InvalidArgumentError(
                "prim_paths_expr", self._regex_prim_paths, "paths of articulations"
            )
        if self._types is not None:
            return
        self._types = physics.shared_metatype
        self._num_dof, self._num_bodies = physics.max_dofs, physics.max_links
        self._num_shapes = physics.max_shapes
        self._num_joints = len(self._types.joint_names)
        self._num_fixed_tendons = physics.max_fixed_tendons
        self._dof_paths, self._body_paths = physics.dof_paths, physics.link_paths

    def _begin(self) -> None:
        """Remember the state at the start: what derived classes do."""

    def _on_physics_gone(self) -> None:
        self._physics_view = None


def _index(names: list[str] | None, name: str, argument: str) -> int:
    if names is None:
        return None  # type: ignore[return-value]
    if name not in names:
        raise InvalidArgumentError(argument, name, f"one of {', '.join(names)}")
    return names.index(name)
