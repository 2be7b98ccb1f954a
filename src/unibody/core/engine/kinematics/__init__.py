"""Kinematics and dynamics of one body alone, without touching the state of a running world."""
