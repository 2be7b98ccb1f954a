"""Reading MJCF files; ``reader`` begins with PyBullet's rules or with MuJoCo's."""
