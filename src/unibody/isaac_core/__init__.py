"""Isaac core's API: worlds, scenes, prims and their functions, and what is around them.

``unibody run script.py`` gives the modules here the names of Isaac Sim and Kit; ``names`` is the
table. ``coverage.toml`` says what exists; what does not raises ``NotSupportedError``.
"""
