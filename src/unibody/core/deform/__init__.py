"""Deformable bodies: particles held together by springs, triangles, edges and tetrahedra.

| module | holds |
|---|---|
| `tables` | what a body consists of, checked |
| `topology` | edges between triangles, surfaces of tetrahedra |
| `coloring` | vertices that may move at the same time |
| `vbd` | vertex block descent: the implicit solver |
| `pbd` | position based dynamics of links, as in Bullet's soft bodies |
| `xpbd` | extended position based dynamics: corrections element by element |
"""
