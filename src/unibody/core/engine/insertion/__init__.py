"""Bodies and constraints that come and go in a running world, without a compile."""
