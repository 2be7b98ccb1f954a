"""Solvers of 1.x that are not settled: none exists here."""
