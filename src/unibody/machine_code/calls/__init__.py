"""Python functions with a compiled short cut, for calls that cost less than a Python function."""
