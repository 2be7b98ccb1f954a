"""Materials that prims of a view have."""

from __future__ import annotations

from typing import Any

from pxr import Usd, UsdShade

from unibody.errors import InvalidArgumentError


def binding(prim: Usd.Prim) -> UsdShade.MaterialBindingAPI:
    """What binds materials to a prim."""
    if prim.HasAPI(UsdShade.MaterialBindingAPI):
        return UsdShade.MaterialBindingAPI(prim)
    return UsdShade.MaterialBindingAPI.Apply(prim)


def bind(prim: Usd.Prim, material: Any, weaker: bool, purpose: str = "") -> None:
    """Bind a material to a prim.

    Args:
        prim: The prim.
        material: Of USD.
        weaker: Whether bindings of prims below count instead.
        purpose: "physics" for one of the physics.
    """
    tokens = UsdShade.Tokens
    strength = tokens.weakerThanDescendants if weaker else tokens.strongerThanDescendants
    if purpose:
        binding(prim).Bind(material, bindingStrength=strength, materialPurpose=purpose)
    else:
        binding(prim).Bind(material, bindingStrength=strength)


def bound(prim: Usd.Prim, purpose: str = "") -> str:
    """Path of the material that is bound to a prim itself; "" without one."""
    if not prim.HasAPI(UsdShade.MaterialBindingAPI):
        return ""
    api = UsdShade.MaterialBindingAPI(prim)
    found = api.GetDirectBinding(purpose) if purpose else api.GetDirectBinding()
    return str(found.GetMaterialPath())


class Applied:
    """Which materials prims have, as a script gave them.

    Args:
        prims: The prims.
        purpose: "physics" for materials of the physics; "" for those that are seen.
    """

    def __init__(self, prims: list[Usd.Prim], purpose: str = "") -> None:
        self._prims, self._purpose = prims, purpose
        self._given: dict[int, Any] = {}

    def apply(self, given: Any, weaker: Any, which: Any) -> None:
        """Bind one material to all, or each its own.

        Raises:
            InvalidArgumentError: Lists are not as long as there are prims.
        """
        count = len(which)
        chosen = given if isinstance(given, list) else [given] * count
        weak = weaker if isinstance(weaker, list) else [bool(weaker)] * count
        for argument, values in (("materials", chosen), ("weaker_than_descendants", weak)):
            if len(values) != count:
                raise InvalidArgumentError(argument, f"{len(values)} of them", f"{count}")
        for i, material, is_weak in zip(which, chosen, weak, strict=True):
            bind(self._prims[i], material.material, is_weak, self._purpose)
            self._given[int(i)] = material

    def is_bound(self, i: int) -> bool:
        """Whether a prim has a material of its own."""
        return bool(bound(self._prims[i], self._purpose))

    def get(self, i: int) -> Any:
        """The material of a prim; None if it has none of the kinds that are known."""
        path = bound(self._prims[i], self._purpose)
        if not path:
            return None
        given = self._given.get(int(i))
        if given is None or given.prim_path != path:
            from unibody.isaac_core.materials import found

            given = found.of_prim(self._prims[i].GetStage().GetPrimAtPath(path), self._purpose)
            if given is not None:
                self._given[int(i)] = given
        return given
