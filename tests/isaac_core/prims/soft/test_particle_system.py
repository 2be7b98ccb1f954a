"""Systems of particles, and materials of what is soft, stand on the stage as scripts set them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.isaac_core.prims.soft.meshes import sheet
from unibody.isaac_core.materials import (
    DeformableMaterial,
    DeformableMaterialView,
    ParticleMaterial,
    ParticleMaterialView,
)
from unibody.isaac_core.prims.soft import (
    ClothPrim,
    DeformablePrim,
    ParticleSystem,
    ParticleSystemView,
)

_OTHERS = {"simulation_owner", "simulation_owners"}


def _round(one: Any) -> int:
    """Set each value that can be set, and get it back; how many there are."""
    names = [name[4:] for name in dir(one) if name.startswith("set_")]
    names = [n for n in names if n not in _OTHERS]
    for name in names:
        before = np.asarray(getattr(one, f"get_{name}")())
        value: Any = np.full(before.shape, 1.0 if before.dtype == bool else 0.25)
        if before.dtype.kind in "iu":
            value = np.full(before.shape, 3)
        elif before.dtype == bool:
            value = ~before
        getattr(one, f"set_{name}")(value if before.ndim else value.item())
        np.testing.assert_array_equal(getattr(one, f"get_{name}")(), value, err_msg=name)
    return len(names)


def test_what_is_set_on_systems_and_materials_is_got_back() -> None:
    assert _round(ParticleSystem("/World/one", contact_offset=0.1)) == 13
    ParticleSystem("/World/two")
    view = ParticleSystemView("/World/.*", winds=np.array([[1.0, 0.0, 0.0], [0.0, 2.0, 0.0]]))
    assert view.count == 2
    np.testing.assert_array_equal(view.get_winds([1]), [[0.0, 2.0, 0.0]])
    assert _round(view) == 13


def test_what_is_set_on_materials_is_got_back() -> None:
    assert _round(DeformableMaterial("/Mat/soft_1", youngs_modulus=2e4)) == 5
    assert _round(DeformableMaterialView("/Mat/soft_.*", poissons_ratios=[0.3])) == 5
    ParticleMaterial("/Mat/cloth_1")
    assert _round(ParticleMaterialView("/Mat/cloth_.*", frictions=[0.4])) == 13


def test_a_system_has_the_material_it_is_given() -> None:
    system = ParticleSystem("/World/system")
    assert system.get_applied_particle_material() is None
    material = ParticleMaterial("/World/material", friction=0.7)
    system.apply_particle_material(material)
    found = system.get_applied_particle_material()
    assert found is not None
    assert found.prim_path == "/World/material"
    assert found.get_friction() == pytest.approx(0.7)


def test_what_is_set_on_cloth_and_bodies_is_got_back() -> None:
    sheet("/World/cloth")
    cloth = ClothPrim("/World/cloth", ParticleSystem("/World/system"))
    for name in ("pressure", "particle_group", "self_collision", "self_collision_filter"):
        value = 2 if name == "particle_group" else not getattr(cloth, f"get_{name}")()
        getattr(cloth, f"set_{name}")(value)
        assert getattr(cloth, f"get_{name}")() == value
    sheet("/World/body")
    body = DeformablePrim("/World/body", vertex_velocity_damping=0.5, self_collision=True)
    assert body.get_vertex_velocity_damping() == 0.5
    assert body.get_self_collision()
