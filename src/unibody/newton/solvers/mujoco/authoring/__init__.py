"""What adds to builders what only MuJoCo knows: the names of ``newton.solvers.mujoco``."""
