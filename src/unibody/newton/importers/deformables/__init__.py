"""Deformable bodies of stages by OpenUSD's proposal: cables, cloth, soft bodies, what holds them."""

from unibody.newton.importers.deformables.adder import Deformables

__all__ = ["Deformables"]
