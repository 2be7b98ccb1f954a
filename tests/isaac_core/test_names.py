"""Modules under the names of Isaac Sim and Kit."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from tests.support.process import run_python
from unibody.errors import NotSupportedError
from unibody.isaac_core import modules, names


def _run(tmp_path: Path, program: str) -> str:
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(program), encoding="utf-8")
    result = run_python(["-m", "unibody", "run", str(script)])
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_both_families_of_names_give_the_same_modules(tmp_path: Path) -> None:
    program = """
        from isaacsim import SimulationApp
        app = SimulationApp({"headless": True})
        import carb
        import omni.isaac.core.utils.prims as old
        import isaacsim.core.utils.prims as new
        from omni.isaac.kit import SimulationApp as Old
        from pxr import PhysxSchema
        import omni.usd
        prim = old.create_prim("/World/Cube", "Cube")
        PhysxSchema.PhysxRigidBodyAPI.Apply(prim)
        print(old is new, Old is SimulationApp, prim.HasAPI("PhysxRigidBodyAPI"))
        print(omni.usd.get_context().get_stage().GetPrimAtPath("/World/Cube") == prim)
        app.close()
    """
    assert _run(tmp_path, program).split() == ["True"] * 4


def test_an_unknown_module_imports_and_refuses_what_is_called_in_it(tmp_path: Path) -> None:
    program = """
        import omni.anything.at_all as module
        from isaacsim.nothing import Thing
        class Mine(Thing):
            pass
        for call in (module.function, Thing, Mine, Thing.method, lambda: bool(Thing)):
            try:
                call()
            except NotImplementedError as problem:
                print(str(problem).split()[0])
    """
    assert _run(tmp_path, program).split() == [
        "omni.anything.at_all.function",
        "isaacsim.nothing.Thing",
        "__main__.Mine",
        "isaacsim.nothing.Thing.method",
        "isaacsim.nothing.Thing",
    ]


@pytest.mark.parametrize("name", sorted(names.MODULES))
def test_every_name_of_the_table_has_a_module(name: str) -> None:
    if "torch" in name or "warp" in name:
        pytest.importorskip("torch" if "torch" in name else "warp")
    made = modules.make(name)
    assert [found for found in dir(made) if not found.startswith("_")]


def test_a_misspelt_function_of_a_module_that_is_here_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="crate_prim"):
        modules.make("isaacsim.core.utils.prims").crate_prim  # noqa: B018
    with pytest.raises(NotSupportedError, match=r"omni\.usd\.no_such_function"):
        modules.make("omni.usd").no_such_function()


def test_commands_of_isaac_sim_are_there_without_an_import_of_their_own() -> None:
    found = modules.make("omni.kit.commands").get_commands_list()
    assert {"IsaacSimSpawnPrim", "IsaacSimTeleportPrim", "CreatePrim", "MovePrim"} <= set(found)


def test_drawings_greetings_and_later_apis_of_scripts_have_their_answers(tmp_path: Path) -> None:
    program = """
        from isaacsim import SimulationApp
        app = SimulationApp({"headless": True})
        import omni.kit.app
        from isaacsim.util.debug_draw import _debug_draw
        from isaacsim.core.experimental.prims import DeformablePrim
        omni.kit.app.get_app().print_and_log("hello")
        draw = _debug_draw.acquire_debug_draw_interface()
        draw.draw_lines([(0, 0, 0)], [(1, 0, 0)], [(1, 0, 0, 1)], [2])
        print(draw.get_num_lines())
        try:
            DeformablePrim("/World/cloth")
        except NotImplementedError as error:
            print("isaacsim.core.api" in str(error))
        app.close()
    """
    assert _run(tmp_path, program).split() == ["hello", "1", "True"]


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("omni.replicator.core.orchestrator.step", "isaacsim.sensors.camera.Camera"),
        ("omni.isaac.dynamic_control.acquire_dynamic_control_interface", "SingleArticulation"),
        ("isaacsim.ros2.bridge.read_camera_info", "rclpy"),
        ("omni.graph.core.Controller", "World.add_physics_callback"),
        ("isaacsim.sensors.rtx.LidarRtx", "RotatingLidarPhysX"),
        ("omni.isaac.quadruped.robots.Anymal", "SingleArticulation"),
        ("carb.input.acquire_input_interface", "a page with the stage"),
        ("isaacsim.core.experimental.prims.DeformablePrim", "isaacsim.core.prims"),
        ("isaacsim.sensors.physxtra.Thing", "docs/coverage.md"),
    ],
)
def test_what_does_not_exist_names_the_nearest_thing_that_works(name: str, instead: str) -> None:
    module, _, last = name.rpartition(".")
    original = getattr(modules.make(module), last)
    derived = type("Derived", (original,), {"__module__": "__main__"})
    for kind, shown in ((original, name), (derived, "__main__.Derived")):
        with pytest.raises(NotSupportedError) as raised:
            kind()
        assert str(raised.value).startswith(shown)
        assert instead in str(raised.value)


def test_a_command_that_imports_a_robot_names_the_conversion_that_works() -> None:
    commands = modules.make("omni.kit.commands")
    with pytest.raises(NotSupportedError, match=r"URDFParseAndImportFile.*unibody convert"):
        commands.execute("URDFParseAndImportFile", urdf_path="robot.urdf")
    with pytest.raises(NotSupportedError, match=r"the commands are .*CreatePrim"):
        commands.execute("NoSuchCommand")
