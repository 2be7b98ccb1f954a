"""Deformable bodies of stages by OpenUSD's proposal: cables, cloth and soft bodies."""

from unibody.newton.importers.deformables.adder import Deformables

__all__ = ["Deformables"]
