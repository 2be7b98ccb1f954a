"""Which articulations rows of MuJoCo's attributes belong to."""

from __future__ import annotations

from typing import Any


def of_wraps(builder: Any) -> list[int]:
    """The articulation of each step of the paths of spatial tendons; -1: none.

    That of the body of a site or geom; that of the other steps of a tendon, where they have one
    alone, for a pulley.
    """
    known = builder.custom_attributes
    columns = {name: known[f"mujoco:tendon_wrap_{name}"] for name in ("shape", "adr", "num")}
    shapes = [-1 if v is None else int(v) for v in columns["shape"].values or ()]
    of_body = dict(zip(builder.joint_child, builder.joint_articulation, strict=True))
    owners = [of_body.get(builder.shape_body[shape], -1) if shape >= 0 else -1 for shape in shapes]
    spans = zip(columns["adr"].values or (), columns["num"].values or (), strict=True)
    for first, count in spans:
        rows = range(int(first or 0), int(first or 0) + int(count or 0))
        if rows.stop > len(owners):
            continue  # the solver leaves such a tendon out and warns of it
        found = {owners[row] for row in rows if owners[row] >= 0}
        for row in rows if len(found) == 1 else ():
            if shapes[row] < 0:
                owners[row] = next(iter(found))
    return owners
