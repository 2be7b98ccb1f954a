"""A class for each schema of a table, with the functions that USD writes for its own."""

from __future__ import annotations

import functools
from collections.abc import Callable
from functools import cache
from typing import Any, ClassVar

from pxr import Sdf, Tf, Usd, UsdGeom, UsdPhysics

from unibody.errors import InvalidArgumentError
from unibody.isaac_core.schemas.plugin import register, value_of
from unibody.isaac_core.schemas.table import INSTANCE, Property, Schema, schemas

register()


class _Wrapper:
    """A prim, as one schema sees it.

    Args:
        prim: The prim, or an object of another schema on it.
        name: Of the instance, for a schema that is applied several times.
    """

    schema: ClassVar[Schema]

    def __init__(self, prim: Any = None, name: str = "") -> None:
        self._prim = prim if isinstance(prim, Usd.Prim) else prim.GetPrim() if prim else Usd.Prim()
        self._name = str(name)

    def GetPrim(self) -> Usd.Prim:
        """The prim."""
        return self._prim

    def GetPath(self) -> Sdf.Path:
        """Its path."""
        return self._prim.GetPath()

    def GetName(self) -> str:
        """Name of the instance."""
        return self._name

    @classmethod
    def GetSchemaAttributeNames(cls, includeInherited: bool = True, name: str = "") -> list[str]:
        """Names of the schema's attributes."""
        return [_named(row, name or INSTANCE) for row in cls.schema.properties if row.type != "rel"]

    @classmethod
    def Get(cls, stage: Any, path: Any, name: str = "") -> _Wrapper:
        """The schema on the prim of a path; or, as ``Get(prim, name)``, an instance of it."""
        if isinstance(stage, Usd.Prim):
            return cls(stage, path)
        found = Sdf.Path(str(path))
        if cls.schema.kind == "multiple" and found.IsPropertyPath():
            return cls(stage.GetPrimAtPath(found.GetPrimPath()), found.name.split(":")[-1])
        return cls(stage.GetPrimAtPath(found), name)

    def __bool__(self) -> bool:
        prim = self._prim
        if not prim or not prim.IsValid():
            return False
        if self.schema.kind in {"concrete", "abstract"}:
            return prim.IsA(self.schema.name) or prim.GetTypeName() == self.schema.name
        return self._applied() in prim.GetPrimTypeInfo().GetAppliedAPISchemas() or (
            self._applied() in prim.GetAppliedSchemas()
        )

    def _applied(self) -> str:
        multiple = self.schema.kind == "multiple"
        return f"{self.schema.name}:{self._name}" if multiple else self.schema.name


class _Applied(_Wrapper):
    @classmethod
    def Apply(cls, prim: Any, name: str = "") -> _Wrapper:
        """Apply the schema to a prim.

        Raises:
            InvalidArgumentError: The prim is not valid, or the name of the instance is missing.
        """
        found = prim if isinstance(prim, Usd.Prim) else prim.GetPrim()
        if not found.IsValid():
            raise InvalidArgumentError("prim", prim, "a prim of a stage")
        made = cls(found, name)
        if cls.schema.kind == "multiple" and not name:
            raise InvalidArgumentError("name", name, "the name of an instance")
        found.AddAppliedSchema(made._applied())
        return made

    @classmethod
    def CanApply(cls, prim: Any, name: str = "") -> bool:
        """Whether the schema can be applied to a prim."""
        return bool(prim) and prim.GetPrim().IsValid()

    @classmethod
    def GetAll(cls, prim: Usd.Prim) -> list[_Wrapper]:
        """All instances on a prim."""
        start = f"{cls.schema.name}:"
        names = [found for found in prim.GetAppliedSchemas() if found.startswith(start)]
        return [cls(prim, found.removeprefix(start)) for found in names]


class _Typed(_Wrapper):
    @classmethod
    def Define(cls, stage: Usd.Stage, path: Any) -> _Wrapper:
        """Define a prim of the type."""
        return cls(stage.DefinePrim(str(path), cls.schema.name))


_BASES = {
    "UsdPhysicsJoint": UsdPhysics.Joint,
    "UsdGeomPointBased": UsdGeom.PointBased,
    "UsdGeomImageable": UsdGeom.Imageable,
    "UsdGeomGprim": UsdGeom.Gprim,
    "UsdGeomXformable": UsdGeom.Xformable,
}


_ASKED = ("HasAPI", "ApplyAPI", "RemoveAPI", "CanApplyAPI", "IsA")
"""Functions of prims that take a schema by its class."""


@cache
def teach_prims() -> None:
    """Let prims of USD take the classes made here where they take those of USD's own schemas.

    Anything else reaches USD's function as it was given. Once in a process.
    """
    for name in _ASKED:
        setattr(Usd.Prim, name, _taking_classes(getattr(Usd.Prim, name)))


def _taking_classes(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def asked(self: Usd.Prim, kind: Any, *rest: Any, **named: Any) -> Any:
        schema = getattr(kind, "schema", None) if isinstance(kind, type) else None
        ours = isinstance(schema, Schema)
        given = Tf.Type.FindByName(schema.type_name) if ours else kind
        return function(self, given, *rest, **named)

    return asked


def _named(row: Property, instance: str) -> str:
    return row.name.replace(INSTANCE, instance)


def _accessors(row: Property) -> dict[str, Callable[..., Any]]:
    if row.type == "rel":

        def relationship(self: Any) -> Usd.Relationship:
            return self.GetPrim().GetRelationship(_named(row, self._name))

        def create_relationship(self: Any) -> Usd.Relationship:
            return self.GetPrim().CreateRelationship(_named(row, self._name), custom=False)

        return {
            f"Get{row.accessor}Rel": relationship,
            f"Create{row.accessor}Rel": create_relationship,
        }

    kind = Sdf.ValueTypeNames.Find(row.type)
    variability = Sdf.VariabilityUniform if row.uniform else Sdf.VariabilityVarying

    def attribute(self: Any) -> Usd.Attribute:
        return self.GetPrim().GetAttribute(_named(row, self._name))

    def create(self: Any, defaultValue: Any = None, writeSparsely: bool = False) -> Usd.Attribute:
        name = _named(row, self._name)
        made = self.GetPrim().CreateAttribute(name, kind, False, variability)
        sparse = writeSparsely and row.fallback is not None
        if defaultValue is not None and not (
            sparse and defaultValue == value_of(kind, row.fallback)
        ):
            made.Set(defaultValue)
        return made

    return {f"Get{row.accessor}Attr": attribute, f"Create{row.accessor}Attr": create}


def _class(row: Schema, made: dict[str, type]) -> type:
    applied = row.kind in {"single", "multiple"}
    base: type = made.get(row.base, _Applied if applied else _Typed)
    members: dict[str, Any] = {"schema": row, "__doc__": f"The schema {row.name} on a prim."}
    for found in row.properties:
        members |= _accessors(found)
    above = _BASES.get(row.base)
    if above is not None:
        members["__getattr__"] = _of_the_base(above)
    return type(row.python, (base,), members)


def _of_the_base(above: type) -> Callable[[Any, str], Any]:
    """What a prim of the type has from the schema it is derived from."""

    def found(self: Any, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(above(self.GetPrim()), name)

    return found


def classes(table: str) -> dict[str, type]:
    """The classes of a table, by their names; prims take them from then on."""
    teach_prims()
    made: dict[str, type] = {}
    for row in schemas(table):
        made[row.type_name] = _class(row, made)
    return {kind.__name__: kind for kind in made.values()}
