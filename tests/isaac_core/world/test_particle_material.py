"""Materials of particles are attributes of the stage."""

from __future__ import annotations

import pytest

from unibody.errors import InvalidArgumentError
from unibody.isaac_core.materials import ParticleMaterial
from unibody.isaac_core.world.world import World


def test_what_is_set_of_a_particle_material_is_on_the_stage_and_comes_back() -> None:
    World.clear_instance()
    world = World()
    material = ParticleMaterial("/World/material", friction=0.6, gravity_scale=-1.0)
    assert world.scene.add(material) is world.scene.get_object("particle_material")
    assert material.get_friction() == pytest.approx(0.6)
    assert material.get_gravity_scale() == -1.0
    assert material.get_particle_adhesion_scale() == 1.0  # as the schema has it
    material.set_surface_tension(0.25)
    assert material.prim.GetAttribute("physxPBDMaterial:surfaceTension").Get() == 0.25
    with pytest.raises(InvalidArgumentError, match="viscosity"):
        material.set_viscosity(-1.0)
    assert material.is_valid()
