"""Scenes written for Newton's API, in what both dialects have in common."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import warp as wp

LEVEL = (0.0, 0.0, 0.0, 1.0)
_LEGS = 4


class Scene(NamedTuple):
    """One piece of work.

    Attributes:
        title: What it is, in words.
        build: Makes the builder, from the module ``newton`` and how many worlds.
        solvers: Names of solvers, and the arguments of each.
        dt: Time step [s].
        worlds: How many worlds.
        collides: Whether contacts are found before each step.
        settles: Steps before it is measured.
        dialect: Of unibody's side: what newton 1.8 does is that of "1" alone.
        vertices: How many vertices there are, where it is told how work grows with them.
    """

    title: str
    build: Callable[[Any, int], Any]
    solvers: dict[str, dict[str, Any]]
    dt: float
    worlds: int = 1
    collides: bool = True
    settles: int = 30
    dialect: str = "0.2"
    vertices: int = 0


def boxes(newton: Any, count: int) -> Any:
    """A hundred boxes that fall into a heap."""
    builder = newton.ModelBuilder()
    builder.add_ground_plane()
    for n in range(100 * count):
        x, y, z = n % 5, (n // 5) % 5, n // 25
        body = builder.add_body(xform=((0.45 * x + 0.05 * (z % 3), 0.45 * y, 0.4 + 0.5 * z), LEVEL))
        builder.add_shape_box(body, hx=0.2, hy=0.2, hz=0.2)
    return builder


def ant(newton: Any) -> Any:
    """A torso of 0.25 m and four legs of two driven links."""
    builder = newton.ModelBuilder()
    torso = builder.add_link(xform=((0.0, 0.0, 0.6), LEVEL))
    builder.add_shape_sphere(torso, radius=0.25)
    joints = [builder.add_joint_free(child=torso)]
    for leg in range(_LEGS):
        angle = 0.5 * math.pi * (leg + 0.5)
        turn = (0.0, 0.0, math.sin(0.5 * angle), math.cos(0.5 * angle))
        parent, at = torso, (0.25 * math.cos(angle), 0.25 * math.sin(angle), 0.0)
        for axis, low, high, length in (
            ((0.0, 0.0, 1.0), -0.5, 0.5, 0.28),
            ((0.0, 1.0, 0.0), 0.5, 1.2, 0.55),
        ):
            link = builder.add_link(xform=((*at[:2], 0.6), turn))
            along = (0.0, math.sin(0.25 * math.pi), 0.0, math.cos(0.25 * math.pi))
            half = 0.5 * length
            builder.add_shape_capsule(
                link, xform=((half, 0.0, 0.0), along), radius=0.08, half_height=half
            )
            joints.append(
                builder.add_joint_revolute(
                    parent=parent, child=link, parent_xform=(at, turn if parent == torso else
                    LEVEL), child_xform=((0.0, 0.0, 0.0), LEVEL), axis=axis, limit_lower=low,
                    limit_upper=high, target_ke=20.0, target_kd=1.0, armature=0.01,
                )
            )  # fmt: skip
            parent, at = link, (length, 0.0, 0.0)
    builder.add_articulation(joints)
    return builder


def ants(newton: Any, count: int) -> Any:
    """Ants, each in a world of its own, on one ground."""
    builder = newton.ModelBuilder()
    builder.replicate(ant(newton), count)
    builder.add_ground_plane()
    return builder


def cloth(newton: Any, cells: int) -> Any:
    """A square of cloth of 2 m that hangs from one edge."""
    builder = newton.ModelBuilder()
    builder.add_cloth_grid(
        pos=wp.vec3(0.0, 0.0, 4.0), rot=wp.quat_identity(), vel=wp.vec3(), dim_x=cells, dim_y=cells,
        cell_x=2.0 / cells, cell_y=2.0 / cells, mass=2.0 / cells**2, fix_left=True, tri_ke=1e3,
        tri_ka=1e3, tri_kd=1e-4, edge_ke=1e-2, edge_kd=1e-4, particle_radius=0.01,
    )  # fmt: skip
    builder.color()
    return builder


def cloths(newton: Any, count: int) -> Any:
    """Cloths of 16 by 16 cells, each in a world of its own."""
    builder = newton.ModelBuilder()
    builder.replicate(cloth(newton, 16), count)
    return builder


def soft(newton: Any, cells: int) -> Any:
    """A soft cube of 1 m that hangs from one face."""
    builder = newton.ModelBuilder()
    builder.add_soft_grid(
        pos=wp.vec3(0.0, 0.0, 1.0), rot=wp.quat_identity(), vel=wp.vec3(), dim_x=cells, dim_y=cells,
        dim_z=cells, cell_x=1.0 / cells, cell_y=1.0 / cells, cell_z=1.0 / cells, density=500.0,
        fix_left=True, k_mu=5e4, k_lambda=1e5, k_damp=1e-4,
    )  # fmt: skip
    builder.color()
    return builder


def sprung_cloth(newton: Any, cells: int) -> Any:
    """The cloth of Newton's example for SolverXPBD: springs along, across and over its cells."""
    builder = newton.ModelBuilder()
    builder.add_cloth_grid(
        pos=wp.vec3(0.0, 0.0, 4.0), rot=wp.quat_identity(), vel=wp.vec3(), dim_x=cells, dim_y=cells,
        cell_x=0.1, cell_y=0.1, mass=0.1, fix_left=True, edge_ke=1.0, edge_kd=0.0,
        add_springs=True, spring_ke=1e3, spring_kd=0.0, particle_radius=0.03,
    )  # fmt: skip
    return builder


def heap(newton: Any, side: int) -> Any:
    """A block of particles of 2 cm, ten layers high, that spreads on the ground."""
    builder = newton.ModelBuilder()
    builder.add_ground_plane()
    builder.add_particle_grid(
        pos=wp.vec3(0.0, 0.0, 0.02), rot=wp.quat_identity(), vel=wp.vec3(), dim_x=side, dim_y=side,
        dim_z=10, cell_x=0.02, cell_y=0.02, cell_z=0.02, mass=0.01, jitter=0.002,
        radius_mean=0.01,
    )  # fmt: skip
    return builder


def rod(newton: Any, segments: int) -> Any:
    """A cable of 10 m that hangs from one end; its arguments are others in later releases."""
    builder = newton.ModelBuilder()
    stiff = {"stretch_stiffness": 1e6, "bend_stiffness": 10.0, "bend_damping": 1.0}
    if "rod" in inspect.signature(builder.add_rod).parameters:
        line = newton.Rod.create_straight(
            (0.0, 0.0, 12.0), (1.0, 0.0, 0.0), 10.0, segment_count=segments, radius=0.02
        )
        stiff |= {"shear_stiffness": 1e6, "twist_stiffness": 10.0, "twist_damping": 1.0}
        bodies, _ = builder.add_rod(rod=line, **stiff)
    else:
        points = [wp.vec3(10.0 * n / segments, 0.0, 12.0) for n in range(segments + 1)]
        bodies, _ = builder.add_rod(points, radius=0.02, **stiff)
    builder.body_mass[bodies[0]] = builder.body_inv_mass[bodies[0]] = 0.0
    builder.body_inertia[bodies[0]] = builder.body_inv_inertia[bodies[0]] = wp.mat33()
    builder.color()
    return builder


_RIGID = {"SolverMuJoCo": {}, "SolverXPBD": {}}
_VBD = {"SolverVBD": {"iterations": 10}}
_XPBD = {"SolverXPBD": {"iterations": 10}}
_EXPLICIT = {"SolverSemiImplicit": {}}


def _cloth(cells: int) -> Scene:
    title = f"cloth of {cells} by {cells} cells"
    return Scene(title, cloth, _VBD, 1.0 / 600.0, cells, collides=False, vertices=(cells + 1) ** 2)


SCENES: dict[str, Scene] = {
    "boxes-100": Scene("100 boxes on the ground", boxes, _RIGID, 1.0 / 240.0, settles=240),
    "ant-1": Scene("an ant", ants, {"SolverMuJoCo": {}}, 1.0 / 240.0),
    "ant-64": Scene("64 ants", ants, {"SolverMuJoCo": {}}, 1.0 / 240.0, 64),
    "ant-1024": Scene("1024 ants", ants, {"SolverMuJoCo": {}}, 1.0 / 240.0, 1024),
    "cloth-32": _cloth(32),
    "cloth-64": _cloth(64),
    "cloth-128": _cloth(128),
    "cloths-64": Scene(
        "64 worlds with a cloth of 16 by 16 cells", cloths, _VBD, 1.0 / 600.0, 64, collides=False
    ),
    "soft-16": Scene("a soft cube of 16 cells a side", soft, _VBD, 1.0 / 600.0, 16, collides=False),
    "sprung-64": Scene(
        "cloth of springs, 64 by 64 cells", sprung_cloth, _XPBD, 1.0 / 600.0, 64, collides=False
    ),
    "explicit-cloth-64": Scene(
        "cloth of 64 by 64 cells", cloth, _EXPLICIT, 1e-4, 64, collides=False, settles=2
    ),
    "explicit-soft-16": Scene(
        "a soft cube of 16 cells a side", soft, _EXPLICIT, 1e-4, 16, collides=False, settles=2
    ),
    "particles-20k": Scene(
        "20 000 particles on the ground", heap, {"SolverXPBD": {}}, 1.0 / 240.0, 45
    ),
    "particles-100k": Scene(
        "100 000 particles on the ground", heap, {"SolverXPBD": {}}, 1.0 / 240.0, 100
    ),
    "rod-100": Scene("a cable of 100 segments", rod, _VBD, 1.0 / 240.0, 100, collides=False),
    "rod-100-later": Scene(
        "a cable of 100 segments, dialect of 1.x",
        rod,
        _VBD,
        1.0 / 240.0,
        100,
        collides=False,
        dialect="1",
    ),
}
"""By name; the builder of deformable scenes takes cells instead of worlds."""
