"""PyBullet's quaternion, transform and camera functions."""
