"""The same work on unibody and on what it stands in for."""
