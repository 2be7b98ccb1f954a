"""Connecting to a physics world, and what ``connect`` is told."""
