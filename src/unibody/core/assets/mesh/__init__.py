"""Triangle meshes: readers of files, hulls, convex pieces, and what is kept of them."""
