"""Benchmarks of the Isaac core surface."""
