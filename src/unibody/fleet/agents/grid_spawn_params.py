"""Cells of a grid that objects are spawned in."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from unibody.errors import InvalidArgumentError
from unibody.fleet.parameters.yaml_reader import refuse

MOST_CELLS = 10_000_000  # of a grid


@dataclass
class GridSpawnParams:
    """Cells of a grid, both ends included.

    Attributes:
        x_min: First cell along x.
        x_max: Last cell along x.
        y_min: First cell along y.
        y_max: Last cell along y.
        spacing: Between cells [m].
        offset: Of cell 0 [m].
        z_min: First cell along z.
        z_max: Last cell along z.
    """

    x_min: int
    x_max: int
    y_min: int
    y_max: int
    spacing: list[float]
    offset: list[float]
    z_min: int = 0
    z_max: int = 0

    @property
    def total_cells(self) -> int:
        """Number of cells."""
        columns, rows = self.x_max - self.x_min + 1, self.y_max - self.y_min + 1
        return columns * rows * (self.z_max - self.z_min + 1)

    def check(self, count: int) -> None:
        """See that its numbers are such, and not so many places that no memory holds them.

        Raises:
            TypeError: A value of another kind.
            ValueError: A number that is not finite, or too many places.
        """
        ends = (self.x_min, self.x_max, self.y_min, self.y_max, self.z_min, self.z_max)
        if not all(isinstance(value, int) for value in (count, *ends)):
            raise TypeError(f"count={count!r} and the ends of a grid are whole numbers")
        for name, values in (("spacing", self.spacing), ("offset", self.offset)):
            if len(values) != 3 or not all(math.isfinite(value) for value in values):
                raise ValueError(f"{name}={values!r} is not allowed: expected 3 finite numbers")
        if self.total_cells > MOST_CELLS or count > MOST_CELLS:
            wanted = max(self.total_cells, count)
            raise ValueError(f"{wanted} places in a grid, at most {MOST_CELLS} are allowed")

    @classmethod
    def from_dict(cls, config: dict[str, Any]) -> GridSpawnParams:
        """Make one from a dictionary: the ends along each axis, or ``count`` and ``columns``."""
        if "count" in config:
            if "spacing" not in config:
                refuse(
                    config, "count", "a grid with a count needs spacing: [x, y] or [x, y, z] in m"
                )
            spacing = list(config["spacing"])
            return cls.from_count(
                config["count"],
                config.get("columns"),
                [*spacing, 0.0] if len(spacing) == 2 else spacing,
                list(config.get("offset", [0.0, 0.0, 0.0])),
            )
        needed = ("x_min", "x_max", "y_min", "y_max", "spacing", "offset")
        missing = [name for name in needed if name not in config]
        if missing:
            refuse(config, None, f"a grid needs {', '.join(needed)}, or count; missing: {missing}")
        return cls(
            **{name: config[name] for name in needed},
            z_min=config.get("z_min", 0),
            z_max=config.get("z_max", 0),
        )

    @classmethod
    def from_count(
        cls,
        count: int,
        columns: int | None = None,
        spacing: list[float] | None = None,
        offset: list[float] | None = None,
    ) -> GridSpawnParams:
        """A grid with room for ``count`` objects, as square as it gets if no columns are given."""
        for name, value in (("count", count), ("columns", columns)):
            if value is not None and not 1 <= value <= MOST_CELLS:
                raise InvalidArgumentError(name, value, f"1 to {MOST_CELLS}")
        wide = math.ceil(math.sqrt(count)) if columns is None else columns
        return cls(
            x_min=0,
            x_max=wide - 1,
            y_min=0,
            y_max=math.ceil(count / wide) - 1,
            spacing=[1.0, 1.0, 0.0] if spacing is None else spacing,
            offset=[0.0, 0.0, 0.0] if offset is None else offset,
        )

    def cells(self) -> list[list[int]]:
        """All cells, x fastest.

        Raises:
            InvalidArgumentError: There are too many.
        """
        if self.total_cells > MOST_CELLS:
            raise InvalidArgumentError("grid", self, f"a grid of at most {MOST_CELLS} cells")
        return [
            [x, y, z]
            for z in range(self.z_min, self.z_max + 1)
            for y in range(self.y_min, self.y_max + 1)
            for x in range(self.x_min, self.x_max + 1)
        ]
