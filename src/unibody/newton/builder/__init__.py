"""The class ``ModelBuilder``, one part of its methods a file."""
