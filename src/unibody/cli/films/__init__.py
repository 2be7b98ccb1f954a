"""What is seen in films of `unibody run --record`, one file for each kind of thing that steps."""
