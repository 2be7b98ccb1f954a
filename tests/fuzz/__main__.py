"""Damaged files for all readers: ``python -m tests.fuzz [--cases N] [--seed N] [READER ...]``.

``python -m tests.fuzz --show FOLDER READER NUMBER`` writes the files of a case and reads them here.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tests.fuzz import pool
from tests.fuzz.readers import READERS


def spread(count: int, readers: Sequence[str], begin: int = 0) -> Iterator[pool.Case]:
    """As many cases, over the readers by their shares, those of all readers mixed."""
    whole = sum(READERS[name].share for name in readers)
    counts = {name: max(round(count * READERS[name].share / whole), 1) for name in readers}
    for number in range(max(counts.values())):
        yield from ((name, begin + number) for name in readers if number < counts[name])


def main() -> int:
    """Run the cases of the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("readers", nargs="*", metavar="READER")
    parser.add_argument("--cases", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--show", metavar="FOLDER")
    options = parser.parse_args()
    if options.show:
        return _show(options.readers[0], int(options.readers[1]), Path(options.show))
    readers = options.readers or list(READERS)
    outcomes: Counter[str] = Counter()
    problems: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)

    def tell(told: dict[str, Any]) -> None:
        outcomes[told["outcome"]] += 1
        if told["problem"]:
            found = problems[told["reader"], told["problem"][:60]]
            found.append(told)
            if len(found) == 1:
                print(f"{told['reader']} {told['number']}: {told['problem']}\n{told['text']}")
        if sum(outcomes.values()) % 1000 == 0:
            print(dict(outcomes), flush=True)

    begin = options.seed * 10**6
    print(f"{options.cases} cases of {', '.join(readers)}; --seed {options.seed}", flush=True)
    pool.run(spread(options.cases, readers, begin), workers=options.workers, tell=tell)
    print(dict(outcomes))
    for (reader, problem), found in sorted(problems.items(), key=lambda item: -len(item[1])):
        print(f"{len(found):5d} {reader} {problem!r}, e.g. {found[0]['number']}")
    return bool(problems)


def _show(reader: str, number: int, folder: Path) -> int:
    import unibody.bullet as p
    from tests.fuzz.worker import prepare, run_case

    folder.mkdir(parents=True, exist_ok=True)
    p.connect(p.DIRECT)
    prepare(reader)
    told = run_case(reader, number, folder)
    print(*(f"{key}: {value}" for key, value in told.items()), sep="\n")
    return bool(told["problem"])


if __name__ == "__main__":
    sys.exit(main())
