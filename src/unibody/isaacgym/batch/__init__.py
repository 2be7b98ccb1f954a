"""Environments and actors, and the worlds that run them."""
