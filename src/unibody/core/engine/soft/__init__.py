"""Deformable bodies in a world of rigid ones: each feels the other.

| module | holds |
|---|---|
| `shape_distance` | how far a point is from a shape, compiled |
| `shapes` | the shapes of a compiled model as arrays |
| `touch` | which particles touch which shapes, compiled |
| `coupling` | what particles and rigid bodies exert on one another |
| `sticking` | how far particles have slid, which friction remembers |
| `touches` | what particles touched, for those who ask |
| `near` | which particles are near the shapes of a body |
| `solids` | elements of solids from their materials, as stiff as steps allow |
| `position_based` | soft bodies of one world that links hold together |
| `position_contacts` | what their particles touch of shapes, compiled |
| `position_sides` | what their particles touch of one another's faces, compiled |
| `pushed_bodies` | rigid bodies that get impulses between two steps |
| `bodies` | soft bodies of one world: their particles, anchors and steps |
"""
