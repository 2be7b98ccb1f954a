"""Dialects: the options that worlds and bodies of a surface begin with."""

from __future__ import annotations

import dataclasses
import sys

import pytest

import unibody.bullet as p
from unibody.bullet.clients.registry import clients
from unibody.core.engine.records.dialects import BULLET, BULLET_FLEET, DIALECTS, PHYSX, Dialect
from unibody.core.engine.records.options import BodyOptions, WorldOptions
from unibody.fleet.bodies.physics_world import close_physics_world, open_physics_world
from unibody.isaacgym.batch.simulation import world_options
from unibody.isaacgym.types.sim_params import SimParams

# What a world has beside its dialect: what a script states of every world.
_STATED = {"timestep", "gravity", "restitution_speed", "parting_speed", "joint_moves"}
_STATED |= {"joint_rounds"}


def _differing(options: WorldOptions, dialect: Dialect) -> set[str]:
    names = [field.name for field in dataclasses.fields(WorldOptions)]
    return {name for name in names if getattr(options, name) != getattr(dialect.world, name)}


def test_a_world_of_pybullet_speaks_bullet() -> None:
    client = p.connect(p.DIRECT)
    try:
        assert _differing(clients[client].scene.options, BULLET) <= _STATED
    finally:
        p.disconnect(client)


def test_a_world_of_the_fleet_speaks_bullets_for_fleets() -> None:
    physics_world = open_physics_world(0.01, -9.81)
    try:
        assert _differing(physics_world.session.scene.options, BULLET_FLEET) <= _STATED
    finally:
        close_physics_world(physics_world)


def test_a_world_of_isaac_gym_speaks_physx() -> None:
    assert _differing(world_options(SimParams()), PHYSX) <= _STATED


@pytest.mark.parametrize("name", DIALECTS)
def test_what_one_world_changes_is_not_changed_in_the_next(name: str) -> None:
    dialect = DIALECTS[name]
    before = dataclasses.astuple(dialect.world), dataclasses.astuple(dialect.body)
    world, body = dialect.world_options(timestep=0.5), dialect.body_options(group=8)
    assert (world.timestep, body.group) == (0.5, 8)
    world.contact_erp, body.restitution, body.drives.kp = 0.7, 0.9, 3.0
    assert (dataclasses.astuple(dialect.world), dataclasses.astuple(dialect.body)) == before


def test_a_dialect_can_be_changed_by_nobody() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        BULLET.name = "other"  # pyright: ignore[reportAttributeAccessIssue]


def test_an_option_that_there_is_not_is_refused() -> None:
    with pytest.raises(TypeError, match="softness"):
        BULLET.world_options(softness=1.0)
    assert isinstance(BULLET.body_options(), BodyOptions)


@pytest.mark.parametrize("name", DIALECTS)
def test_options_are_made_without_a_look_at_every_field(name: str) -> None:
    dialect = DIALECTS[name]
    dialect.world_options(), dialect.body_options()  # what is worked out once
    events: list[str] = []
    sys.setprofile(lambda frame, event, argument: events.append(event))
    try:
        dialect.world_options(timestep=0.5)
        dialect.body_options(group=8)
    finally:
        sys.setprofile(None)
    # two calls, two constructors, and what these make anew: drives and a pose; `replace` has a call
    # for each of the fifty fields
    assert sum(event in ("call", "c_call") for event in events) <= 20


def test_options_that_say_nothing_are_those_of_the_dialect() -> None:
    for dialect in DIALECTS.values():
        assert dialect.world_options() == dialect.world
        assert dialect.body_options() == dialect.body
