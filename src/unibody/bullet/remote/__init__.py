"""One world for several processes: the functions of the API, called from far away.

A server runs the API's own functions on a client of its own (``host``). A client far away sends
the name of a function and its arguments and gets the result (``link``, ``guest``); so every
function works from everywhere, and none has code for it.
"""
