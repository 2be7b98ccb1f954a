"""One running world, what is written into it between steps, and who looks at it."""
