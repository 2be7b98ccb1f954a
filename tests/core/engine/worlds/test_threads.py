"""Sharing worlds among threads leaves none out and does none twice."""

from __future__ import annotations

import threading

import pytest

from unibody.core.engine.worlds.threads import SMALLEST_SHARE, Shares


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("count", [1, 2 * SMALLEST_SHARE - 1, 2 * SMALLEST_SHARE, 1000])
def test_every_world_is_done_once(count: int, threads: int) -> None:
    done = [0] * count

    def kernel(first: int, last: int, step: int) -> None:
        for world in range(first, last):
            done[world] += step

    shares = Shares(count, threads)
    for _ in range(20):
        shares.run(kernel, 3)
    assert done == [60] * count


def test_a_thread_that_is_held_up_does_not_hold_up_the_others() -> None:
    rest_is_done = threading.Event()
    main = threading.get_ident()
    by_main = 0

    def kernel(first: int, last: int) -> None:
        nonlocal by_main
        if threading.get_ident() != main:
            assert rest_is_done.wait(30.0)
            return
        by_main += last - first
        if by_main >= 3 * SMALLEST_SHARE:
            rest_is_done.set()

    Shares(4 * SMALLEST_SHARE, 2).run(kernel)
    assert by_main >= 3 * SMALLEST_SHARE  # the other one has at most one share


def test_what_is_not_worth_a_thread_is_done_in_one_call() -> None:
    calls: list[tuple[int, int]] = []
    Shares(1000, 4).run(lambda first, last: calls.append((first, last)), least=501)
    assert calls == [(0, 1000)]


def test_an_error_in_another_thread_reaches_the_caller() -> None:
    main = threading.get_ident()
    other_began = threading.Event()

    def kernel(first: int, last: int) -> None:
        if threading.get_ident() == main:
            assert other_began.wait(30.0)
            return
        other_began.set()
        raise ValueError("of a thread")

    with pytest.raises(ValueError, match="of a thread"):
        Shares(1000, 2).run(kernel)
