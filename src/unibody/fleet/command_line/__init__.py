"""The fleet's commands: ours and that of the original package."""
