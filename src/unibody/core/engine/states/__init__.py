"""States of a world: carried over a compile, saved, put back, and kept in files."""
