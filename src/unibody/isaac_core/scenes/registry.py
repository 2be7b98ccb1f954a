"""SceneRegistry: the objects of a scene, by kind and by name."""

from __future__ import annotations

from typing import Any

from unibody.errors import InvalidArgumentError

KINDS = {
    "rigid_object": "rigid_objects",
    "articulated_system": "articulated_systems",
    "robot": "robots",
    "xform": "xforms",
    "sensor": "sensors",
    "geometry_object": "",
    "cloth": "cloth_prims",
    "cloth_view": "cloth_prim_views",
    "deformable": "deformable_prims",
    "deformable_view": "deformable_prim_views",
    "deformable_material": "deformable_materials",
    "deformable_material_view": "deformable_material_views",
    "particle_system": "particle_systems",
    "particle_system_view": "particle_system_views",
    "particle_material": "particle_materials",
    "particle_material_view": "particle_material_views",
    "articulated_view": "articulated_views",
    "robot_view": "robot_views",
    "rigid_prim_view": "rigid_prim_views",
    "rigid_contact_view": "rigid_contact_views",
    "geometry_prim_view": "geometry_prim_views",
    "xform_view": "xform_prim_views",
}
"""What ``add_`` methods call a kind, and the name of its dict, if it has one."""


class TakenNameError(InvalidArgumentError):
    """An object of the scene has the name; the text is the original's."""

    def __init__(self, name: str) -> None:
        super().__init__("name", name, "a name that no object has")
        self.args: tuple[Any, ...] = (
            f"Cannot add the object {name} to the scene since its name is not unique",
        )


class SceneRegistry:
    """Objects by kind; a name is taken once among all of them."""

    def __init__(self) -> None:
        self._by_kind: dict[str, dict[str, Any]] = {kind: {} for kind in KINDS}

    def of_kinds(self, *kinds: str) -> list[Any]:
        """The objects of some kinds, in their order; without any, of all."""
        return [one for kind in kinds or KINDS for one in self._by_kind[kind].values()]

    def name_exists(self, name: str) -> bool:
        """Whether an object has a name."""
        return any(name in objects for objects in self._by_kind.values())

    def get_object(self, name: str) -> Any:
        """The object of a name; None if there is none."""
        found = (objects[name] for objects in self._by_kind.values() if name in objects)
        return next(found, None)

    def remove_object(self, name: str) -> None:
        """Forget the object of a name; the stage stays as it is.

        Raises:
            InvalidArgumentError: There is none.
        """
        for objects in self._by_kind.values():
            if name in objects:
                del objects[name]
                return
        raise InvalidArgumentError("name", name, "the name of an object of the scene")

    def add(self, kind: str, name: str, what: Any) -> None:
        """Take an object.

        Args:
            kind: A key of ``KINDS``.
            name: By which it is found.
            what: The object.

        Raises:
            TakenNameError: An object has the name.
        """
        if self.name_exists(name):
            raise TakenNameError(name)
        self._by_kind[kind][name] = what

    def add_rigid_object(self, name: str, rigid_object: Any) -> None:
        """Take one of the rigid objects."""
        self.add("rigid_object", name, rigid_object)

    def add_articulated_system(self, name: str, articulated_system: Any) -> None:
        """Take one of the articulated systems."""
        self.add("articulated_system", name, articulated_system)

    def add_robot(self, name: str, robot: Any) -> None:
        """Take one of the robots."""
        self.add("robot", name, robot)

    def add_xform(self, name: str, xform: Any) -> None:
        """Take one of the xforms."""
        self.add("xform", name, xform)

    def add_sensor(self, name: str, sensor: Any) -> None:
        """Take one of the sensors."""
        self.add("sensor", name, sensor)

    def add_geometry_object(self, name: str, geometry_object: Any) -> None:
        """Take one of the geometry objects."""
        self.add("geometry_object", name, geometry_object)

    def add_cloth(self, name: str, cloth: Any) -> None:
        """Take one of the cloths."""
        self.add("cloth", name, cloth)

    def add_cloth_view(self, name: str, cloth_prim_view: Any) -> None:
        """Take one of the cloth views."""
        self.add("cloth_view", name, cloth_prim_view)

    def add_deformable(self, name: str, deformable: Any) -> None:
        """Take one of the deformables."""
        self.add("deformable", name, deformable)

    def add_deformable_view(self, name: str, deformable_prim_view: Any) -> None:
        """Take one of the deformable views."""
        self.add("deformable_view", name, deformable_prim_view)

    def add_deformable_material(self, name: str, deformable_material: Any) -> None:
        """Take one of the deformable materials."""
        self.add("deformable_material", name, deformable_material)

    def add_deformable_material_view(self, name: str, deformable_material_view: Any) -> None:
        """Take one of the deformable material views."""
        self.add("deformable_material_view", name, deformable_material_view)

    def add_particle_system(self, name: str, particle_system: Any) -> None:
        """Take one of the particle systems."""
        self.add("particle_system", name, particle_system)

    def add_particle_system_view(self, name: str, particle_system_view: Any) -> None:
        """Take one of the particle system views."""
        self.add("particle_system_view", name, particle_system_view)

    def add_particle_material(self, name: str, particle_material: Any) -> None:
        """Take one of the particle materials."""
        self.add("particle_material", name, particle_material)

    def add_particle_material_view(self, name: str, particle_material_view: Any) -> None:
        """Take one of the particle material views."""
        self.add("particle_material_view", name, particle_material_view)

    def add_articulated_view(self, name: str, articulated_view: Any) -> None:
        """Take one of the articulated views."""
        self.add("articulated_view", name, articulated_view)

    def add_robot_view(self, name: str, robot_view: Any) -> None:
        """Take one of the robot views."""
        self.add("robot_view", name, robot_view)

    def add_rigid_prim_view(self, name: str, rigid_prim_view: Any) -> None:
        """Take one of the rigid prim views."""
        self.add("rigid_prim_view", name, rigid_prim_view)

    def add_rigid_contact_view(self, name: str, rigid_contact_view: Any) -> None:
        """Take one of the rigid contact views."""
        self.add("rigid_contact_view", name, rigid_contact_view)

    def add_geometry_prim_view(self, name: str, geometry_prim_view: Any) -> None:
        """Take one of the geometry prim views."""
        self.add("geometry_prim_view", name, geometry_prim_view)

    def add_xform_view(self, name: str, xform_prim_view: Any) -> None:
        """Take one of the xform views."""
        self.add("xform_view", name, xform_prim_view)

    @property
    def rigid_objects(self) -> dict[str, Any]:
        """The rigid objects by name."""
        return self._by_kind["rigid_object"]

    @property
    def articulated_systems(self) -> dict[str, Any]:
        """The articulated systems by name."""
        return self._by_kind["articulated_system"]

    @property
    def robots(self) -> dict[str, Any]:
        """The robots by name."""
        return self._by_kind["robot"]

    @property
    def xforms(self) -> dict[str, Any]:
        """The xforms by name."""
        return self._by_kind["xform"]

    @property
    def sensors(self) -> dict[str, Any]:
        """The sensors by name."""
        return self._by_kind["sensor"]

    @property
    def cloth_prims(self) -> dict[str, Any]:
        """The cloth prims by name."""
        return self._by_kind["cloth"]

    @property
    def cloth_prim_views(self) -> dict[str, Any]:
        """The cloth prim views by name."""
        return self._by_kind["cloth_view"]

    @property
    def deformable_prims(self) -> dict[str, Any]:
        """The deformable prims by name."""
        return self._by_kind["deformable"]

    @property
    def deformable_prim_views(self) -> dict[str, Any]:
        """The deformable prim views by name."""
        return self._by_kind["deformable_view"]

    @property
    def deformable_materials(self) -> dict[str, Any]:
        """The deformable materials by name."""
        return self._by_kind["deformable_material"]

    @property
    def deformable_material_views(self) -> dict[str, Any]:
        """The deformable material views by name."""
        return self._by_kind["deformable_material_view"]

    @property
    def particle_systems(self) -> dict[str, Any]:
        """The particle systems by name."""
        return self._by_kind["particle_system"]

    @property
    def particle_system_views(self) -> dict[str, Any]:
        """The particle system views by name."""
        return self._by_kind["particle_system_view"]

    @property
    def particle_materials(self) -> dict[str, Any]:
        """The particle materials by name."""
        return self._by_kind["particle_material"]

    @property
    def particle_material_views(self) -> dict[str, Any]:
        """The particle material views by name."""
        return self._by_kind["particle_material_view"]

    @property
    def articulated_views(self) -> dict[str, Any]:
        """The articulated views by name."""
        return self._by_kind["articulated_view"]

    @property
    def robot_views(self) -> dict[str, Any]:
        """The robot views by name."""
        return self._by_kind["robot_view"]

    @property
    def rigid_prim_views(self) -> dict[str, Any]:
        """The rigid prim views by name."""
        return self._by_kind["rigid_prim_view"]

    @property
    def rigid_contact_views(self) -> dict[str, Any]:
        """The rigid contact views by name."""
        return self._by_kind["rigid_contact_view"]

    @property
    def geometry_prim_views(self) -> dict[str, Any]:
        """The geometry prim views by name."""
        return self._by_kind["geometry_prim_view"]

    @property
    def xform_prim_views(self) -> dict[str, Any]:
        """The xform prim views by name."""
        return self._by_kind["xform_view"]
