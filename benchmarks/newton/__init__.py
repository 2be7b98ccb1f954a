"""Newton's API: the same scenes on unibody and on the original."""
