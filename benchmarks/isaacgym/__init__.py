"""Benchmarks of the tensor API of Isaac Gym."""
