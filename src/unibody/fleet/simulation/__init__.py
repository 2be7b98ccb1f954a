"""The simulation: its loop, its objects, its scenario and its plugins."""
