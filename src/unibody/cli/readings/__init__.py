"""What is recorded of a step, one file for each kind of thing that steps."""
