"""Names of the original that are refused when they are called."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from unibody.errors import NotSupportedError


def absent(feature: str, instead: str) -> Callable[..., NoReturn]:
    """A method that raises a `NotSupportedError`.

    Args:
        feature: What it would do.
        instead: The nearest thing that works.
    """

    def refuse(view: Any, *args: Any, **options: Any) -> NoReturn:
        raise NotSupportedError(feature, instead)

    refuse.__doc__ = f"Not supported: {feature}."
    return refuse


_OFFSETS = "contact and rest offsets of shapes", "larger or smaller colliders"
_SPATIAL = "spatial tendons", "fixed tendons (PhysxTendonAxisRootAPI)"
_SOFT = "soft bodies of a stage", "the rigid bodies of the stage, by create_rigid_body_view"
_PARTICLES = "particles of a stage", "the rigid bodies of the stage, by create_rigid_body_view"


class AbsentOffsets:
    """Offsets of contacts, of views of bodies and of articulations."""

    get_contact_offsets: Callable[..., NoReturn] = absent(*_OFFSETS)
    get_rest_offsets: Callable[..., NoReturn] = absent(*_OFFSETS)
    set_contact_offsets: Callable[..., NoReturn] = absent(*_OFFSETS)
    set_rest_offsets: Callable[..., NoReturn] = absent(*_OFFSETS)


class AbsentTendons:
    """Properties of spatial tendons: no stage with some becomes worlds."""

    get_spatial_tendon_stiffnesses: Callable[..., NoReturn] = absent(*_SPATIAL)
    get_spatial_tendon_dampings: Callable[..., NoReturn] = absent(*_SPATIAL)
    get_spatial_tendon_limit_stiffnesses: Callable[..., NoReturn] = absent(*_SPATIAL)
    get_spatial_tendon_offsets: Callable[..., NoReturn] = absent(*_SPATIAL)
    set_spatial_tendon_properties: Callable[..., NoReturn] = absent(*_SPATIAL)


class AbsentViews:
    """Views of what is neither a rigid body nor an articulation."""

    create_soft_body_view: Callable[..., NoReturn] = absent(*_SOFT)
    create_soft_body_material_view: Callable[..., NoReturn] = absent(*_SOFT)
    create_volume_deformable_body_view: Callable[..., NoReturn] = absent(*_SOFT)
    create_surface_deformable_body_view: Callable[..., NoReturn] = absent(*_SOFT)
    create_deformable_material_view: Callable[..., NoReturn] = absent(*_SOFT)
    create_sdf_shape_view: Callable[..., NoReturn] = absent(
        "signed distances of a stage's shapes", "contacts, by create_rigid_contact_view"
    )
    create_particle_system_view: Callable[..., NoReturn] = absent(*_PARTICLES)
    create_particle_cloth_view: Callable[..., NoReturn] = absent(*_PARTICLES)
    create_particle_material_view: Callable[..., NoReturn] = absent(*_PARTICLES)
