"""Names and signatures of the surface."""

from __future__ import annotations

import ast
import inspect
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from unibody import newton
from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.newton.dialect import signatures

DOCUMENT = signatures("0.2")
ATTRIBUTES = signatures("attributes")


def _member(name: str) -> Any:
    found: Any = newton
    for part in name.split("."):
        found = getattr(found, part)
    return found


def _names(text: str) -> list[str]:
    depth, parts, part = 0, [], ""
    for letter in text:
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and depth == 0:
            parts, part = [*parts, part], ""
        else:
            part += letter
    return [p.split("=")[0].strip(" *") for p in [*parts, part] if p.strip(" *")]


@pytest.mark.parametrize("name", DOCUMENT)
def test_every_callable_of_the_document_has_its_parameters(name: str) -> None:
    parameters = list(inspect.signature(_member(name)).parameters)
    own = [p for p in parameters if p != "self"]
    assert own[: len(_names(DOCUMENT[name]))] == _names(DOCUMENT[name])


_CONSTANTS = {
    "Axis.X": newton.Axis.X,
    "Axis.Z": newton.Axis.Z,
    "GeoType.SPHERE": newton.GeoType.SPHERE,
    "ParticleFlags.ACTIVE": newton.ParticleFlags.ACTIVE,
    "AttributeAssignment.MODEL": newton.Model.AttributeAssignment.MODEL,
    "ColoringAlgorithm.MCS": newton.ModelBuilder.ColoringAlgorithm.MCS,
    "MAXVAL": newton.MAXVAL,
    "-MAXVAL": -newton.MAXVAL,
    "wp.config.verbose": False,
}


@pytest.mark.parametrize("name", DOCUMENT)
def test_every_default_of_the_document_is_the_default_here(name: str) -> None:
    parameters = inspect.signature(_member(name)).parameters
    stated = dict(re.findall(r"(\w+)=((?:\([^)]*\))|[^,]+)", DOCUMENT[name]))
    for parameter, text in stated.items():
        default = parameters[parameter].default
        if default is inspect.Parameter.empty:
            with pytest.raises(NotSupportedError):
                _member(name)(None)
            return
        assert default == (_CONSTANTS[text] if text in _CONSTANTS else eval(text)), parameter


def test_a_parameter_by_its_later_name_means_the_same() -> None:
    builder: Any = newton.ModelBuilder()
    body = builder.add_body(label="ball")
    builder.add_shape_ellipsoid(body, rx=0.1, ry=0.2, rz=0.3, label="egg")
    assert builder.body_key == builder.body_label == ["ball"]
    assert builder.shape_key == ["egg"]
    assert builder.shape_scale == [(0.1, 0.2, 0.3)]
    later: Any = {"mu_rolling": 0.25}
    assert newton.ModelBuilder.ShapeConfig(**later).rolling_friction == 0.25


def test_both_names_of_a_parameter_at_once_are_an_error() -> None:
    with pytest.raises(InvalidArgumentError, match="label"):
        builder: Any = newton.ModelBuilder()
        builder.add_body(key="a", label="b")


def test_what_does_not_exist_yet_says_so_and_names_what_does() -> None:
    with pytest.raises(NotSupportedError, match=r"plot_articulation.*joint_parent"):
        newton.ModelBuilder().plot_articulation()
    with pytest.raises(NotSupportedError, match=r"newton\.SDF"):
        newton.SDF  # noqa: B018
    with pytest.raises(AttributeError, match="no_such_name"):
        newton.no_such_name  # noqa: B018


def test_the_coverage_table_says_what_exists() -> None:
    file = Path(newton.__file__).with_name("coverage.toml")
    table = tomllib.loads(file.read_text(encoding="utf-8"))
    stated = {name: e["status"] for group in table["names"].values() for name, e in group.items()}
    assert {name for name, status in stated.items() if status != "absent"} == set(newton.__all__)
    methods = table["methods"]["ModelBuilder"]
    plain = {name.split(".")[1] for name in DOCUMENT if name.count(".") == 1}
    assert set(methods) == {name for name in plain if name[0].islower()}
    for name, entry in methods.items():
        if entry["status"] == "absent":
            arguments = (0,) if name == "add_shape_sdf" else ("file",)
            with pytest.raises(NotSupportedError, match=name):
                getattr(newton.ModelBuilder(), name)(*arguments)


_OWN: dict[str, Any] = {
    "CustomAttribute": newton.ModelBuilder.CustomAttribute("a", float, "b"),
    "JointDofConfig": newton.ModelBuilder.JointDofConfig(),
    "ShapeConfig": newton.ModelBuilder.ShapeConfig(),
}


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_every_attribute_of_the_document_is_there_with_its_default(name: str) -> None:
    *_, owner, attribute = name.split(".")
    found = getattr(_OWN.get(owner, newton.ModelBuilder()), attribute)
    if ATTRIBUTES[name]:
        assert found == ast.literal_eval(ATTRIBUTES[name])


def test_the_coverage_table_has_every_member_of_the_document() -> None:
    file = Path(newton.__file__).with_name("coverage.toml")
    methods = tomllib.loads(file.read_text(encoding="utf-8"))["methods"]
    stated = {f"ModelBuilder.{name}" for name in methods["ModelBuilder"]}
    stated |= {f"ModelBuilder.{name}" for name in methods["Properties of ModelBuilder"]}
    for owner in _OWN:
        stated.add(f"ModelBuilder.{owner}")
        stated |= {f"ModelBuilder.{owner}.{name}" for name in methods[f"Members of {owner}"]}
    assert stated == (DOCUMENT.keys() | ATTRIBUTES.keys()) - {"ModelBuilder"}


def test_an_axis_is_equal_to_its_letter_and_its_number() -> None:
    assert newton.Axis.Y == "y"
    assert newton.Axis.from_any("Y") is newton.Axis.Y
    assert newton.Axis.from_any(1) is newton.Axis.Y
    with pytest.raises(ValueError, match="'w'"):
        newton.Axis.from_any("w")


def test_actuator_models_of_later_releases_can_be_imported_and_say_what_works() -> None:
    from unibody.newton import actuators

    assert newton.actuators is actuators
    for name, nearest in (
        ("DrivePD", "target_ke"),
        ("ControllerPD", "target_ke"),
        ("Delay", "joint_f"),
        ("Actuator", "drives"),
    ):
        with pytest.raises(NotSupportedError, match=rf"newton\.actuators\.{name}.*{nearest}"):
            getattr(actuators, name)(kp=1.0)
    with pytest.raises(NotSupportedError, match=r"dcmotor"):
        actuators.ClampingDCMotor()
    with pytest.raises(NotSupportedError, match=r"add_actuator.*target_ke"):
        newton.ModelBuilder().add_actuator(None, index=0)  # type: ignore[attr-defined]
    with pytest.raises(NotSupportedError, match=r"parse_actuator_prim"):
        actuators.parse_actuator_prim  # noqa: B018
    with pytest.raises(AttributeError, match="DriveOfNobody"):
        actuators.DriveOfNobody  # noqa: B018
