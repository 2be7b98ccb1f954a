"""Questions about a world that change nothing in it: distances, rays, boxes."""
