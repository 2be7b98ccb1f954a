"""Files under the names that Isaac Sim's server has them by: the user's own, or made here."""
