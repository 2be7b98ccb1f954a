"""Surroundings from OpenUSD: not here yet."""

from __future__ import annotations

from dataclasses import dataclass, field
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
    """How a stage is imported."""

    options: dict[str, Any] = field(default_factory=dict)


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
