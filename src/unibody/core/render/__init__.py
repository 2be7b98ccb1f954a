"""Cameras: colours, depth and segmentation of what bodies look like."""
