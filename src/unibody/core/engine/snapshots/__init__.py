"""States of a scene that are saved and put back, in memory and in files."""
