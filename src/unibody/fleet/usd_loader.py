"""Surroundings from OpenUSD: not here yet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn

from unibody.errors import NotSupportedError


@dataclass(frozen=True)
class UsdImportDiagnostic:
    """Something an import found out."""

    severity: str
    prim_path: str
    message: str


@dataclass(frozen=True)
class UsdImportOptions:
    """How a stage would be imported.

    Attributes:
        collision: Take collision shapes.
        collision_required: Refuse stages without them.
        include_invisible: Take what is hidden.
        include_point_instances: Take the instances of point instancers.
        point_instance_warning: Warn from so many instances on.
        max_point_instances: Refuse more.
        max_collision_triangles_per_mesh: The same for triangles of a mesh.
        max_collision_triangles_total: The same for all together.
        texture_brightness: Factor on colours.
    """

    collision: bool = True
    collision_required: bool = False
    include_invisible: bool = False
    include_point_instances: bool = True
    point_instance_warning: int = 1_000
    max_point_instances: int = 5_000
    max_collision_triangles_per_mesh: int = 50_000
    max_collision_triangles_total: int = 500_000
    texture_brightness: float = 1.0


@dataclass(frozen=True)
class UsdImportReport:
    """What an import did."""

    diagnostics: tuple[UsdImportDiagnostic, ...] = ()


def load_usd_world(path: str, sim_core: Any = None, **options: Any) -> NoReturn:
    """Import a stage.

    Raises:
        NotSupportedError: Always.
    """
    raise NotSupportedError(
        f"load_usd_world({path!r})", "export the stage as meshes and use load_mesh_directory"
    )
