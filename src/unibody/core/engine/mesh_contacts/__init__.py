"""Concave triangle meshes: one geom each, with a narrow phase of our own."""
