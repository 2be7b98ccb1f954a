"""Shapes that a few numbers say all about, and the inertia Bullet derives from shapes."""
