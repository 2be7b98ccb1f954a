"""Prim: one prim of the stage or many, by their paths."""

from __future__ import annotations

from typing import Any

import numpy as np
from pxr import Sdf, Usd

from unibody.errors import InvalidArgumentError
from unibody.isaac_core import arrays, handles
from unibody.isaac_core.experimental import prim_functions as functions
from unibody.isaac_core.experimental.arguments import Array


class Prim:
    """Prims of given paths.

    Args:
        paths: Of prims that are there; patterns match level by level.
        resolve_paths: Whether the paths are patterns; else they are taken as they are.

    Raises:
        InvalidArgumentError: No prim has such a path.
    """

    def __init__(self, paths: str | list[str], *, resolve_paths: bool = True) -> None:
        found = [paths] if isinstance(paths, str) else list(paths)
        if resolve_paths:
            there, _ = self.resolve_paths(found)
            if not there:
                raise InvalidArgumentError("paths", paths, "paths of prims of the stage")
            found = there
        self._paths = found
        self._prims = [handles.prim_at(path) for path in found]

    def __len__(self) -> int:
        """How many prims there are."""
        return len(self._paths)

    @property
    def paths(self) -> list[str]:
        """Paths of the prims."""
        return self._paths

    @property
    def prims(self) -> list[Usd.Prim]:
        """The prims."""
        return self._prims

    @property
    def valid(self) -> bool:
        """Whether all prims are still on the stage."""
        return all(prim.IsValid() for prim in self._prims)

    @staticmethod
    def ensure_api(prims: list[Usd.Prim], api: type, *args: Any, **kwargs: Any) -> list[Any]:
        """Apply a schema to the prims that lack it.

        Returns:
            The schema of each prim.
        """
        return [functions.ensure_api(prim, api, *args, **kwargs) for prim in prims]

    @staticmethod
    def resolve_paths(
        paths: str | list[str], raise_on_mixed_paths: bool = True
    ) -> tuple[list[str], list[str]]:
        """Paths of prims that are there, and paths that are free.

        Raises:
            InvalidArgumentError: Some are there and some are free, or one is neither a pattern
                of a prim nor a path that a prim can have.
        """
        given = [paths] if isinstance(paths, str) else list(paths)
        there: list[str] = []
        free: list[str] = []
        wrong: list[str] = []
        for path in given:
            matching = functions.find_matching_prim_paths(path)
            if matching:
                there += matching
            else:
                (free if Sdf.Path.IsValidPathString(path) else wrong).append(path)
        if raise_on_mixed_paths and (wrong or (there and free)):
            allowed = "paths of prims that are all there, or all free"
            raise InvalidArgumentError("paths", (wrong or free)[0], allowed)
        return there, free

    def _rows(self, indices: Array) -> np.ndarray:
        return arrays.rows(indices, len(self))
