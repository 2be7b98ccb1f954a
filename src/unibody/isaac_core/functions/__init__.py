"""The functions of ``omni.isaac.core.utils``, module by module under the original's names."""
