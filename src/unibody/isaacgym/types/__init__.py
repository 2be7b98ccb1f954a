"""The value types of ``gymapi``: vectors, parameters, properties, enums, structured dtypes.

Nothing here knows of a running simulation.
"""
