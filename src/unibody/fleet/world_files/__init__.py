"""Surroundings from SDF and OpenUSD files and from folders of meshes."""
