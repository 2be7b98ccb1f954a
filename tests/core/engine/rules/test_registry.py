"""Every rule of rows has an entry, with what carries it out on each device."""

from __future__ import annotations

import importlib
from collections.abc import Callable

import pytest

from scripts.coverage_page import RULES_PAGE, rules_page
from unibody.core.assets.description import (
    Asset,
    Inertial,
    Joint,
    JointType,
    Link,
    Pose,
    Shape,
    ShapeKind,
)
from unibody.core.engine.records import rule_table as t
from unibody.core.engine.records.options import BallDefaults, BodyOptions, WorldOptions
from unibody.core.engine.rules.registry import NO_RULES, RULES, Rule
from unibody.core.engine.scene.scene import Scene
from unibody.core.engine.spec.constraint import ConstraintKind, Spring
from unibody.core.engine.worlds import make_worlds
from unibody.errors import NotSupportedError

HERE = Pose()
DEVICE = "warp-cpu"


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_what_carries_out_a_rule_is_there(rule: Rule) -> None:
    for place in filter(None, (rule.numba, rule.warp)):
        if place == rule.warp:
            pytest.importorskip("mujoco_warp")
        module, _, name = place.partition(":")
        assert hasattr(importlib.import_module(f"unibody.core.engine.{module}"), name)


def test_every_number_of_a_world_belongs_to_a_rule() -> None:
    named = {value for name, value in vars(t).items() if name.startswith("N_")}
    known = {column for rule in RULES for column in rule.columns} | set(NO_RULES)
    assert named == known == set(range(t.NUMERIC_SIZE))


def test_every_option_of_a_world_that_switches_a_rule_belongs_to_one() -> None:
    stated = {word.strip() for rule in RULES for word in rule.option.split(",")}
    others = {
        "timestep", "gravity", "filters_both", "solver_iterations", "solver_tolerance",
        "pile_tolerance", "limit_margin",
    }  # fmt: skip
    assert set(WorldOptions.__dataclass_fields__) - others <= stated


def test_the_page_of_rules_is_up_to_date() -> None:
    assert RULES_PAGE.read_text(encoding="utf-8") == rules_page()


def scene_of(
    kind: JointType = JointType.REVOLUTE,
    length: float = 1.0,
    body: BodyOptions | None = None,
    **options: object,
) -> Scene:
    box = Shape(ShapeKind.BOX, (0.2, 0.2, 0.2))
    inertial = Inertial(1.0, HERE, (0.01, 0.01, 0.01, 0.0, 0.0, 0.0))
    joint = Joint("j", kind, Pose((0.0, 0.0, 0.5)), axis_length=length)
    links = [
        Link("base", inertial=inertial, collisions=[box]),
        Link("arm", 0, joint, inertial=inertial, collisions=[box]),
    ]
    scene = Scene(WorldOptions(**options))  # pyright: ignore[reportArgumentType]
    scene.add(0, Asset("arm", links), body or BodyOptions())
    return scene


def held(**more: object) -> Scene:
    scene = scene_of()
    record = scene.add_constraint(ConstraintKind.POINT, (0, 0), None, HERE, HERE)
    for name, value in more.items():
        setattr(record, name, value)
    return scene


REFUSED: dict[str, Callable[[], Scene]] = {
    "BodyOptions.ball_drives": lambda: scene_of(
        JointType.SPHERICAL, body=BodyOptions(ball_drives=BallDefaults(0.2, 1.0, 1.0))
    ),
    "BodyOptions.scaled_axes": lambda: scene_of(length=2.0, body=BodyOptions(scaled_axes=True)),
    "ConstraintRecord.max_force, erp, axis": lambda: held(max_force=5.0),
    "contact_slop": lambda: scene_of(contact_slop=1e-4),
    "contact_reach": lambda: scene_of(contact_reach=0.02),
    "exact_slipping": lambda: scene_of(exact_slipping=True),
    "slip_by_mass, box_friction": lambda: scene_of(slip_by_mass=True),
    "point_by_point": lambda: scene_of(point_by_point=True),
    "bullet_pairs": lambda: scene_of(bullet_pairs=True),
    "anisotropic_friction": lambda: scene_of(anisotropic_friction=True),
    "moving_surfaces": lambda: scene_of(moving_surfaces=True),
}


def test_every_rule_without_a_twin_is_tried() -> None:
    assert {rule.option for rule in RULES if not rule.warp} == set(REFUSED)


@pytest.mark.parametrize("option", REFUSED)
def test_worlds_on_a_warp_device_refuse_a_rule_that_they_do_not_have(option: str) -> None:
    pytest.importorskip("mujoco_warp")
    rule = next(rule for rule in RULES if rule.option == option)
    with pytest.raises(NotSupportedError) as raised:
        make_worlds(REFUSED[option](), 2, device=DEVICE)
    message = str(raised.value)
    assert all(part in message for part in (rule.name, option, DEVICE, '"cpu"'))
    assert make_worlds(REFUSED[option](), 2, device="cpu").count == 2


def test_springs_are_not_taken_for_constraints_that_are_refused() -> None:
    pytest.importorskip("mujoco_warp")
    scene = held(spring=Spring(stiffness=10.0, damping=1.0))
    assert make_worlds(scene, 2, device=DEVICE).count == 2
