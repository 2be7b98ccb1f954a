"""Isaac Gym's API on the unibody engine: ``from unibody.isaacgym import gymapi, gymtorch``.

The modules have the original's names: ``gymapi``, ``gymtorch``, ``gymutil``, ``torch_utils``,
``terrain_utils``. Each is loaded when it is imported; this package loads none of them.
"""
