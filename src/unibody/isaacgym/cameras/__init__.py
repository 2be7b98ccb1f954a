"""Cameras of environments: where they are, what they see, and their images."""
