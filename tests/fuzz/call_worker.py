"""A process that makes hostile calls; it is spoken to like ``worker``."""

from __future__ import annotations

import json
import logging
import os
import resource
import sys
import warnings

from tests.fuzz.calls import run_case
from tests.fuzz.worker import limit_memory


def main() -> None:
    """Answer until there are no more lines."""
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    known: set[str] = set()
    for line in sys.stdin:
        surface, number = line.split()
        if surface not in known:
            known.add(surface)
            hard = resource.getrlimit(resource.RLIMIT_AS)[1]
            resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
            run_case(surface, 0, lambda words: None)  # libraries are loaded
        limit_memory()
        print(file=answers, flush=True)
        problems = run_case(surface, int(number), lambda words: None)
        told = {"reader": surface, "number": int(number), "problem": "", "problems": problems}
        print(json.dumps(told), file=answers, flush=True)


if __name__ == "__main__":
    main()
