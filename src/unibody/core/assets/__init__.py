"""Readers of robot and object files: URDF, SDF, MJCF and meshes, all giving an ``Asset``."""
