"""Constraints between bodies."""
