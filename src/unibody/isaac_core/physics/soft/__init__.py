"""Cloth and deformable bodies of a stage.

| module | holds |
|---|---|
| `reading` | meshes of the stage as particles and elements |
| `prims` | those of a scene: their states, and what the stage shows of them |
"""
