"""Questions about a world that change nothing in it: contacts, distances, rays, boxes."""
