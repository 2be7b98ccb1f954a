"""URDF, MJCF and USD files into builders."""
