"""Behaviour trees of agents and of people at work."""
