"""Objects of a simulation."""
