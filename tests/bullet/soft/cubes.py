"""Files of solids to deform."""

from __future__ import annotations

from pathlib import Path

import numpy as np


def cube_of_tetrahedra(folder: Path, cells: int, side: float) -> str:
    """A cube of tetrahedra, six in each cell, as a .vtk file."""
    count = cells + 1
    points = [
        (i * side / cells, j * side / cells, k * side / cells)
        for i in range(count) for j in range(count) for k in range(count)
    ]  # fmt: skip
    number = {(i, j, k): (i * count + j) * count + k
              for i in range(count) for j in range(count) for k in range(count)}  # fmt: skip
    ways = [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)]
    cells_found: list[list[int]] = []
    for start in np.ndindex(cells, cells, cells):
        for way in ways:
            at = list(start)
            corners = [number[tuple(at)]]
            for axis in way:
                at[axis] += 1
                corners.append(number[tuple(at)])
            if way in ((0, 2, 1), (1, 0, 2), (2, 1, 0)):  # turn those that are inside out
                corners[1], corners[2] = corners[2], corners[1]
            cells_found.append(corners)
    lines = ["# vtk DataFile Version 2.0", "cube", "ASCII", "DATASET UNSTRUCTURED_GRID"]
    lines += [f"POINTS {len(points)} double", *(f"{x} {y} {z}" for x, y, z in points)]
    lines += [f"CELLS {len(cells_found)} {5 * len(cells_found)}"]
    lines += [f"4 {a} {b} {c} {d}" for a, b, c, d in cells_found]
    lines += [f"CELL_TYPES {len(cells_found)}", *("10" for _ in cells_found)]
    file = folder / "cube.vtk"
    file.write_text("\n".join(lines) + "\n")
    return str(file)
