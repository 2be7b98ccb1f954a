"""Arguments of the API: their kinds, vectors, and numbers that have to be finite."""
