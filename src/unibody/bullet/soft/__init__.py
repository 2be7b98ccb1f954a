"""Soft bodies: cloth and solids that deform, and what holds them."""
