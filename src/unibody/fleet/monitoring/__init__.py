"""Figures and commands of monitor windows, and the camera."""
