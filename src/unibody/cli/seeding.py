"""`unibody run --seed N`: random numbers that are the same in every run."""

from __future__ import annotations

import argparse
import os
import random
from types import ModuleType

VARIABLE = "UNIBODY_SEED"
_MANY = 1 << 32


def seed(number: int) -> None:
    """Seed the generators that a script may use: of `random`, of NumPy, and of PyTorch if it comes.

    Args:
        number: The seed; the script has it in ``UNIBODY_SEED``, too.
    """
    import numpy as np

    from unibody.cli import after_import

    def seed_torch(torch: ModuleType) -> None:
        torch.manual_seed(number)

    os.environ[VARIABLE] = str(number)
    random.seed(number)
    np.random.seed(number)  # noqa: NPY002 - the generator that old scripts share
    after_import.call("torch", seed_torch)


def seed_number(text: str) -> int:
    """Read the argument of --seed."""
    value = int(text)
    if not 0 <= value < _MANY:
        raise argparse.ArgumentTypeError(f"{text} is not allowed: expected 0 <= seed < 2**32")
    return value
