"""The simulation view: what makes views of articulations and bodies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from pxr import Usd, UsdGeom

from unibody.core.batch.patterns import compiled_pattern
from unibody.errors import InvalidArgumentError
from unibody.isaac_core.kit.vectors import Float3
from unibody.isaac_core.physics.scene import PhysicsScene
from unibody.isaac_core.physics.tensors.absent import AbsentViews
from unibody.isaac_core.physics.tensors.articulations import ArticulationView
from unibody.isaac_core.physics.tensors.base import InvalidViewError, Shared
from unibody.isaac_core.physics.tensors.bodies import RigidBodyView
from unibody.isaac_core.physics.tensors.contacts import RigidContactView
from unibody.isaac_core.physics.tensors.frontends import Frontend
from unibody.isaac_core.physics.tensors.types import ObjectType


class SimulationView(AbsentViews):
    """Makes views, and has what concerns the whole simulation.

    Args:
        scene: The scene.
        frontend: Of the arrays.
    """

    def __init__(self, scene: PhysicsScene, frontend: Frontend) -> None:
        self._scene = scene
        self._shared = Shared(scene, frontend)

    @property
    def device(self) -> Any:
        """The device of the arrays."""
        return self._shared.frontend.device

    @property
    def device_ordinal(self) -> int:
        """Number of the GPU that arrays are on; -1: the CPU."""
        text = str(self.device)
        return int(text.partition(":")[2] or 0) if text.startswith("cuda") else -1

    @property
    def cuda_context(self) -> None:
        """The context of CUDA: scripts get none."""
        return None

    @property
    def is_valid(self) -> bool:
        """Whether views can be used."""
        return self._shared.valid and self._scene.valid

    def check(self) -> bool:
        """Whether views can be used."""
        return self.is_valid

    def invalidate(self) -> None:
        """Make all views unusable."""
        self._shared.valid = False

    # --- views ---------------------------------------------------------------------------------

    def create_articulation_view(self, pattern: str | Sequence[str]) -> ArticulationView:
        """A view of the articulations whose paths fit.

        Args:
            pattern: A glob level by level, or several.
        """
        self._usable()
        found: dict[str, Any] = {}
        by_path: dict[str, Any] = {}
        for body in self._scene.bodies:
            if body.model.path:
                by_path.setdefault(body.articulation, body)
                by_path.setdefault(body.paths[0], body)
        for path in _fitting(list(by_path), pattern):
            body = by_path[path]
            found.setdefault(body.articulation, body)
        return ArticulationView(self._shared, list(found.values()))

    def create_rigid_body_view(self, pattern: str | Sequence[str]) -> RigidBodyView:
        """A view of the bodies whose paths fit, links of articulations among them.

        Args:
            pattern: A glob level by level, or several.
        """
        self._usable()
        return RigidBodyView(self._shared, _fitting(self._scene.body_paths(), pattern))

    def create_rigid_contact_view(
        self,
        pattern: str | Sequence[str],
        filter_patterns: Sequence[Any] = (),
        max_contact_data_count: int = 0,
    ) -> RigidContactView:
        """A view of the contacts of bodies whose paths fit.

        Args:
            pattern: A glob level by level, or several.
            filter_patterns: Of what the bodies may touch: each fits once for each body, or once
                for all. For several patterns a sequence each.
            max_contact_data_count: Most contacts that are given one by one.

        Raises:
            InvalidArgumentError: A filter fits another number of prims.
        """
        self._usable()
        patterns = _patterns(pattern)
        several = bool(filter_patterns) and not isinstance(filter_patterns[0], str)
        given = list(filter_patterns) if several else [list(filter_patterns)] * len(patterns)
        if len(given) != len(patterns):
            raise InvalidArgumentError(
                "filter_patterns", filter_patterns, f"{len(patterns)} sequences, one a pattern"
            )
        scene = self._scene
        known = [*scene.body_paths(), *scene.collider_paths()] if filter_patterns else []
        sensors: list[str] = []
        filters: list[list[str]] = []
        for one, own in zip(patterns, given, strict=True):
            fits = _fitting(scene.body_paths(), one) or self._fixed(one)
            columns = [_filters(known, text, len(fits)) for text in own]
            sensors += fits
            filters += [[column[row] for column in columns] for row in range(len(fits))]
        return RigidContactView(self._shared, sensors, filters, max_contact_data_count)

    def _fixed(self, pattern: str | Sequence[str]) -> list[str]:
        """Paths that fit a pattern, at or above colliders that belong to no body."""
        paths = [str(prim.GetPath()) for prim in self._scene.stage.Traverse()]
        found = _fitting(paths, pattern)
        return [path for path in found if self._scene.fixed_collider(path) is not None]

    def set_subspace_roots(self, pattern: str | Sequence[str]) -> bool:
        """Let positions of views that are made from now on be those from roots that fit.

        Args:
            pattern: A glob level by level, or several; "/" is the world.
        """
        self._usable()
        cache = UsdGeom.XformCache()
        stage = self._scene.stage
        self._shared.origins = {}
        depths = {str(one).rstrip("/").count("/") for one in _patterns(pattern)}
        for path in _fitting(_paths_of(stage, depths), pattern):
            at = cache.GetLocalToWorldTransform(stage.GetPrimAtPath(path)).ExtractTranslation()
            self._shared.origins[path] = np.array(at, np.float32)
        return True

    def get_object_type(self, path: str) -> ObjectType:
        """What the prim of a path is to the physics."""
        self._usable()
        for body in self._scene.bodies:
            joints = [body.whole(joint.path) for joint in body.model.joints if joint.path]
            if body.model.path:
                if path in body.paths:
                    first = body.paths[0] == path
                    return ObjectType.ArticulationRootLink if first else ObjectType.ArticulationLink
                if path == body.articulation:
                    return ObjectType.Articulation
                if path in joints:
                    return ObjectType.ArticulationJoint
            elif path and path in body.paths:
                return ObjectType.RigidBody
        return ObjectType.Invalid

    # --- simulation ----------------------------------------------------------------------------

    def flush(self) -> None:
        """Make what was set effective: here that has been done."""
        self._usable()

    def step(self, dt: float) -> bool:
        """Advance by a time [s]."""
        self._usable()
        self._scene.step(dt)
        return True

    def clear_forces(self) -> bool:
        """Take back the forces and efforts that the next step would apply."""
        self._usable()
        self._scene.clear_forces()
        return True

    def enable_warnings(self, enable: bool) -> None:
        """Say whether views tell, on stderr and once, what they take otherwise than PhysX."""
        self._shared.warns = bool(enable)

    def update_articulations_kinematic(self) -> bool:
        """Bring the poses of links up to the positions of joints: they always are, when read."""
        self._usable()
        self._scene.batch.kinematics()
        return True

    def initialize_kinematic_bodies(self) -> bool:
        """Let kinematic bodies be where they are: they always are."""
        self._usable()
        return True

    def set_gravity(self, gravity: Any) -> bool:
        """Change gravity, three numbers."""
        self._usable()
        x, y, z = (
            (float(getattr(gravity, name)) for name in "xyz")
            if hasattr(gravity, "x")
            else (float(value) for value in gravity)
        )
        self._scene.set_gravity((x, y, z))
        return True

    def get_gravity(self) -> Float3:
        """Gravity."""
        return Float3(*self._scene.gravity)

    def _usable(self) -> None:
        if not self.is_valid:
            raise InvalidViewError("the simulation view is not valid any more: make a new one")


def _filters(known: list[str], pattern: str, count: int) -> list[str]:
    """The paths that fit a filter, one for each sensor."""
    found = _fitting(known, pattern)
    if len(found) not in (1, count):
        allowed = f"a pattern of 1 or {count} prims, it fits {len(found)}"
        raise InvalidArgumentError("filter_patterns", pattern, allowed)
    return found if len(found) == count else found * count


def _patterns(pattern: str | Sequence[str]) -> list[str]:
    return [pattern] if isinstance(pattern, str) else [str(one) for one in pattern]


def _fitting(paths: list[str], pattern: str | Sequence[str]) -> list[str]:
    """Paths that fit one of the patterns, pattern by pattern, each once."""
    found: dict[str, None] = {}
    for one in _patterns(pattern):
        fits: Callable[[str], Any] = compiled_pattern(one).fullmatch
        found.update(dict.fromkeys(path for path in paths if fits(path)))
    return list(found)


def _paths_of(stage: Usd.Stage, depths: set[int]) -> list[str]:
    """Paths of the prims that are so many levels deep; what is deeper is not looked at."""
    found: list[str] = []
    prims = iter(Usd.PrimRange.Stage(stage))
    for prim in prims if max(depths, default=0) else ():
        depth = prim.GetPath().pathElementCount
        if depth in depths:
            found.append(str(prim.GetPath()))
        if depth >= max(depths):
            prims.PruneChildren()
    return found
