"""DeformableMaterialView: materials of deformable bodies."""

from __future__ import annotations

from unibody.isaac_core.attribute_view import Array, AttributeView
from unibody.isaac_core.schemas import physx_schema


class DeformableMaterialView(AttributeView):
    """Materials of deformable bodies.

    Args:
        prim_paths_expr: A pattern, level by level.
        name: By which a scene finds the view.
        dynamic_frictions: Friction, (M,).
        youngs_moduli: Young's modulus [Pa], (M,).
        poissons_ratios: Poisson's ratio, (M,).
        elasticity_dampings: Damping of deformation [s], (M,).
        damping_scales: Scale of that damping, (M,).
    """

    _prefix = "physxDeformableBodyMaterial:"

    def __init__(
        self,
        prim_paths_expr: str,
        name: str = "deformable_material_view",
        dynamic_frictions: Array = None,
        youngs_moduli: Array = None,
        poissons_ratios: Array = None,
        elasticity_dampings: Array = None,
        damping_scales: Array = None,
    ) -> None:
        super().__init__(prim_paths_expr, name)
        for prim in self._prims:
            physx_schema.PhysxDeformableBodyMaterialAPI.Apply(prim)
        self.set_dynamic_frictions(dynamic_frictions)
        self.set_youngs_moduli(youngs_moduli)
        self.set_poissons_ratios(poissons_ratios)
        self.set_elasticity_dampings(elasticity_dampings)
        self.set_damping_scales(damping_scales)

    def get_dynamic_frictions(self, indices: Array = None, clone: bool = True) -> Array:
        """Friction, (M,); a copy in any case."""
        return self._get("dynamicFriction", indices)

    def set_dynamic_frictions(self, values: Array, indices: Array = None) -> None:
        """Set: friction, (M,)."""
        self._set("dynamicFriction", values, indices)

    def get_youngs_moduli(self, indices: Array = None, clone: bool = True) -> Array:
        """Young's modulus [Pa], (M,); a copy in any case."""
        return self._get("youngsModulus", indices)

    def set_youngs_moduli(self, values: Array, indices: Array = None) -> None:
        """Set: Young's modulus [Pa], (M,)."""
        self._set("youngsModulus", values, indices)

    def get_poissons_ratios(self, indices: Array = None, clone: bool = True) -> Array:
        """Poisson's ratio, (M,); a copy in any case."""
        return self._get("poissonsRatio", indices)

    def set_poissons_ratios(self, values: Array, indices: Array = None) -> None:
        """Set: Poisson's ratio, (M,)."""
        self._set("poissonsRatio", values, indices)

    def get_elasticity_dampings(self, indices: Array = None, clone: bool = True) -> Array:
        """Damping of deformation [s], (M,); a copy in any case."""
        return self._get("elasticityDamping", indices)

    def set_elasticity_dampings(self, values: Array, indices: Array = None) -> None:
        """Set: damping of deformation [s], (M,)."""
        self._set("elasticityDamping", values, indices)

    def get_damping_scales(self, indices: Array = None, clone: bool = True) -> Array:
        """Scale of that damping, (M,); a copy in any case."""
        return self._get("dampingScale", indices)

    def set_damping_scales(self, values: Array, indices: Array = None) -> None:
        """Set: scale of that damping, (M,)."""
        self._set("dampingScale", values, indices)
