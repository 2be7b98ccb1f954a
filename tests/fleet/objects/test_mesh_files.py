"""Mesh files that shapes name: where they are looked for, and what is said if one is not there."""

from __future__ import annotations

import pytest

from unibody import bullet, fleet
from unibody.errors import AssetError
from unibody.fleet.parameters.yaml_reader import ConfigError

TETRAHEDRON = """\
v 0 0 0
v 2 0 0
v 0 2 0
v 0 0 2
f 1 3 2
f 1 2 4
f 1 4 3
f 2 3 4
"""
SCENARIO = """\
simulation: {gui: false, monitor: false, physics: false, timestep: 0.05}
entities:
  - name: rock
    type: sim_object
    pose: [0, 0, 0]
    visual_shape: {shape_type: box}
    collision_shape:
      shape_type: mesh
      mesh_path: meshes/rock.obj
"""


@pytest.fixture
def scenario(tmp_path, monkeypatch):
    """A scenario with a mesh beside it, and another folder to work in."""
    (tmp_path / "scene" / "meshes").mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    (tmp_path / "scene" / "meshes" / "rock.obj").write_text(TETRAHEDRON)
    file = tmp_path / "scene" / "scenario.yaml"
    file.write_text(SCENARIO)
    return file


def box_of_the_rock(file):
    core = fleet.MultiRobotSimulationCore.from_yaml(str(file))
    low, high = core.sim_objects[0].get_aabb()
    bullet.disconnect(core.client)
    return [*low, *high]


def test_a_mesh_is_looked_for_beside_the_file_that_names_it(scenario):
    assert box_of_the_rock(scenario) == pytest.approx([0, 0, 0, 2, 2, 2], abs=1e-9)


def test_a_mesh_beside_the_file_goes_before_one_of_the_current_folder(scenario, tmp_path):
    other = tmp_path / "elsewhere" / "meshes"
    other.mkdir()
    (other / "rock.obj").write_text(TETRAHEDRON.replace("2", "1"))
    assert box_of_the_rock(scenario)[3:] == pytest.approx([2, 2, 2], abs=1e-9)
    (scenario.parent / "meshes" / "rock.obj").unlink()
    (other / "rock.obj").write_text(TETRAHEDRON.replace("v 2", "v 3"))
    assert box_of_the_rock(scenario)[3:] == pytest.approx([3, 2, 2], abs=1e-9)


def test_a_mesh_that_a_file_names_and_that_is_not_there_is_an_error_with_its_line(scenario):
    (scenario.parent / "meshes" / "rock.obj").unlink()
    with pytest.raises(ConfigError, match=r"scenario.yaml:9: .*meshes/rock.obj.*no such file"):
        fleet.MultiRobotSimulationCore.from_yaml(str(scenario))


@pytest.mark.parametrize(("name", "content"), [("rock.obj", None), ("rock.stl", "not a mesh")])
def test_a_collision_mesh_that_cannot_be_read_is_an_error_that_names_it(tmp_path, name, content):
    core = fleet.MultiRobotSimulationCore(
        fleet.SimulationParams(gui=False, monitor=False, physics=False)
    )
    path = tmp_path / name
    if content is not None:
        path.write_text(content)
    with pytest.raises(AssetError, match=name):
        fleet.SimObject.from_mesh(
            visual_shape=fleet.ShapeParams(shape_type="box"),
            collision_shape=fleet.ShapeParams(shape_type="mesh", mesh_path=str(path)),
            sim_core=core,
        )
    assert core.sim_objects == []
    bullet.disconnect(core.client)
