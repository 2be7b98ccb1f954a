"""Configuration files, and the parameters that objects and simulations are made from."""
