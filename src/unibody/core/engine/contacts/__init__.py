"""The contacts of a world as arrays, with their forces."""
