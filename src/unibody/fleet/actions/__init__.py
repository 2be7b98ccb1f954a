"""Actions: what agents do one after the other."""
