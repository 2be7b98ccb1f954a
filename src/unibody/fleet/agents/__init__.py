"""Robots: goals, joints, end effectors, plugins, and managers of many."""
