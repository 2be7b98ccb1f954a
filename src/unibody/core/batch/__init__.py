"""Many environments of actors as arrays: their states, controls, properties, contacts.

``batch`` steps environments, ``selection`` reads and writes parts of them. Core's own conventions
hold where a ``StateLayout`` says nothing else.
"""
