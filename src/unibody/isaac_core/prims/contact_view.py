"""RigidContactView: forces where bodies touch."""

from __future__ import annotations

from typing import Any

from unibody.errors import InvalidArgumentError
from unibody.isaac_core import arrays
from unibody.isaac_core.arrays import rows, take
from unibody.isaac_core.functions import prims as functions
from unibody.isaac_core.schemas import physx_schema
from unibody.isaac_core.simulation.manager import simulation


class RigidContactView:
    """Contacts of bodies whose paths match patterns.

    Args:
        prim_paths_expr: A pattern, level by level, or several.
        filter_paths_expr: Patterns of what contacts are with; or lists of them, one a pattern.
        name: By which a scene finds the view.
        prepare_contact_sensors: Whether the prims get what reports contacts.
        disable_stablization: Whether that turns the stabilisation of stacks off.
        max_contact_count: How many contacts are reported in detail.

    Raises:
        InvalidArgumentError: No prim matches.
    """

    def __init__(
        self,
        prim_paths_expr: str | list[str],
        filter_paths_expr: list[str] | list[list[str]],
        name: str = "rigid_contact_view",
        prepare_contact_sensors: bool = True,
        disable_stablization: bool = True,
        max_contact_count: int = 0,
    ) -> None:
        patterns = prim_paths_expr if isinstance(prim_paths_expr, list) else [prim_paths_expr]
        self._patterns, self._filters = patterns, _for_each(len(patterns), filter_paths_expr)
        self._paths = [p for one in patterns for p in functions.find_matching_prim_paths(one)]
        if not self._paths:
            raise InvalidArgumentError("prim_paths_expr", prim_paths_expr, "paths of prims")
        self._name = name
        self._max_count = max_contact_count
        self._physics_view: Any = None
        if prepare_contact_sensors:
            for path in self._paths:
                _prepare(path, disable_stablization)
        simulation.enroll(self)
        if simulation.view is not None:
            self._on_physics_ready()

    @property
    def name(self) -> str:
        """The name given."""
        return self._name

    @property
    def num_shapes(self) -> int:
        """How many bodies there are."""
        return len(self._paths)

    @property
    def num_filters(self) -> int:
        """How many filters each body has."""
        if self._physics_view is None:
            return len(self._filters[0])
        return self._physics_view.filter_count

    def is_physics_handle_valid(self) -> bool:
        """Whether there is a physics that can be asked."""
        return self._physics_view is not None

    def is_valid(self) -> bool:
        """Whether the prims are still on the stage."""
        return all(functions.is_prim_path_valid(path) for path in self._paths)

    def initialize(self, physics_sim_view: Any = None) -> None:
        """Take hold of the physics."""
        if physics_sim_view is not None and simulation.view is None:
            simulation.view = physics_sim_view
        self._on_physics_ready()

    def post_reset(self) -> None:
        """Nothing: contacts have no state of their own."""

    def get_net_contact_forces(
        self, indices: Any = None, clone: bool = True, dt: float = 1.0
    ) -> Any:
        """(M, 3) sums of the contact forces in the world [N]; with ``dt`` of 1 impulses [N s].

        Args:
            indices: Which bodies; None: all.
            clone: Whether the result is a copy.
            dt: Time of a step [s], by which impulses become forces.
        """
        which = rows(indices, self.num_shapes)
        forces = self._view().get_net_contact_forces(dt).reshape((self.num_shapes, 3))
        return take(forces, which, clone=clone)

    def get_contact_force_matrix(
        self, indices: Any = None, clone: bool = True, dt: float = 1.0
    ) -> Any:
        """(M, filters, 3) contact forces with each of the filters."""
        which = rows(indices, self.num_shapes)
        forces = self._view().get_contact_force_matrix(dt)
        shaped = forces.reshape((self.num_shapes, self.num_filters, 3))
        return take(shaped, which, clone=clone)

    def get_contact_force_data(
        self, indices: Any = None, clone: bool = True, dt: float = 1.0
    ) -> tuple[Any, ...]:
        """Each contact with the filters.

        Returns:
            Forces along the normals (C, 1), points (C, 3), normals (C, 3), distances (C, 1), and of
            each pair (M, filters) how many contacts it has and where they begin.
        """
        return self._detailed(self._view().get_contact_data(dt), indices, clone)

    def get_friction_data(
        self, indices: Any = None, clone: bool = True, dt: float = 1.0
    ) -> tuple[Any, ...]:
        """Friction of each contact with the filters.

        Returns:
            Forces (C, 3), points (C, 3), and of each pair (M, filters) how many it has and where
            they begin.
        """
        return self._detailed(self._view().get_friction_data(dt), indices, clone)

    def _detailed(self, data: tuple[Any, ...], indices: Any, clone: bool) -> tuple[Any, ...]:
        which = rows(indices, self.num_shapes)
        utils = simulation.backend_utils()
        copied = [
            utils.clone_tensor(one, device=simulation.device) if clone else one for one in data
        ]
        pairs = [one.reshape((self.num_shapes, self.num_filters)) for one in copied[-2:]]
        return (*copied[:-2], *(arrays.take(one, which, clone=clone) for one in pairs))

    def _view(self) -> Any:
        if self._physics_view is None:
            raise RuntimeError(f"the contacts of {self._patterns} have no physics yet: play first")
        return self._physics_view

    def _on_physics_ready(self) -> None:
        if simulation.view is None:
            return
        filters = [[_glob(one) for one in own] for own in self._filters]
        patterns = [_glob(one) for one in self._patterns]
        self._physics_view = simulation.view.create_rigid_contact_view(
            patterns if len(patterns) > 1 else patterns[0],
            filters if len(patterns) > 1 else filters[0],
            self._max_count,
        )

    def _on_physics_gone(self) -> None:
        self._physics_view = None


def _for_each(count: int, filters: list[str] | list[list[str]]) -> list[list[str]]:
    """The filters of each pattern: those of all, or a list each.

    Raises:
        InvalidArgumentError: There are lists, but not one a pattern.
    """
    own = [one for one in filters if not isinstance(one, str)]
    if not own:
        return [[one for one in filters if isinstance(one, str)] for _ in range(count)]
    if len(own) != len(filters) or len(own) != count:
        there = f"expressions, or {count} lists of them, one a pattern"
        raise InvalidArgumentError("filter_paths_expr", filters, there)
    return [list(one) for one in own]


def _glob(pattern: str) -> str:
    return pattern.replace(".*", "*")


def _prepare(path: str, no_stabilization: bool) -> None:
    prim = functions.get_prim_at_path(path)
    report = physx_schema.PhysxContactReportAPI.Apply(prim)
    report.CreateThresholdAttr(0.0)
    if no_stabilization and prim.HasAPI("PhysicsRigidBodyAPI"):
        body = physx_schema.PhysxRigidBodyAPI.Apply(prim)
        body.CreateSleepThresholdAttr(0.0)
