"""The rules of the engines that surfaces speak for, under their names.

A surface picks a dialect. Worlds and bodies begin with its options, and with what a script states;
what a script changes later is changed in the options of its world, never in the dialect.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, Final, TypeVar

from unibody.core.engine.records.options import BodyOptions, SelfCollision, WorldOptions
from unibody.core.engine.records.rule_table import FrictionRule

__all__ = ["BULLET", "BULLET_FLEET", "DIALECTS", "PHYSX", "Dialect"]

T = TypeVar("T", WorldOptions, BodyOptions)


@dataclass(frozen=True)
class Dialect:
    """How worlds and bodies of one engine behave.

    Attributes:
        name: Of the dialect.
        world: Options of a world that says nothing; nobody may change them.
        body: Options of a body that says nothing; likewise.
    """

    name: str
    world: WorldOptions
    body: BodyOptions = field(default_factory=BodyOptions)

    def world_options(self, **stated: Any) -> WorldOptions:
        """New options of a world; ``stated`` are fields of ``WorldOptions``."""
        return WorldOptions(**{**self._of_worlds, **stated})

    def body_options(self, **stated: Any) -> BodyOptions:
        """New options of a body; ``stated`` are fields of ``BodyOptions``."""
        if "drives" not in stated:
            stated["drives"] = replace(self.body.drives)
        return BodyOptions(**{**self._of_bodies, **stated})

    @cached_property
    def _of_worlds(self) -> dict[str, Any]:
        return _stated(self.world, WorldOptions())

    @cached_property
    def _of_bodies(self) -> dict[str, Any]:
        return _stated(self.body, BodyOptions())


def _stated(options: T, plain: T) -> dict[str, Any]:
    """What options have otherwise than by default, by field.

    New ones are made from it in a tenth of the time of ``replace``, which looks at every field.
    """
    values = {each.name: getattr(options, each.name) for each in fields(plain)}
    return {name: value for name, value in values.items() if value != getattr(plain, name)}


_AT_LIMIT = 1e-9  # rad or m: Bullet's joint limits act once they are reached, not ahead

BULLET: Final = Dialect(
    "bullet",
    WorldOptions(
        contact_erp=0.08,  # PyBullet's, not Bullet's own 0.2
        contact_slop=1e-5,
        contact_reach=0.02,  # Bullet's contactBreakingThreshold
        limit_depth=0.04,  # Bullet holds a limit crossed further, but does not correct it
        limit_margin=_AT_LIMIT,
        filters_both=False,
        speed_limits=True,
        exact_slipping=True,
        slip_by_mass=True,
        point_by_point=True,
        bullet_pairs=True,
    ),
    BodyOptions(
        scaled_axes=True,
        moving_triangles=True,
        joint_friction=False,  # PyBullet reads joint friction and never applies it
    ),
)
"""Bullet as PyBullet sets it up."""

BULLET_FLEET: Final = Dialect(
    "bullet_fleet",
    WorldOptions(
        contact_erp=BULLET.world.contact_erp,
        limit_depth=BULLET.world.limit_depth,
        limit_margin=_AT_LIMIT,
        filters_both=False,
    ),
    BodyOptions(self_collision=SelfCollision.NONE, joint_friction=False),
)
"""Bullet for many robots on wheels: without what only matters where bodies slip and fall."""

PHYSX: Final = Dialect(
    "physx",
    WorldOptions(
        friction_rule=FrictionRule.AVERAGE,
        restitution_rule=FrictionRule.AVERAGE,
        report_forces=True,  # any of its tensors may be asked for after a step
        speed_limits=True,
        joint_loads=True,
        passing_corrections=True,
    ),
    BodyOptions(
        quadratic_damping=0.0,
        self_collision=SelfCollision.EXCLUDE_PARENT,
        friction=(1.0, 0.0, 0.0),
        vector_drives=True,
        joint_damping=False,
        joint_friction=False,
    ),
)
"""PhysX as Isaac Gym sets it up."""

DIALECTS: Final = {dialect.name: dialect for dialect in (BULLET, BULLET_FLEET, PHYSX)}
