"""Tendons in solvers: routes over guides, slip by the Capstan equation, and what they pull at.

- geometry_kernels: tangents, wraps, and ends of spans
- routing_kernels: which rollers a cable touches, and how rollers move it along
- slip_kernels: slip of cables over guides with bodies at rest
- xpbd_kernels, vbd_kernels: what spans do to bodies in the two solvers
- cables: arrays of a solver, and the stages of a step
"""
