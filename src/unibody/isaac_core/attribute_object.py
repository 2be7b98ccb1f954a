"""One prim whose values are attributes of the stage, as a scene takes it."""

from __future__ import annotations

from typing import Any

from pxr import Usd


class AttributeObject:
    """What objects have that physics does not begin, and that keep what is on the stage."""

    _prim: Usd.Prim
    _name: str | None

    @property
    def name(self) -> str | None:
        """The name given."""
        return self._name

    def initialize(self, physics_sim_view: Any = None) -> None:
        """Nothing begins: values are those of the stage."""

    def is_valid(self) -> bool:
        """Whether its prim is on the stage."""
        return bool(self._prim) and self._prim.IsValid()

    def post_reset(self) -> None:
        """Nothing to go back to: what is on the stage stays."""
