"""Arms with a hand, and what they do with things."""

from unibody.isaac_core.manipulators.single_manipulator import SingleManipulator

__all__ = ["SingleManipulator"]
