"""States of a world and its drives, carried over a compile."""
