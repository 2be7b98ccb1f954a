"""How a world's constraint problem is solved: by MuJoCo, or by our own stage in large scenes."""
