"""What `omni.isaac.gym` has: environments of one task each, for libraries that train."""
