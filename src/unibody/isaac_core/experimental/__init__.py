"""``isaacsim.core.experimental``: prims, objects, materials and functions of Isaac Sim 6.

Classes wrap one prim or many. They return arrays of Warp, take numbers of any library, which are
broadcast by NumPy's rules, and name rows by ``indices``.
"""
