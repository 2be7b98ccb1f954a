"""What takes part in every substep of a client: sensors, controls, moving bases."""
