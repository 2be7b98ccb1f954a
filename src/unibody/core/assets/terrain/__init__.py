"""Terrain: grids of heights, their files, and meshes of them."""
