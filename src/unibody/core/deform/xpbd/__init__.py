"""Corrections of particles by extended position based dynamics (Macklin et al. 2016).

Each round of corrections looks at places as they were when it began (Jacobi's way): elements write
what they ask for, then each particle adds up what it was asked. So results do not depend on how
many threads there are.

`elements` has one closed form for each kind of element, `neighbors` finds particles that are near
one another, `rounds` is a round in compiled code, and `corrections` is what a solver holds.
"""
