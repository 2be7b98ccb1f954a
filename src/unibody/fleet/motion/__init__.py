"""Speed profiles, turns and drives, compiled, and the checks of what they are given."""
