"""Surfaces that touch themselves or one another: which vertices, triangles and edges are near.

| module | holds |
|---|---|
| `closest` | closest points of triangles and edges |
| `grid` | things in the cells of a grid, by hash |
| `neighbors` | lists of pairs that may be near, kept over several steps |
| `search` | pairs in boxes, and which of them are near |
| `surface` | triangles and edges, what is near of them at a time, and what does not count |
"""
