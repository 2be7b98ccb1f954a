"""The arrays of all objects, what bodies are made of, and the engine's worlds they are in."""
