"""A process that reads damaged files, one after the other, and says what happened.

The parent writes ``reader number`` lines; each is answered by a line of JSON, and announced by an
empty one when the reading begins.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import sys
import tempfile
import time
import traceback
import warnings
from pathlib import Path
from random import Random
from typing import Any

from tests.fuzz.readers import READERS, NotFiniteError, damaged

MOST_BYTES = 2 << 30
_seeds: dict[str, Any] = {}


def write_case(reader: str, number: int, folder: Path) -> tuple[Path, str]:
    """Write the files of a case; the one to hand in, and the name of the damaged one."""
    random = Random(f"{reader} {number}")
    files, name = damaged(random.choice(_seeds[reader]), random)
    return _written(files, folder), name


def _written(files: dict[str, bytes], folder: Path) -> Path:
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return folder / next(iter(files))


def prepare(reader: str) -> None:
    """Read a file that is right, so that libraries are loaded."""
    if reader in _seeds:
        return
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
    _seeds[reader] = READERS[reader].seeds()
    for files in _seeds[reader]:
        with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
            READERS[reader].load(str(_written(files, Path(folder))))


def limit_memory() -> None:
    """Let the process grow by so much from now on: what earlier cases left does not count."""
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    limit = _memory("VmSize") + MOST_BYTES + (1 << 30)  # what is left free for libraries
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))


def run_case(reader: str, number: int, folder: Path) -> dict[str, Any]:
    """Read the files of a case: what happened, in words, "" where all is well."""
    file, name = write_case(reader, number, folder)
    told: dict[str, Any] = {"reader": reader, "number": number, "problem": "", "text": ""}
    _forget_peak()
    limit_memory()
    before, begun = _memory("VmRSS"), time.process_time()
    try:
        READERS[reader].load(str(file))
        told["outcome"] = "read"
    except MemoryError:
        told.update(outcome="failed", problem=f"more than {MOST_BYTES} bytes", text="")
    except NotFiniteError as error:
        told.update(outcome="failed", problem="not finite", text=str(error))
    except READERS[reader].error() as error:
        told.update(outcome="refused", text=str(error))
        named = str(folder) in str(error) or name in str(error)
        if not named and not isinstance(error, FileNotFoundError):  # which names the other file
            told["problem"] = "no name of a file"
    except BaseException as error:
        trace = "".join(traceback.format_exception(error)[-3:])
        told.update(outcome="failed", problem=f"{type(error).__name__}: {error}"[:300], text=trace)
    told["seconds"] = time.process_time() - begun
    told["bytes"] = _memory("VmHWM") - before
    if told["bytes"] > MOST_BYTES:
        told["problem"] = told["problem"] or f"{told['bytes']} bytes"
    return told


def _memory(key: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(key + ":"):
            return int(line.split()[1]) * 1024
    return 0


def _forget_peak() -> None:
    with contextlib.suppress(OSError):  # the peak is then that of the whole process
        Path("/proc/self/clear_refs").write_text("5")


def main() -> None:
    """Answer until there are no more lines."""
    warnings.simplefilter("ignore")
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    import unibody.bullet as p

    p.connect(p.DIRECT)
    for line in sys.stdin:
        reader, number = line.split()
        prepare(reader)
        print(file=answers, flush=True)
        with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
            told = run_case(reader, int(number), Path(folder))
        print(json.dumps(told), file=answers, flush=True)


if __name__ == "__main__":
    main()
