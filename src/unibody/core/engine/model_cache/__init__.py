"""Compiled models that are used again: in memory, and in files of the disk cache."""
