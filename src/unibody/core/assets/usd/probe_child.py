"""What the process that opens a stage first does; see ``probe``."""

from __future__ import annotations

import importlib
import json
import sys
from typing import Any

from unibody.core.assets.limits import Limits
from unibody.core.assets.paths import SearchPath
from unibody.core.assets.usd import layers, library
from unibody.core.assets.usd.probe import TOLD
from unibody.errors import AssetError, UnibodyError


def main() -> None:
    """What the child does: it reads the stage described on its standard input."""
    task = json.load(sys.stdin)
    _bound_memory(task["memory"])
    try:
        with library.reading(task["file"]):
            stage, _ = layers.open_stage(
                task["file"],
                search_path=SearchPath(tuple(task["directories"]), task["confined"]),
                limits=Limits(**task["limits"]),
                skip_missing=task["skip_missing"],
                isolate=False,
            )
            for layer in stage.GetUsedLayers():
                layer.ExportToString()
            physics = library.pxr().UsdPhysics
            load = getattr(physics, "UsdPhysicsLoadStageFromPrimRange", None)
            (load or physics.LoadUsdPhysicsFromRange)(stage, ["/"])
    except AssetError as error:
        print(json.dumps([TOLD, error.file, error.element, error.problem]))  # noqa: T201
    except UnibodyError:
        return  # the parent finds the same


def _bound_memory(limit: int) -> None:
    try:
        resource: Any = importlib.import_module("resource")
    except ImportError:  # Windows
        return
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]  # which only the system's owner may raise
    limit = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
