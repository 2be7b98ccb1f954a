"""Vertex block descent (Chen et al. 2024): implicit Euler steps, one vertex at a time.

A step minimises the inertia's energy and that of all elements. Each vertex goes to the minimum of
the quadratic that gradient and second derivative describe there, its neighbours held; vertices of
one color at the same time, color after color, so many times over.

| module | holds |
|---|---|
| `lanes` | how numbers lie in memory for vectorised loops |
| `springs`, `membrane`, `bending`, `tetrahedra` | gradient and second derivative of the elements |
| `tiles` | vertices of a color and their elements, packed |
| `sweep` | one time over all colors |
| `threads` | threads that do a search together |
| `advance` | where a search begins, and what comes of it |
| `solver` | a step |
"""
