"""Roots of articulations on the stage."""

from __future__ import annotations

from pxr import UsdPhysics

from unibody.isaac_core.functions import articulations, prims, stage


def test_a_robot_is_found_by_its_root_or_by_the_prim_above_a_joint_that_is_one() -> None:
    one, other = prims.create_prim("/World/a"), prims.create_prim("/World/b")
    joint = UsdPhysics.FixedJoint.Define(stage.get_current_stage(), "/World/b/joint").GetPrim()
    articulations.add_articulation_root(one)
    articulations.add_articulation_root(joint)
    assert articulations.find_all_articulation_base_paths() == ["/World/a", "/World/b"]
    articulations.move_articulation_root(joint, other)
    assert not joint.HasAPI(UsdPhysics.ArticulationRootAPI)
    assert articulations.find_all_articulation_base_paths() == ["/World/a", "/World/b"]
    articulations.remove_articulation_root(other)
    assert articulations.find_all_articulation_base_paths() == ["/World/a"]


def test_a_root_above_another_is_none() -> None:
    articulations.add_articulation_root(prims.create_prim("/World/a"))
    articulations.add_articulation_root(prims.create_prim("/World/a/b"))
    assert articulations.find_all_articulation_base_paths() == ["/World/a/b"]
