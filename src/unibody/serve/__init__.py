"""Physics servers: a world in a process of its own, for several clients."""
