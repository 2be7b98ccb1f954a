"""States of robots and commands to them, by name."""
