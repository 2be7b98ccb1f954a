"""Pictures of a world."""
