"""A body as the functions of the API see it."""
