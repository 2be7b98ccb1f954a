"""What selections read and write, by name: where it lies and how it becomes effective."""

from __future__ import annotations

from typing import NamedTuple

from unibody.core.batch.layout import POSITIONS, STATE_WIDTH, VELOCITIES, Control


class Field(NamedTuple):
    """A quantity of actors, bodies, degrees of freedom or shapes.

    Attributes:
        array: Name of the array of the buffers, or of the table.
        first: Its first column.
        width: Number of columns; 0: the array is a vector.
        record: Its name in the table; "": the array is no table.
        tail: Shape of one value.
        fresh: The method of the batch that brings the array up to date; "": it always is.
        parts: Bits of what is written with it, of a state.
        control: The bit of ``Control`` that it is, of a control.
        written: It can be written.
    """

    array: str
    first: int = 0
    width: int = 0
    record: str = ""
    tail: tuple[int, ...] = ()
    fresh: str = ""
    parts: int = 0
    control: int = 0
    written: bool = True


def _state(array: str, fresh: str, *, written: bool) -> dict[str, Field]:
    spans = {
        "states": (0, STATE_WIDTH, POSITIONS | VELOCITIES),
        "poses": (0, 7, POSITIONS | VELOCITIES),  # velocities are kept, in the world's axes
        "velocities": (7, 6, VELOCITIES),
    }
    return {
        name: Field(array, at, width, tail=(width,), fresh=fresh, parts=parts, written=written)
        for name, (at, width, parts) in spans.items()
    }


def _property(table: str, record: str, tail: tuple[int, ...] = ()) -> Field:
    return Field(table, record=record, tail=tail)


ACTOR_FIELDS = _state("roots", "read_roots", written=True)
BODY_FIELDS = {
    **_state("bodies", "read_bodies", written=False),
    "contact_forces": Field("contacts", 0, 3, tail=(3,), fresh="read_step_contacts", written=False),
    "masses": _property("body_table", "mass"),
    "mass_centres": _property("body_table", "com", (3,)),
    "inertias": _property("body_table", "inertia", (3, 3)),
}
DOF_FIELDS = {
    "positions": Field("dofs", 0, 1, fresh="read_dofs", parts=POSITIONS),
    "velocities": Field("dofs", 1, 1, fresh="read_dofs", parts=VELOCITIES),
    "position_targets": Field("position_targets", control=Control.POSITION),
    "velocity_targets": Field("velocity_targets", control=Control.VELOCITY),
    "efforts": Field("efforts", control=Control.EFFORT),
    "forces": Field("dof_forces", fresh="read_step_dof_forces", written=False),
    **{
        name: _property("dof_table", record)
        for name, record in {
            "stiffnesses": "stiffness",
            "dampings": "damping",
            "max_efforts": "effort",
            "max_speeds": "speed",
            "lower_limits": "lower",
            "upper_limits": "upper",
            "frictions": "friction",
            "armatures": "armature",
        }.items()
    },
}
SHAPE_FIELDS = {
    "frictions": _property("surface_table", "friction"),
    "restitutions": _property("surface_table", "restitution"),
}
FIELDS = {"actor": ACTOR_FIELDS, "body": BODY_FIELDS, "dof": DOF_FIELDS, "shape": SHAPE_FIELDS}
