"""Collision and visual shapes that scripts make, and what reads and changes them."""
