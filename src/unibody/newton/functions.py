"""Functions that scripts know as ``newton.utils``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from unibody.errors import NotSupportedError
from unibody.newton import assets, mesh_adjacency
from unibody.newton.cables import (
    create_cable_stiffness_from_elastic_moduli,
    create_parallel_transport_cable_quaternions,
    create_straight_cable_points,
    create_straight_cable_points_and_quaternions,
)
from unibody.newton.dialect import is_after_first_of_1
from unibody.newton.heightfield import rasterize_mesh_to_heightfield
from unibody.newton.vectors import (
    boltzmann,
    leaky_max,
    leaky_min,
    quat_between_axes,
    quat_between_vectors_robust,
    quat_twist,
    quat_twist_angle,
    smooth_max,
    smooth_min,
    transform_twist,
    transform_wrench,
    vec_abs,
    vec_allclose,
    vec_inside_limits,
    vec_leaky_max,
    vec_leaky_min,
    vec_max,
    vec_min,
    velocity_at_point,
)

__all__ = [
    "boltzmann",
    "bourke_color_map",
    "create_cable_stiffness_from_elastic_moduli",
    "create_parallel_transport_cable_quaternions",
    "create_straight_cable_points",
    "create_straight_cable_points_and_quaternions",
    "download_asset",
    "download_git_folder",
    "leaky_max",
    "leaky_min",
    "parse_mjcf",
    "parse_urdf",
    "parse_usd",
    "quat_between_axes",
    "quat_between_vectors_robust",
    "quat_twist",
    "quat_twist_angle",
    "rasterize_mesh_to_heightfield",
    "smooth_max",
    "smooth_min",
    "transform_twist",
    "transform_wrench",
    "vec_abs",
    "vec_allclose",
    "vec_inside_limits",
    "vec_leaky_max",
    "vec_leaky_min",
    "vec_max",
    "vec_min",
    "velocity_at_point",
]

_ABSENT = {
    "EventTracer": "`warp.ScopedTimer` measures parts of a script",
    "MeshAdjacency": "ModelBuilder.add_cloth_mesh finds the edges of a mesh",
    "color_graph": "ModelBuilder.color colors particles and bodies",
    "compute_world_offsets": "ModelBuilder.replicate takes a spacing",
    "event_scope": "`warp.ScopedTimer` measures parts of a script",
    "load_texture": "pillow reads pictures",
    "normalize_texture": "pillow converts pictures",
    "plot_graph": "networkx draws graphs",
    "quat_decompose": "`warp.quat_to_rpy` gives three angles",
    "quat_from_euler": "`warp.quat_rpy` makes a quaternion of three angles",
    "quat_to_euler": "`warp.quat_to_euler` does the same",
    "quat_to_rpy": "`warp.quat_to_rpy` gives the same angles",
    "remesh_mesh": "trimesh simplifies meshes",
    "run_benchmark": "`warp.ScopedTimer` measures parts of a script",
    "solidify_mesh": "trimesh thickens surfaces",
    "string_to_warp": "the types of Warp take numbers",
}
"""Functions of the original that are not here -> the nearest that works."""


def bourke_color_map(low: float, high: float, v: float) -> list[float]:
    """The colour of a number: blue, cyan, green, yellow, red (Paul Bourke's ramp).

    Args:
        low: What is blue; less is, too.
        high: What is red; more is, too.
        v: The number.

    Returns:
        Red, green and blue, from 0 to 1.
    """
    knots = np.linspace(low, high, 5)
    ramps = ((0, 0, 0, 1, 1), (0, 1, 1, 1, 0), (1, 1, 0, 0, 0))
    return [float(np.interp(v, knots, ramp)) for ramp in ramps]


def parse_urdf(urdf_filename: Any, builder: Any, **options: Any) -> None:
    """Add what a URDF file holds; see `ModelBuilder.add_urdf`."""
    builder.add_urdf(urdf_filename, **options)


def parse_mjcf(mjcf_filename_or_string: Any, builder: Any, **options: Any) -> None:
    """Add what an MJCF file holds; see `ModelBuilder.add_mjcf`."""
    builder.add_mjcf(mjcf_filename_or_string, **options)


def parse_usd(source: Any, builder: Any, **options: Any) -> Any:
    """Add what a USD stage holds; see `ModelBuilder.add_usd`."""
    return builder.add_usd(source, **options)


def download_asset(
    asset_folder: str, cache_dir: Any = None, force_refresh: bool = False, ref: str | None = None
) -> Path:
    """The place of a folder of the repository ``newton-assets``, if it is on this machine.

    Args:
        asset_folder: Path in the repository.
        cache_dir: Where an installed Newton keeps what it has downloaded; None: its usual place.
        force_refresh: Whether it shall be downloaded anew: refused.
        ref: Revision that is wanted: refused, what lies there is taken.

    Raises:
        NotSupportedError: It is not on this machine; nothing is downloaded.
    """
    return download_git_folder(assets.REPOSITORY, asset_folder, cache_dir, ref, force_refresh)


def download_git_folder(
    git_url: str,
    folder_path: str,
    cache_dir: Any = None,
    ref: str | None = None,
    force_refresh: bool = False,
) -> Path:
    """The place of a folder of a repository, if it is on this machine; see `download_asset`."""
    if force_refresh or ref not in (None, "main"):
        asked = "force_refresh=True" if force_refresh else f"ref={ref!r}"
        raise NotSupportedError(
            f"downloading {folder_path!r} with {asked}", "without it, what lies there is taken"
        )
    return assets.find(git_url, folder_path, cache_dir)


def __getattr__(name: str) -> Any:
    if name.startswith("MeshAdjacency") and is_after_first_of_1():
        return getattr(mesh_adjacency, name)
    if name in _ABSENT:
        raise NotSupportedError(f"newton.utils.{name}", _ABSENT[name])
    raise AttributeError(f"module 'newton.utils' has no attribute {name!r}")
