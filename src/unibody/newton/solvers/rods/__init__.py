"""Rounds of SolverVBD over bodies that rods, cables, fixed and ball joints hold, many at once.

A tile holds `lanes.WIDTH` bodies of one color, and compiled code does the same to all of them in
one instruction. `rounds` says which models have such rounds, `packing` which lane does what,
`rows` what joints ask for, and `sweep` moves bodies; all other models keep the kernels of
`rigid_vbd_kernels`, which do the same to one body after another.
"""
