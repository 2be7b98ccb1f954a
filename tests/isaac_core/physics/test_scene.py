"""The physics of a stage, from attaching to letting go."""

from __future__ import annotations

import gc
import weakref

from pxr import Usd, UsdGeom, UsdPhysics

from unibody.isaac_core import physics
from unibody.isaac_core.physics import tensors


def test_worlds_of_a_stage_are_released_when_it_is_detached_though_views_are_still_held() -> None:
    stage = Usd.Stage.CreateInMemory()
    cube = UsdGeom.Cube.Define(stage, "/box").GetPrim()
    UsdPhysics.RigidBodyAPI.Apply(cube)
    UsdPhysics.CollisionAPI.Apply(cube)
    scene = physics.attach(stage)
    view = tensors.create_simulation_view("numpy").create_rigid_body_view("/box")
    scene.step(0.01)
    view.get_transforms()
    (group,) = scene.batch.groups
    assert group.scene.running is not None
    held = [weakref.ref(group.worlds), weakref.ref(group.scene.running)]
    gc.disable()
    try:
        physics.detach()
        assert [one() for one in held] == [None, None]
    finally:
        gc.enable()
    assert not view.check()
