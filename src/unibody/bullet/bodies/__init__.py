"""Bodies: loading them, their states, dynamics and notes."""
