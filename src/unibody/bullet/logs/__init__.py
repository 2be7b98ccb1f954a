"""Logs: states, contacts, calls and profiles, in files."""
