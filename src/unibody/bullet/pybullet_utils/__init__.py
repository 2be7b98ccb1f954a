"""What scripts import from `pybullet_utils`, for machines where that is not installed.

The file names are those of the original package. `bullet_client` is used in any case, see there.
Not here: `gazebo_world_parser` (`loadSDF` reads worlds), and the scripts `graphicsClient` and
`readwriteurdf`.
"""
