"""The constants are PyBullet's."""

from __future__ import annotations

import pybullet

from unibody.bullet import constants


def _public_values(module: object) -> dict[str, object]:
    return {
        name: value
        for name, value in vars(module).items()
        if not name.startswith("_") and not callable(value) and name != "annotations"
    }


def test_every_constant_of_pybullet_exists_with_its_value_and_no_other_does() -> None:
    expected = _public_values(pybullet)
    assert len(expected) == 167
    assert _public_values(constants) == expected


def test_every_constant_has_the_type_it_has_in_pybullet() -> None:
    expected = {name: type(value) for name, value in _public_values(pybullet).items()}
    assert {name: type(value) for name, value in _public_values(constants).items()} == expected


def test_a_star_import_takes_exactly_pybullets_names() -> None:
    names: dict[str, object] = {}
    exec("from unibody.bullet import *", names)
    names.pop("__builtins__")
    assert set(names) == {name for name in dir(pybullet) if not name.startswith("__")}
