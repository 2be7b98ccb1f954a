"""Poses, paths and grids, and lines that are drawn into the scene."""
