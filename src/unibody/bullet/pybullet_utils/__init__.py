"""What scripts import from `pybullet_utils`, for machines where that is not installed.

The file names are those of the original package. `bullet_client` is used in any case, see
there; the other modules hold the functions scripts use most.
"""
