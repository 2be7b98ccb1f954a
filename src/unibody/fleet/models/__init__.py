"""Where models of robots are, and how they become URDF files."""
