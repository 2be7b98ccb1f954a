"""The loop, the timeline and coroutines."""

from __future__ import annotations

import asyncio

import pytest

from unibody.isaac_core.kit import app, commands, coroutines, events, settings, timeline
from unibody.isaac_core.launch import SimulationApp


def test_an_update_moves_the_timeline_by_a_frame_while_it_plays() -> None:
    clock, running = timeline.get_timeline_interface(), app.get_app()
    running.update()
    assert clock.get_current_time() == 0.0
    clock.play()
    for _ in range(6):
        running.update()
    assert clock.get_current_time() == pytest.approx(6 / 60)
    clock.pause()
    running.update()
    assert clock.get_current_time() == pytest.approx(6 / 60)
    clock.stop()
    assert clock.get_current_time() == 0.0


def test_listeners_hear_what_the_timeline_does_until_their_subscription_is_dropped() -> None:
    clock = timeline.get_timeline_interface()
    heard: list[int] = []
    kept = clock.get_timeline_event_stream().create_subscription_to_pop(
        lambda event: heard.append(event.type)
    )
    clock.play()
    clock.pause()
    clock.stop()
    kinds = timeline.TimelineEventType
    assert heard == [kinds.PLAY, kinds.PAUSE, kinds.STOP]
    del kept
    clock.play()
    assert len(heard) == 3


def test_listeners_of_a_stream_are_called_by_their_order() -> None:
    stream, heard = events.EventStream(), []
    kept = [
        stream.create_subscription_to_pop(lambda _, n=n: heard.append(n), order=n)
        for n in (2, 0, 1)
    ]
    stream.push(7)
    assert heard == []
    stream.pump()
    assert heard == [0, 1, 2]
    assert len(kept) == 3


def test_a_coroutine_goes_on_by_one_update_at_a_time() -> None:
    running, seen = app.get_app(), []

    async def three() -> str:
        for n in range(3):
            await running.next_update_async()
            seen.append(n)
        return "done"

    task = coroutines.run_coroutine(three())
    running.update()
    assert seen == []  # it began, and waits
    for n in range(3):
        running.update()
        assert len(seen) == n + 1
    assert task.result() == "done"


def test_coroutines_of_a_loop_of_the_scripts_own_share_the_frames() -> None:
    running = app.get_app()
    before = running.get_update_number()

    async def both() -> None:
        async def wait() -> None:
            for _ in range(5):
                await running.next_update_async()

        await asyncio.gather(wait(), wait())

    asyncio.run(both())
    assert running.get_update_number() - before == 5


def test_the_app_runs_a_coroutine_to_its_end() -> None:
    simulation = SimulationApp({"headless": True})

    async def answer() -> int:
        await app.get_app().next_update_async()
        return 42

    assert simulation.run_coroutine(answer()) == 42
    assert simulation.is_running()
    simulation.close()
    assert not simulation.is_running()


def test_settings_are_a_tree_that_tells_of_changes() -> None:
    store, heard = settings.Settings(), []
    store.subscribe_to_node_change_events("/a/b", lambda item, kind: heard.append(item))
    store.set("/a/b", 3)
    store.set("/a/c", "x")
    assert store.get("/a") == {"b": 3, "c": "x"}
    assert store.get_as_bool("/a/b")
    assert store.get("/a/b/c") is None
    assert heard == [3]
    with pytest.raises(ValueError, match="value="):
        store.set("/a", object())


def test_an_unknown_command_is_refused_by_name() -> None:
    with pytest.raises(NotImplementedError, match=r"'NoSuch'.*CreatePrim"):
        commands.execute("NoSuch")
