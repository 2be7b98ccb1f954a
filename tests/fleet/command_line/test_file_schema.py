"""The JSON schema of scenario files, which editors check them by."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from unibody import fleet
from unibody.fleet import MultiRobotSimulationCore
from unibody.fleet.command_line import fleet_command
from unibody.fleet.command_line.file_schema import file_schema
from unibody.fleet.parameters.yaml_reader import ConfigError

BUNDLED = sorted((Path(fleet.__file__).parent / "config").glob("*.yaml"))
SCENARIO: dict[str, Any] = {
    "simulation": {"timestep": 0.1, "physics": False},
    "world": {"mesh_dir": None},
    "managers": [{"name": "carts", "update_frequency": 5.0}],
    "entities": [
        {
            "urdf_path": "robots/mobile_robot.urdf",
            "pose": [0.0, 0.0, 0.1],
            "manager": "carts",
            "controller": {"type": "differential", "max_linear_vel": 1.0},
        }
    ],
}
BAD = [
    ("simulation", "timestepp", 0.1),
    ("simulation", "timestep", "fast"),
    ("world", "mapp", "a.yaml"),
    ("managers", "frequency", 5.0),
    ("entities", "posse", [0.0, 0.0, 0.0]),
    ("entities", "pose", [0.0, 0.0]),
    ("entities", "yaw", "left"),
]


def errors(scenario: Any) -> list[str]:
    checker = jsonschema.Draft202012Validator(file_schema())
    return [problem.message for problem in checker.iter_errors(scenario)]


def changed(section: str, key: str, value: Any) -> dict[str, Any]:
    scenario = json.loads(json.dumps(SCENARIO))
    where = scenario[section]
    (where[0] if isinstance(where, list) else where)[key] = value
    return scenario


@pytest.mark.parametrize("file", BUNDLED, ids=lambda file: file.stem)
def test_bundled_files_are_as_the_schema_says(file: Path) -> None:
    assert errors(yaml.safe_load(file.read_text("utf-8"))) == []


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(file_schema())


@pytest.mark.parametrize(("section", "key", "value"), BAD)
def test_what_the_reader_refuses_the_schema_refuses(
    section: str, key: str, value: Any, tmp_path: Path
) -> None:
    assert errors(SCENARIO) == []
    scenario = changed(section, key, value)
    assert errors(scenario)
    file = tmp_path / "scenario.yaml"
    file.write_text(yaml.safe_dump(scenario), encoding="utf-8")
    with pytest.raises(ConfigError):
        MultiRobotSimulationCore.from_yaml(str(file), headless=True)


def test_an_unknown_key_of_a_controller_is_refused_but_not_one_of_a_class_of_a_script() -> None:
    driven = {"type": "differential", "max_speed": 1.0}
    assert errors(changed("entities", "controller", driven))
    assert errors(changed("entities", "controller", [driven]))
    assert errors(changed("entities", "controller", driven | {"class": "mine.Driver"})) == []


def test_the_command_writes_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert fleet_command.main(["schema", "--out", str(tmp_path / "a.json")]) == 0
    assert fleet_command.main(["schema"]) == 0
    written = json.loads((tmp_path / "a.json").read_text("utf-8"))
    assert written == json.loads(capsys.readouterr().out) == file_schema()
