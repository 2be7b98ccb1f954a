"""The physics clients of this process."""
