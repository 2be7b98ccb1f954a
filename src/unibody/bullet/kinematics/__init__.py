"""Inverse kinematics, Jacobians, mass matrices and inverse dynamics."""
