"""Runs spread over the workers of Ray, on this machine or on a cluster."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Sequence

from unibody.scale.processes import perform
from unibody.scale.runs import Outcome, Program, Run

_RETRIES = 100  # of a run whose worker was killed
_STORE = 100 << 20  # [bytes] of shared memory; results are small


def outcomes(
    program: Program, runs: Sequence[Run], workers: int | None = None, address: str | None = None
) -> Iterator[tuple[Run, Outcome]]:
    """Do runs, as many at a time as there are workers, and give each when it is done.

    A run whose worker is killed is done again, with its seed.

    Args:
        program: The script.
        runs: What is to be done.
        workers: At most so many at a time; None for as many as there are cores.
        address: Of a cluster of Ray; None starts one on this machine, which ends with the process.

    Yields:
        A run and what became of it, in the order in which they end.
    """
    import ray
    from ray.exceptions import RayError

    started = not ray.is_initialized()
    if started:
        start_ray(workers, address)
    remote = ray.remote(num_cpus=1, max_retries=_RETRIES)(perform)
    most = workers or max(1, int(ray.cluster_resources().get("CPU", 1)))
    waiting = iter(runs)
    flying = {}
    try:
        while True:
            while len(flying) < most and (run := next(waiting, None)) is not None:
                flying[remote.remote(program, run)] = run
            if not flying:
                return
            ready, _ = ray.wait(list(flying), num_returns=1)
            run = flying.pop(ready[0])
            try:
                outcome = ray.get(ready[0])
            except RayError as error:
                outcome = Outcome(False, 1, {}, "", 0.0, f"{error}\n")
            yield run, outcome
    finally:
        if started:
            ray.shutdown()


def start_ray(workers: int | None, address: str | None) -> None:
    """Start Ray on this machine, or join a cluster of it.

    Args:
        workers: CPUs of this machine that it may use; None: all.
        address: Of a cluster; None: this machine alone.
    """
    import ray

    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    quiet = {"log_to_driver": False, "logging_level": logging.ERROR}
    if address is not None:
        ray.init(address=address, **quiet)
        return
    ray.init(
        address="local", num_cpus=workers, include_dashboard=False,
        object_store_memory=_STORE, **quiet,
    )  # fmt: skip
