"""Articulations of many worlds as arrays: world, articulation, then joints, links or shapes."""

from unibody.newton.selection.view import ArticulationView

__all__ = ["ArticulationView"]
