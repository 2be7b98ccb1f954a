"""Bounding boxes, pairs that are near, and contacts, in passes over all objects."""
