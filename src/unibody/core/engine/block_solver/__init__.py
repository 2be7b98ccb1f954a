"""MuJoCo's constraint problem, solved by Newton's method on dense blocks.

The same convex problem as ``mj_fwdConstraint`` solves, over the same rows, for models whose
Jacobian is sparse: many bodies. MuJoCo's factorisation goes number by number; here the degrees of
freedom are cut into blocks of up to six (a free body is one), and a product of two blocks takes
the processor seven nanoseconds.

| module | holds |
|---|---|
| `stage` | the last stages of a step: what a world calls |
| `newton` | the method, island by island |
| `problem` | blocks, groups of rows, islands of a step |
| `state` | where the method is: acceleration, forces, gradient |
| `rules` | cost, force and curvature of a group of rows |
| `search` | the least cost along a direction |
| `factor`, `elimination` | the Newton matrix: put together, ordered, factorised |
| `vectors`, `memory` | instructions on blocks; memory of a solve |
"""
