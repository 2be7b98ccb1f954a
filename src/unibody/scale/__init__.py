"""Many runs on many cores and machines, spread by Ray: ``unibody sweep``.

``runs`` says which runs there are, ``processes`` does one in a process of its own, ``cluster``
spreads them, ``folder`` keeps what is done, ``table`` puts it together.
"""
