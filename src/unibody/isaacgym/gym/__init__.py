"""The class ``Gym``, one part of its methods a file."""
