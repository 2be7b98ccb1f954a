"""Prims: made, found, read, written, moved and deleted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from pxr import Gf, Sdf, Usd, UsdGeom, UsdPhysics

from unibody.core.batch.patterns import compiled_pattern
from unibody.errors import InvalidArgumentError
from unibody.isaac_core import convert, handles, transforms
from unibody.isaac_core.functions import semantics
from unibody.isaac_core.functions.stage import add_reference_to_stage
from unibody.isaac_core.functions.types import Vector
from unibody.isaac_core.kit import commands
from unibody.isaac_core.simulation import seam


def get_prim_at_path(prim_path: str, fabric: bool = False) -> Usd.Prim:
    """The prim of a path; one that is not valid if there is none.

    Args:
        prim_path: Its path.
        fabric: Whether the stage is written first, so that it has what the physics has moved.
    """
    if fabric:
        seam.flush()
    return handles.current_stage().GetPrimAtPath(str(prim_path))


def is_prim_path_valid(prim_path: str, fabric: bool = False) -> bool:
    """Whether there is a prim of a path; ``fabric`` as in `get_prim_at_path`."""
    text = str(prim_path)
    return Sdf.Path.IsValidPathString(text) and bool(get_prim_at_path(text, fabric))


def define_prim(prim_path: str, prim_type: str = "Xform", fabric: bool = False) -> Usd.Prim:
    """Make a prim of a type, with no transform of its own; ``fabric`` as in `get_prim_at_path`.

    Raises:
        Exception: There is a prim of the path.
    """
    if is_prim_path_valid(prim_path, fabric):
        raise InvalidArgumentError("prim_path", prim_path, "a path where no prim is")
    return handles.current_stage().DefinePrim(prim_path, prim_type)


def get_prim_type_name(prim_path: str | Usd.Prim, fabric: bool = False) -> str:
    """Name of the type of a prim; ``fabric`` as in `get_prim_at_path`.

    Raises:
        Exception: There is no prim of the path.
    """
    return _prim(prim_path, fabric).GetTypeName()


def move_prim(path_from: str, path_to: str) -> None:
    """Give a prim another path; it stays where it is in the world."""
    commands.execute("MovePrim", path_from=path_from, path_to=path_to)


def delete_prim(prim_path: str) -> None:
    """Delete a prim and those below it; one that a reference brought cannot be deleted."""
    commands.execute("DeletePrims", paths=[prim_path])


def create_prim(
    prim_path: str,
    prim_type: str = "Xform",
    position: Vector | None = None,
    translation: Vector | None = None,
    orientation: Vector | None = None,
    scale: Vector | None = None,
    usd_path: str | None = None,
    semantic_label: str | None = None,
    semantic_type: str = "class",
    attributes: dict[str, Any] | None = None,
) -> Usd.Prim:
    """Make a prim and say where it stands, what it is called, and what else it is.

    Args:
        prim_path: Its path.
        prim_type: Its type, such as "Xform", "Cube" or "Sphere".
        position: Place in the world.
        translation: Place to the parent.
        orientation: w, x, y, z, to what the place is given to.
        scale: Along its axes.
        usd_path: File that it refers to.
        semantic_label: Its label.
        semantic_type: The kind of label.
        attributes: Values of attributes by name.

    Raises:
        Exception: There is a prim of the path, or both position and translation were given.
    """
    if position is not None and translation is not None:
        raise InvalidArgumentError("position", position, "None where translation is given")
    prim = define_prim(prim_path, prim_type)
    for name, value in (attributes or {}).items():
        prim.GetAttribute(name).Set(_value_for(prim.GetAttribute(name), value))
    if usd_path is not None:
        add_reference_to_stage(usd_path, prim_path)
    if semantic_label is not None:
        semantics.add_update_semantics(prim, semantic_label, semantic_type)
    if prim.IsA(UsdGeom.Xformable):
        _place(prim, position, translation, orientation, scale)
    return prim


def _place(prim: Usd.Prim, position: Any, translation: Any, orientation: Any, scale: Any) -> None:
    transforms.ops(prim)
    if position is not None:
        above = UsdGeom.Xformable(prim.GetParent())
        turn = (1.0, 0.0, 0.0, 0.0) if orientation is None else orientation
        world = convert.pose_matrix(position, turn)
        if above:
            parent = above.ComputeLocalToWorldTransform(Usd.TimeCode.Default())
            world = world * parent.GetInverse()
        found = Gf.Transform(world)
        translation = found.GetTranslation()
        orientation = found.GetRotation().GetQuat()
    numbers = [None if n is None else convert.plain(n) for n in (translation, scale)]
    if orientation is not None and not hasattr(orientation, "GetReal"):
        orientation = convert.plain(orientation)
    transforms.write(prim, numbers[0], orientation, numbers[1])


def get_prim_path(prim: Usd.Prim) -> str:
    """Path of a prim, as text."""
    return prim.GetPath().pathString


def get_prim_parent(prim: Usd.Prim) -> Usd.Prim:
    """The prim above."""
    return prim.GetParent()


def get_prim_children(prim: Usd.Prim) -> list[Usd.Prim]:
    """The prims right below."""
    return list(prim.GetChildren())


def get_first_matching_child_prim(
    prim_path: str, predicate: Callable[[str], bool], fabric: bool = False
) -> Usd.Prim:
    """The first prim, level by level from that of the path, whose path a function accepts.

    Args:
        prim_path: Where to begin.
        predicate: Whether it accepts a path.
        fabric: As in `get_prim_at_path`.

    Returns:
        The prim; None if none is accepted.
    """
    found = _level_by_level(prim_path, predicate, None, fabric)
    return next(iter(found), None)  # type: ignore[return-value]


def get_all_matching_child_prims(
    prim_path: str,
    predicate: Callable[[str], bool] = lambda x: True,
    depth: int | None = None,
) -> list[Usd.Prim]:
    """All prims, level by level from that of the path, whose paths a function accepts.

    Args:
        prim_path: Where to begin.
        predicate: Whether it accepts a path.
        depth: How many levels below; None: all.

    Raises:
        InvalidArgumentError: The depth is negative.
    """
    if depth is not None and depth < 0:
        raise InvalidArgumentError("depth", depth, "0 or more levels, or None")
    return _level_by_level(prim_path, predicate, depth)


def _level_by_level(
    prim_path: str, predicate: Callable[[str], bool], depth: int | None, fabric: bool = False
) -> list[Usd.Prim]:
    level, found, done = [get_prim_at_path(prim_path, fabric)], [], 0
    while level and (depth is None or done <= depth):
        found += [prim for prim in level if prim and predicate(get_prim_path(prim))]
        level = [child for prim in level if prim for child in prim.GetChildren()]
        done += 1
    return found


def get_first_matching_parent_prim(prim_path: str, predicate: Callable[[str], bool]) -> Usd.Prim:
    """The first prim above that of a path whose path a function accepts; None if there is none."""
    prim = get_prim_at_path(prim_path).GetParent()
    while prim and not is_prim_root_path(get_prim_path(prim)):
        if predicate(get_prim_path(prim)):
            return prim
        prim = prim.GetParent()
    return None  # type: ignore[return-value]


def query_parent_path(prim_path: str, predicate: Callable[[str], bool]) -> bool:
    """Whether a function accepts the path of a prim above."""
    return get_first_matching_parent_prim(prim_path, predicate) is not None


def find_matching_prim_paths(prim_path_regex: str, prim_type: str | None = None) -> list[str]:
    """Paths of the prims that match a pattern, level by level.

    Args:
        prim_path_regex: A path whose names are globs, as the physics takes them; ``.*`` is ``*``.
        prim_type: "articulation" or "rigid_body": of these alone; empty or None: all.
    """
    globs = prim_path_regex.replace(".*", "*").strip("/").split("/")
    patterns = [compiled_pattern(glob) for glob in globs]
    level = [handles.current_stage().GetPseudoRoot()]
    for pattern in patterns:
        level = [
            child
            for prim in level
            for child in prim.GetAllChildren()
            if pattern.fullmatch(child.GetName())
        ]
    return [get_prim_path(prim) for prim in level if _is_of_type(prim, prim_type)]


def _is_of_type(prim: Usd.Prim, kind: str | None) -> bool:
    if not kind:
        return True
    schemas = {
        "articulation": UsdPhysics.ArticulationRootAPI,
        "rigid_body": UsdPhysics.RigidBodyAPI,
    }
    if kind not in schemas:
        raise InvalidArgumentError("prim_type", kind, "'articulation', 'rigid_body' or None")
    return prim.HasAPI(schemas[kind])


def is_prim_ancestral(prim_path: str) -> bool:
    """Whether a reference of a prim above brought the prim, so that it cannot be deleted."""
    prim = get_prim_at_path(prim_path)
    return bool(prim) and handles.is_ancestral(prim)


def is_prim_root_path(prim_path: str) -> bool:
    """Whether a path is "/"."""
    return prim_path == "/"


def is_prim_no_delete(prim_path: str) -> bool:
    """Whether a prim is marked as one that may not be deleted."""
    return bool(get_prim_at_path(prim_path).GetMetadata("no_delete"))


def is_prim_hidden_in_stage(prim_path: str) -> bool:
    """Whether a prim is marked as one that lists of the stage leave out."""
    return bool(get_prim_at_path(prim_path).GetMetadata("hide_in_stage_window"))


def set_prim_no_delete(prim: Usd.Prim, no_delete: bool) -> None:
    """Mark a prim as one that may not be deleted."""
    prim.SetMetadata("no_delete", bool(no_delete))


def set_prim_hide_in_stage_window(prim: Usd.Prim, hide: bool) -> None:
    """Mark a prim as one that lists of the stage leave out."""
    prim.SetMetadata("hide_in_stage_window", bool(hide))


def set_prim_visibility(prim: Usd.Prim, visible: bool) -> None:
    """Show or hide a prim."""
    shown = UsdGeom.Imageable(prim)
    shown.MakeVisible() if visible else shown.MakeInvisible()


def get_prim_property(prim_path: str, property_name: str) -> Any:
    """Value of an attribute; None if there is none."""
    return handles.prim_at(prim_path).GetAttribute(property_name).Get()


def set_prim_property(prim_path: str, property_name: str, property_value: Any) -> None:
    """Set an attribute."""
    attribute = handles.prim_at(prim_path).GetAttribute(property_name)
    attribute.Set(_value_for(attribute, property_value))


def get_prim_attribute_names(prim_path: str, fabric: bool = False) -> list[str]:
    """Names of the attributes of a prim; ``fabric`` as in `get_prim_at_path`.

    Raises:
        Exception: There is no prim of the path.
    """
    return [attribute.GetName() for attribute in _prim(prim_path, fabric).GetAttributes()]


def get_prim_attribute_value(prim_path: str, attribute_name: str, fabric: bool = False) -> Any:
    """Value of an attribute: vectors as lists, quaternions w, x, y, z.

    Args:
        prim_path: Of the prim.
        attribute_name: Of the attribute.
        fabric: Whether it is that which the physics has moved the prim to; else that of the
            stage, which is written when the simulation pauses.

    Raises:
        Exception: There is no prim of the path.
    """
    attribute = _attribute(prim_path, attribute_name, fabric)
    return _listed(attribute.Get())


def set_prim_attribute_value(
    prim_path: str, attribute_name: str, value: Any, fabric: bool = False
) -> None:
    """Set an attribute; ``fabric`` as in `get_prim_at_path`.

    Raises:
        Exception: There is no prim of the path.
    """
    attribute = _attribute(prim_path, attribute_name, fabric)
    attribute.Set(_value_for(attribute, value))


def _attribute(prim_path: str, name: str, fabric: bool) -> Usd.Attribute:
    found = _prim(prim_path, fabric).GetAttribute(name)
    if not found:
        raise InvalidArgumentError("attribute_name", name, f"an attribute of {prim_path}")
    return found


def _listed(value: Any) -> Any:
    """Vectors, matrices, quaternions and arrays of USD as lists of numbers."""
    if hasattr(value, "GetReal") and hasattr(value, "GetImaginary"):
        return [value.GetReal(), *value.GetImaginary()]
    if isinstance(value, Sdf.AssetPath):
        return value.path
    if isinstance(value, Sdf.TimeCode):
        return value.GetValue()
    if isinstance(value, str) or not hasattr(value, "__len__"):
        return value
    return [_listed(one) for one in value]


def _value_for(attribute: Usd.Attribute, value: Any) -> Any:
    """Numbers and lists as what USD's types are made of."""
    kind = attribute.GetTypeName().type.pythonClass if attribute else None
    if kind is None or isinstance(value, kind):
        return value.item() if isinstance(value, np.generic) else value
    if isinstance(value, Gf.Quatd | Gf.Quatf | Gf.Quath):
        return kind(value)
    plain = convert.plain(value).tolist() if hasattr(value, "__array__") else value
    if attribute.GetTypeName().isArray:
        one = attribute.GetTypeName().scalarType.type.pythonClass
        return kind([_built(one, part) for part in plain])
    return _built(kind, plain)


def _built(kind: Any, plain: Any) -> Any:
    if not isinstance(plain, list | tuple) or kind is None or isinstance(plain, kind):
        return plain
    if kind.__name__.startswith("Matrix"):
        return (
            kind(*(c for row in plain for c in row)) if len(np.shape(plain)) == 2 else kind(*plain)
        )
    return kind(*plain)


def set_targets(prim: Usd.Prim, attribute: str, target_prim_paths: list[Any]) -> None:
    """Make a relationship of a prim, with what it leads to."""
    prim.CreateRelationship(attribute).SetTargets([Sdf.Path(str(p)) for p in target_prim_paths])


def get_prim_object_type(prim_path: str) -> str | None:
    """What the simulation takes a prim for.

    Returns:
        "articulation", "rigid_body", "joint", "d6joint", "dof" is never told apart from "joint",
        "xform", or None.
    """
    prim = get_prim_at_path(prim_path)
    if not prim:
        return None
    if prim.HasAPI(UsdPhysics.ArticulationRootAPI):
        return "articulation"
    if prim.HasAPI(UsdPhysics.RigidBodyAPI):
        return "rigid_body"
    if prim.IsA(UsdPhysics.PrismaticJoint) or prim.IsA(UsdPhysics.RevoluteJoint):
        return "joint"
    if prim.GetTypeName() == "PhysicsJoint":
        return "d6joint"
    if prim.IsA(UsdPhysics.Joint):
        return "joint"
    return "xform" if prim.IsA(UsdGeom.Xformable) else None


def is_prim_non_root_articulation_link(prim_path: str) -> bool:
    """Whether a prim is a link of an articulation, and not its root: joints say where it stands."""
    prim = get_prim_at_path(prim_path)
    if not prim or not prim.HasAPI(UsdPhysics.RigidBodyAPI):
        return False
    if prim.HasAPI(UsdPhysics.ArticulationRootAPI):
        return False
    above = prim.GetParent()
    while above and not above.HasAPI(UsdPhysics.ArticulationRootAPI):
        above = above.GetParent()
    root = above if above else _rooted_by_joint(prim)
    if not root:
        return False
    joints = [p for p in Usd.PrimRange(root) if p.IsA(UsdPhysics.Joint)]
    return any(
        prim.GetPath() in UsdPhysics.Joint(joint).GetBody1Rel().GetTargets() for joint in joints
    )


def _rooted_by_joint(prim: Usd.Prim) -> Usd.Prim | None:
    """The prim below which a joint that is an articulation's root stands, beside the link."""
    above = prim.GetParent()
    while above and not above.IsPseudoRoot():
        for child in above.GetChildren():
            if child.IsA(UsdPhysics.Joint) and child.HasAPI(UsdPhysics.ArticulationRootAPI):
                return above
        above = above.GetParent()
    return None


def get_articulation_root_api_prim_path(prim_path: str) -> str:
    """Path of the first prim, at a path or below, that is the root of an articulation.

    A pattern is followed where it first leads; what is below that stands behind the pattern. Where
    there is no root, the path itself is returned.
    """
    matching = find_matching_prim_paths(prim_path)
    if not matching:
        return prim_path
    first = matching[0]
    found = get_first_matching_child_prim(
        first, lambda path: get_prim_at_path(path).HasAPI(UsdPhysics.ArticulationRootAPI)
    )
    return prim_path + get_prim_path(found)[len(first) :] if found else prim_path


def _prim(prim_or_path: Any, fabric: bool) -> Usd.Prim:
    if fabric:
        seam.flush()
    return prim_or_path if isinstance(prim_or_path, Usd.Prim) else handles.prim_at(prim_or_path)
