"""Simulations: their state, and the one way to the physics."""
