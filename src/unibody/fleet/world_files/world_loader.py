"""Surroundings from files, under their older name."""

from unibody.fleet.world_files.sdf_loader import load_mesh_directory, load_rmf_world

__all__ = ["load_mesh_directory", "load_rmf_world"]
