"""Contacts, closest points, rays and boxes."""
