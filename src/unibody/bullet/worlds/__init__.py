"""A whole world: settings, steps, saved states and files."""
