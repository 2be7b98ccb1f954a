"""Scene: the objects of a world by their names."""

from __future__ import annotations

from typing import Any

import numpy as np
from pxr import Usd

from unibody.errors import InvalidArgumentError, UnibodyError
from unibody.isaac_core import handles
from unibody.isaac_core.functions import bounds
from unibody.isaac_core.functions import prims as functions
from unibody.isaac_core.functions import stage as stages
from unibody.isaac_core.functions.types import Vector
from unibody.isaac_core.materials.physics_material import PhysicsMaterial
from unibody.isaac_core.objects.ground_plane import GroundPlane, make_plane
from unibody.isaac_core.scenes import kinds
from unibody.isaac_core.scenes.registry import SceneRegistry

_GROUND = (0.33, 0.36, 0.4)  # darker than shapes without a colour, which lie on it


class Scene:
    """Objects that a world initializes and resets."""

    def __init__(self) -> None:
        self._scene_registry = SceneRegistry()
        self._boxes: Any = None

    @property
    def stage(self) -> Usd.Stage:
        """The stage."""
        return handles.current_stage()

    def add(self, obj: Any) -> Any:
        """Take an object.

        Returns:
            The object.

        Raises:
            InvalidArgumentError: Its name is taken, or it is of no kind that scenes have.
        """
        name = getattr(obj, "name", None)
        kind = kinds.of(obj)
        if kind is None or name is None:
            raise InvalidArgumentError("obj", obj, "an object with a name, of a kind of this API")
        if self._scene_registry.name_exists(name):
            raise InvalidArgumentError("obj", name, "an object whose name is not taken yet")
        self._scene_registry.add(kind, name, obj)
        return obj

    def add_default_ground_plane(
        self,
        z_position: float = 0,
        name: str = "default_ground_plane",
        prim_path: str = "/World/defaultGroundPlane",
        static_friction: float = 0.5,
        dynamic_friction: float = 0.5,
        restitution: float = 0.8,
    ) -> GroundPlane:
        """Take the ground of this API's scenes; one of that name that is there stays.

        Args:
            z_position: How high it lies.
            name: By which it is found.
            prim_path: Where it is.
            static_friction: Coefficient at rest.
            dynamic_friction: Coefficient while sliding.
            restitution: From 0 to 1.
        """
        if not functions.is_prim_path_valid(prim_path):
            make_plane(prim_path, None, "GroundPlane/CollisionPlane", _GROUND)
        return self.add_ground_plane(
            None, z_position, name, prim_path, static_friction, dynamic_friction, restitution
        )

    def add_ground_plane(
        self,
        size: float | None = None,
        z_position: float = 0,
        name: str = "ground_plane",
        prim_path: str = "/World/groundPlane",
        static_friction: float = 0.5,
        dynamic_friction: float = 0.5,
        restitution: float = 0.8,
        color: Vector | None = None,
    ) -> GroundPlane:
        """Take a plane; one of that name that is there stays.

        Args:
            size: Length of its edges.
            z_position: How high it lies.
            name: By which it is found.
            prim_path: Where it is.
            static_friction: Coefficient at rest.
            dynamic_friction: Coefficient while sliding.
            restitution: From 0 to 1.
            color: Red, green, blue from 0 to 1; None: gray.
        """
        if self.object_exists(name):
            return self.get_object(name)
        path = stages.get_next_free_path("/World/Physics_Materials/physics_material")
        material = PhysicsMaterial(
            path, "physics_material", static_friction, dynamic_friction, restitution
        )
        plane = GroundPlane(
            prim_path,
            name,
            size=size,
            z_position=z_position,
            color=color,
            physics_material=material,
        )
        return self.add(plane)

    def get_object(self, name: str) -> Any:
        """The object of a name; None if there is none."""
        return self._scene_registry.get_object(name)

    def object_exists(self, name: str) -> bool:
        """Whether an object has a name."""
        return self._scene_registry.name_exists(name)

    def remove_object(self, name: str, registry_only: bool = False) -> None:
        """Forget the object of a name, and delete its prims.

        Args:
            name: Its name.
            registry_only: Whether the prims stay on the stage.

        Raises:
            InvalidArgumentError: There is none.
        """
        found = self.get_object(name)
        self._scene_registry.remove_object(name)
        if not registry_only:
            for path in _paths(found):
                _delete(path)

    def clear(self, registry_only: bool = False) -> None:
        """Forget all objects, and delete their prims.

        Args:
            registry_only: Whether the prims stay on the stage.
        """
        paths = [path for one in self._scene_registry.of_kinds() for path in _paths(one)]
        self._scene_registry = SceneRegistry()
        if not registry_only:
            for path in paths:
                _delete(path)

    def post_reset(self) -> None:
        """Let all objects go back to their default states."""
        for one in self._scene_registry.of_kinds():
            one.post_reset()

    def initialize(self, physics_sim_view: Any = None) -> None:
        """Let all objects take hold of the physics."""
        for one in self._scene_registry.of_kinds():
            one.initialize(physics_sim_view)

    def enable_bounding_boxes_computations(self) -> None:
        """Let boxes of objects be asked for."""
        self._boxes = bounds.create_bbox_cache()

    def disable_bounding_boxes_computations(self) -> None:
        """Let boxes of objects be asked for no more."""
        self._boxes = None

    def compute_object_AABB(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """Lower and upper corner of an object in the world, where it is now.

        Raises:
            UnibodyError: Boxes may not be asked for.
            InvalidArgumentError: There is no object of that name.
        """
        if self._boxes is None:
            raise UnibodyError("boxes are off: call enable_bounding_boxes_computations() first")
        found = self.get_object(name)
        if found is None:
            raise InvalidArgumentError("name", name, "the name of an object of the scene")
        self._boxes.Clear()
        box = bounds.compute_combined_aabb(self._boxes, list(_paths(found)))
        return box[:3], box[3:]


def _paths(found: Any) -> list[str]:
    several = getattr(found, "prim_paths", None)
    if several is not None:
        return list(several)
    single = getattr(found, "prim_path", None)
    return [] if single is None else [single]


def _delete(path: str) -> None:
    if not functions.is_prim_path_valid(path):
        return
    if functions.is_prim_no_delete(path) or functions.is_prim_ancestral(path):
        return
    functions.delete_prim(path)
