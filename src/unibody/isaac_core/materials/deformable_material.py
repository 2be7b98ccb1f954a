"""DeformableMaterial: what deformable bodies are made of."""

from __future__ import annotations

from unibody.errors import InvalidArgumentError
from unibody.isaac_core.attribute_object import AttributeObject
from unibody.isaac_core.materials.material import Material, found_or_defined
from unibody.isaac_core.schemas import physx_schema


class DeformableMaterial(AttributeObject, Material):
    """A material of deformable bodies; bodies have it from the next time that the stage plays.

    Args:
        prim_path: Where it is; it is made if it is not there.
        name: By which scenes find it.
        dynamic_friction: Friction.
        youngs_modulus: Young's modulus [Pa].
        poissons_ratio: Poisson's ratio.
        elasticity_damping: Damping of deformation [s].
        damping_scale: Scale of that damping.
    """

    def __init__(
        self,
        prim_path: str,
        name: str | None = "deformable_material",
        dynamic_friction: float | None = None,
        youngs_modulus: float | None = None,
        poissons_ratio: float | None = None,
        elasticity_damping: float | None = None,
        damping_scale: float | None = None,
    ) -> None:
        super().__init__(prim_path, found_or_defined(prim_path))
        self._name = name
        physx_schema.PhysxDeformableBodyMaterialAPI.Apply(self._prim)
        given = {
            "dynamicFriction": dynamic_friction,
            "youngsModulus": youngs_modulus,
            "poissonsRatio": poissons_ratio,
            "elasticityDamping": elasticity_damping,
            "dampingScale": damping_scale,
        }
        for key, value in given.items():
            if value is not None:
                self._set(key, value)

    def get_dynamic_friction(self) -> float:
        """Friction."""
        return self._get("dynamicFriction")

    def set_dynamic_friction(self, value: float) -> None:
        """Set: friction."""
        self._set("dynamicFriction", value)

    def get_youngs_modululs(self) -> float:
        """Young's modulus [Pa]."""
        return self._get("youngsModulus")

    def set_youngs_modululs(self, value: float) -> None:
        """Set: Young's modulus [Pa]."""
        self._set("youngsModulus", value)

    def get_poissons_ratio(self) -> float:
        """Poisson's ratio."""
        return self._get("poissonsRatio")

    def set_poissons_ratio(self, value: float) -> None:
        """Set: Poisson's ratio."""
        self._set("poissonsRatio", value)

    def get_elasticity_damping(self) -> float:
        """Damping of deformation [s]."""
        return self._get("elasticityDamping")

    def set_elasticity_damping(self, value: float) -> None:
        """Set: damping of deformation [s]."""
        self._set("elasticityDamping", value)

    def get_damping_scale(self) -> float:
        """Scale of that damping."""
        return self._get("dampingScale")

    def set_damping_scale(self, value: float) -> None:
        """Set: scale of that damping."""
        self._set("dampingScale", value)

    def _get(self, name: str) -> float:
        return float(self._prim.GetAttribute(f"physxDeformableBodyMaterial:{name}").Get())

    def _set(self, name: str, value: float) -> None:
        if not float(value) >= 0.0:
            raise InvalidArgumentError(name, value, "a number from 0")
        self._prim.GetAttribute(f"physxDeformableBodyMaterial:{name}").Set(float(value))
