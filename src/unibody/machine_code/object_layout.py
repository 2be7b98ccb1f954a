"""Where Python's objects and NumPy's arrays keep what compiled functions read, in bytes."""

from __future__ import annotations

WORD = 8  # bytes of a pointer
TYPE_AT = object.__basicsize__ - WORD  # the last word of every object's head
SIZE_AT = object.__basicsize__  # of tuples, lists and bytes
TUPLE_AT = tuple.__basicsize__  # first item
LIST_AT = object.__basicsize__ + WORD  # address of the first item
FLOAT_AT = float.__basicsize__ - WORD
BYTES_AT = bytes.__basicsize__ - 1  # a final zero is counted
# numpy.ndarray: data, nd (an int), dimensions, strides, base, descr, flags (an int)
ARRAY_AT = object.__basicsize__
