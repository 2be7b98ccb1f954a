"""Blocks of tetrahedra and sheets of triangles, for tests."""

from __future__ import annotations

from typing import Any

import numpy as np

_EVEN = ((0, 4, 2, 1), (6, 4, 2, 7), (5, 4, 1, 7), (3, 2, 1, 7), (4, 2, 1, 7))
_ODD = ((4, 0, 6, 5), (2, 0, 6, 3), (1, 0, 5, 3), (7, 6, 5, 3), (0, 6, 5, 3))


def block(cells: tuple[int, int, int], size: tuple[float, float, float]) -> tuple[Any, Any]:
    """A box cut into cells of five tetrahedra.

    Args:
        cells: Along each axis.
        size: m.

    Returns:
        Points (p, 3) [m] and tetrahedra (n, 4).
    """
    axes = [np.linspace(0.0, s, n + 1) for n, s in zip(cells, size, strict=True)]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    shape = tuple(n + 1 for n in cells)
    found = []
    for cell in np.ndindex(*cells):
        corners = [
            np.ravel_multi_index([c + d for c, d in zip(cell, at, strict=True)], shape)
            for at in np.ndindex(2, 2, 2)
        ]
        found += [[corners[k] for k in four] for four in (_ODD if sum(cell) % 2 else _EVEN)]
    return points, np.array(found)


def sheet(cells: tuple[int, int], size: tuple[float, float]) -> tuple[Any, Any]:
    """A rectangle of two triangles a cell, in the plane z = 0.

    Args:
        cells: Along x and y.
        size: m.

    Returns:
        Points (p, 3) [m] and triangles (n, 3).
    """
    x, y = (np.linspace(0.0, s, n + 1) for n, s in zip(cells, size, strict=True))
    grid = np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1).reshape(-1, 2)
    points = np.concatenate([grid, np.zeros((len(grid), 1))], axis=1)
    i, j = (c.reshape(-1) for c in np.mgrid[0 : cells[0], 0 : cells[1]])
    v, row = i * (cells[1] + 1) + j, cells[1] + 1
    lower = np.stack([v, v + row, v + 1], axis=1)
    upper = np.stack([v + row, v + row + 1, v + 1], axis=1)
    return points, np.concatenate([lower, upper])


def shared_mass(count: int, corners: Any, each: Any) -> Any:
    """Masses of particles that elements give in equal parts to their corners.

    Args:
        count: Number of particles.
        corners: (n, k).
        each: Mass of each element, (n,) [kg].
    """
    masses = np.zeros(count)
    for column in corners.T:
        np.add.at(masses, column, each / corners.shape[1])
    return masses
