"""PhysicsMaterial: friction and restitution."""

from __future__ import annotations

from pxr import Usd, UsdPhysics

from unibody.isaac_core.materials.material import Material, found_or_defined


class PhysicsMaterial(Material):
    """Friction and restitution of shapes.

    Args:
        prim_path: Where it is; it is made if it is not there.
        name: By which scripts know it.
        static_friction: Coefficient at rest.
        dynamic_friction: Coefficient while sliding.
        restitution: From 0 to 1.
    """

    def __init__(
        self,
        prim_path: str,
        name: str = "physics_material",
        static_friction: float | None = None,
        dynamic_friction: float | None = None,
        restitution: float | None = None,
    ) -> None:
        super().__init__(prim_path, found_or_defined(prim_path))
        self._name = name
        applied = self._prim.HasAPI(UsdPhysics.MaterialAPI)
        make = UsdPhysics.MaterialAPI if applied else UsdPhysics.MaterialAPI.Apply
        self._api = make(self._prim)
        if static_friction is not None:
            self.set_static_friction(static_friction)
        if dynamic_friction is not None:
            self.set_dynamic_friction(dynamic_friction)
        if restitution is not None:
            self.set_restitution(restitution)

    @property
    def name(self) -> str:
        """The name given."""
        return self._name

    def get_static_friction(self) -> float | None:
        """Coefficient at rest; None if it does not say."""
        return _said(self._api.GetStaticFrictionAttr())

    def set_static_friction(self, friction: float) -> None:
        """Set the coefficient at rest."""
        self._api.CreateStaticFrictionAttr(float(friction))

    def get_dynamic_friction(self) -> float | None:
        """Coefficient while sliding; None if it does not say."""
        return _said(self._api.GetDynamicFrictionAttr())

    def set_dynamic_friction(self, friction: float) -> None:
        """Set the coefficient while sliding."""
        self._api.CreateDynamicFrictionAttr(float(friction))

    def get_restitution(self) -> float | None:
        """Restitution; None if it does not say."""
        return _said(self._api.GetRestitutionAttr())

    def set_restitution(self, restitution: float) -> None:
        """Set the restitution."""
        self._api.CreateRestitutionAttr(float(restitution))


def _said(attribute: Usd.Attribute) -> float | None:
    return attribute.Get() if attribute.HasAuthoredValue() else None
