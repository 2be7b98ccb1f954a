"""``Semantics``: the schema of labels that came before UsdSemantics."""

from __future__ import annotations

from typing import Any

from pxr import Sdf, Usd

from unibody.isaac_core.schemas.classes import teach_prims
from unibody.isaac_core.schemas.plugin import SEMANTICS, register

register()
teach_prims()
_NAME = "SemanticsAPI"


class SemanticsAPI:
    """One label of a prim: a type such as "class", and data such as "cube".

    Args:
        prim: The prim.
        name: Of the instance, such as "Semantics".
    """

    schema = SEMANTICS

    def __init__(self, prim: Usd.Prim, name: str = "Semantics") -> None:
        self._prim, self._name = prim, name

    @classmethod
    def Apply(cls, prim: Usd.Prim, name: str) -> SemanticsAPI:
        """Apply the schema to a prim under the name of an instance."""
        prim.AddAppliedSchema(f"{_NAME}:{name}")
        return cls(prim, name)

    @classmethod
    def Get(cls, prim: Usd.Prim, name: str) -> SemanticsAPI:
        """An instance on a prim; false if it is not applied."""
        return cls(prim, name)

    def __bool__(self) -> bool:
        return bool(self._prim) and f"{_NAME}:{self._name}" in self._prim.GetAppliedSchemas()

    def GetPrim(self) -> Usd.Prim:
        """The prim."""
        return self._prim

    def GetSemanticTypeAttr(self) -> Usd.Attribute:
        """What kind of label it is."""
        return self._prim.GetAttribute(self._path("Type"))

    def GetSemanticDataAttr(self) -> Usd.Attribute:
        """The label."""
        return self._prim.GetAttribute(self._path("Data"))

    def CreateSemanticTypeAttr(self, value: Any = None) -> Usd.Attribute:
        """Make the attribute of the kind of label."""
        return self._create("Type", value)

    def CreateSemanticDataAttr(self, value: Any = None) -> Usd.Attribute:
        """Make the attribute of the label."""
        return self._create("Data", value)

    def _path(self, part: str) -> str:
        return f"semantic:{self._name}:params:semantic{part}"

    def _create(self, part: str, value: Any) -> Usd.Attribute:
        made = self._prim.CreateAttribute(self._path(part), Sdf.ValueTypeNames.String, False)
        if value is not None:
            made.Set(value)
        return made
