"""Around a call: who else handles it, whose turn it is, where it writes, what is compiled."""
