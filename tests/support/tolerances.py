"""Tolerances that several test files share, each with where it comes from."""

from __future__ import annotations

# Float64 algebra on numbers of order one: rounding grows over a few thousand operations.
ALGEBRA = 1e-7

# The same integration scheme in two programs, without constraints. PyBullet passes gravity, time
# step and damping through single precision here and there, which leaves some 1e-8 a second.
SCHEME = 1e-6

# Motors, limits and constraints as rows of a solver. Ours have a compliance of 1e-6 of their
# inverse mass, so a row misses its velocity by 1e-6 of what the free motion would add in a step;
# over a second and a chain of rows, a motor pressing a joint onto its limit included, that stays
# below 5e-5 rad; a factor 2 in hand.
SOLVED = 1e-4

# The same velocities: half a position error of SOLVED that appears within a step of 1/240 s.
SOLVED_SPEED = 0.5 * SOLVED * 240.0

# PyBullet with its own 50 sweeps instead of a converged solution: its rest error is what remains
# of a row after 50 relaxations in a chain of up to nine coupled joints. Measured: up to 1e-2 rad.
FIFTY_SWEEPS = 2e-2
