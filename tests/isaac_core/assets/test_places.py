"""Files of the server of assets: found, made, or refused with what makes them."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from pxr import Sdf, Usd, UsdPhysics

from unibody.core.assets.load import load_assets
from unibody.core.assets.paths import SearchPath
from unibody.errors import NotSupportedError
from unibody.isaac_core.assets import places
from unibody.isaac_core.assets.table import Source, recipes
from unibody.isaac_core.functions import nucleus
from unibody.isaac_core.functions.prims import create_prim
from unibody.isaac_core.functions.stage import add_reference_to_stage, open_stage
from unibody.isaac_core.prims.robot import Robot
from unibody.isaac_core.world.world import World

OWN = sorted(name for name, recipe in recipes().items() if not recipe.sources[0].package)


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv(places.VARIABLE, raising=False)


def asset(name: str) -> str:
    return f"{places.root_path()}/{name}"


@pytest.mark.parametrize("name", OWN)
def test_models_of_our_own_are_made_when_they_are_first_used(name: str) -> None:
    assert not Path(asset(name)).exists()
    made = places.located(asset(name))
    assert made == asset(name)
    assert load_assets(made, SearchPath())
    assert "Made by unibody from a model of our own" in Sdf.Layer.FindOrOpen(made).comment


def test_what_an_asset_was_made_from_is_said_once_on_the_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("unibody.notices._told", set())
    for _ in range(2):
        places.located(asset("Isaac/Robots/Jetbot/jetbot.usd"))
    said = capsys.readouterr().err.splitlines()
    assert said == [
        "unibody: Isaac/Robots/Jetbot/jetbot.usd is made from a model of our own, jetbot.urdf"
    ]


def test_an_asset_is_made_again_only_when_its_recipe_has_changed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = Path(places.located(asset("Isaac/Robots/Jetbot/jetbot.usd")))
    first = made.stat().st_mtime_ns
    assert Path(places.located(str(made))).stat().st_mtime_ns == first
    monkeypatch.setattr(places, "_VERSION", "another")
    assert Path(places.located(str(made))).stat().st_mtime_ns > first


def test_a_file_of_the_users_is_taken_before_a_recipe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "Isaac/Robots/Jetbot/jetbot.usd"
    monkeypatch.setenv(places.VARIABLE, str(tmp_path))
    own = tmp_path / name
    assert places.located(asset(name)) == str(tmp_path / "cache/unibody/isaac_assets" / name)
    own.parent.mkdir(parents=True)
    own.write_text("#usda 1.0\n")
    assert places.located(asset(name)) == str(own)


def test_an_asset_that_nothing_makes_is_refused_with_the_command_that_would() -> None:
    path = asset("Isaac/Robots/Nobody/nobody.usd")
    with pytest.raises(NotSupportedError, match=rf"unibody convert robot.urdf {path}"):
        add_reference_to_stage(path, "/World/robot")
    with pytest.raises(NotSupportedError, match="Nobody"):
        open_stage(path)
    assert not nucleus.is_file(path)


def test_the_arm_has_the_bodies_joints_and_drives_of_the_original() -> None:
    pytest.importorskip("pybullet_data")
    prim = add_reference_to_stage(asset("Isaac/Robots/Franka/franka.usd"), "/World/Franka")
    joint = prim.GetStage().GetPrimAtPath("/World/Franka/panda_link0/panda_joint1")
    assert UsdPhysics.DriveAPI(joint, "angular").GetTypeAttr().Get() == "acceleration"
    world = World()
    robot = world.scene.add(Robot("/World/Franka", "franka"))
    world.reset()
    assert robot.num_dof == 9
    assert robot._articulation_view.num_bodies == 12
    assert robot.get_dof_index("panda_finger_joint2") == 8
    lower, upper = robot._articulation_view.get_dof_limits()[0].T
    assert lower[[1, 3]] == pytest.approx([-1.8326, -3.1416], abs=2e-3)
    assert np.all(upper > lower)


def test_a_robot_with_wheels_stands_on_them() -> None:
    add_reference_to_stage(asset("Isaac/Robots/Jetbot/jetbot.usd"), "/World/Jetbot")
    world = World()
    world.scene.add_default_ground_plane()
    robot = world.scene.add(Robot("/World/Jetbot", "jetbot"))
    world.reset()
    for _ in range(60):
        world.step(render=False)
    position, turn = robot.get_world_pose()
    # It sinks in by less than a millimetre.
    assert position == pytest.approx([0.0, 0.0, 0.0], abs=1e-3)
    assert np.abs(turn[1:3]).max() < 0.02


def test_a_reference_that_a_script_authors_itself_finds_every_asset(
    capsys: pytest.CaptureFixture[str],
) -> None:
    root = nucleus.get_assets_root_path()
    stage = Usd.Stage.CreateInMemory()
    prim = stage.DefinePrim("/World/Jetbot", "Xform")
    prim.GetReferences().AddReference(f"{root}/Isaac/Robots/Jetbot/jetbot.usd")
    assert any(one.HasAPI(UsdPhysics.RigidBodyAPI) for one in Usd.PrimRange(prim))
    for name, recipe in recipes().items():
        here = any(source.found() is not None for source in recipe.sources)
        assert Path(f"{root}/{name}").is_file() == here
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1
    assert "the comment of each says from what" in said[0]
    assert nucleus.get_assets_root_path() == root
    assert capsys.readouterr().err == ""


def test_nothing_is_made_in_a_folder_of_the_users(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(places.VARIABLE, str(tmp_path))
    assert nucleus.get_assets_root_path() == str(tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["Ant/ant.usd", "Humanoid/humanoid.usd"])
def test_a_robot_that_walks_is_free_to_fall(name: str) -> None:
    pytest.importorskip("pybullet_data")
    add_reference_to_stage(asset(f"Isaac/Robots/{name}"), "/World/Walker")
    world = World()
    robot = world.scene.add(Robot("/World/Walker", "walker"))
    world.reset()
    before = robot.get_world_pose()[0][2]
    for _ in range(30):
        world.step(render=False)
    # Steps of 1/60 s from rest; `reset` has made two of them.
    assert before - robot.get_world_pose()[0][2] == pytest.approx(9.81 * 0.5**2 / 2, rel=0.2)


def test_a_source_is_in_the_installed_package_where_its_name_means_another_module(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("installed", "other"):
        package = tmp_path / folder / "package_of_robots"
        package.mkdir(parents=True)
        (package / "__init__.py").touch()
    robot = tmp_path / "installed/package_of_robots/robot.usda"
    robot.touch()
    meant = importlib.util.spec_from_file_location(
        "package_of_robots",
        tmp_path / "other/package_of_robots/__init__.py",
        submodule_search_locations=[str(tmp_path / "other/package_of_robots")],
    )
    finder = SimpleNamespace(
        find_spec=lambda name, *_: meant if name == "package_of_robots" else None
    )
    monkeypatch.setattr(sys, "meta_path", [finder, *sys.meta_path])
    monkeypatch.syspath_prepend(str(tmp_path / "installed"))
    assert Source("", "package_of_robots", "robot.usda").found() == robot


def test_articulations_of_assets_have_the_schema_of_physx_whose_attributes_scripts_set() -> None:
    made = places.located(asset("Isaac/Robots/Cartpole/cartpole.usd"))
    stage = Usd.Stage.Open(made)
    roots = [
        prim.GetAppliedSchemas()
        for prim in stage.Traverse()
        if prim.HasAPI(UsdPhysics.ArticulationRootAPI)
    ]
    assert len(roots) == 1
    assert "PhysxArticulationAPI" in roots[0]


@pytest.mark.parametrize("name", ["Ant/ant.usd", "Humanoid/humanoid.usd"])
def test_a_walker_stands_at_the_height_to_which_a_script_lifts_it(name: str) -> None:
    recipe = recipes()[f"Isaac/Robots/{name}"]
    if not any(source.found() for source in recipe.sources):
        pytest.skip("none of its sources is installed")
    World.clear_instance()
    world = World()
    usd = asset(f"Isaac/Robots/{name}")
    create_prim("/World/Walker", "Xform", translation=[0.0, 0.0, 1.34], usd_path=usd)
    robot = world.scene.add(Robot("/World/Walker", "walker"))
    world.reset()
    # two steps of 1 / 60 s are made by the reset: it falls by less than 9.81 / 60^2 * 3 m
    assert robot.get_world_pose()[0][2] == pytest.approx(1.34, abs=0.01)
