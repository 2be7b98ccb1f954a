"""Contacts between shapes, and between particles and shapes, on any Warp device."""
