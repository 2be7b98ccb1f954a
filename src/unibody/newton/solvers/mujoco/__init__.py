"""SolverMuJoCo: models as plain MuJoCo's."""
