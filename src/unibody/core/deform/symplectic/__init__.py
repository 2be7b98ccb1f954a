"""Symplectic Euler steps of springs and tetrahedra that are soft for the time step.

Elements act with the forces of the beginning of a step, all at once, so that a step costs one look
at each of them, loses no energy but to damping, and comes where PyBullet's deformable world does.
Contacts are implicit: each particle, or what touches one another, goes to the minimum of inertia
and contacts. Where elements are too stiff for that, a step is one of vertex block descent.

| module | holds |
|---|---|
| `forces` | elements and what they exert |
| `settle` | a particle among its contacts |
| `pairs` | surfaces that touch, as planes for the length of a step |
| `advance` | a step in compiled code |
| `solver` | a step |
"""
