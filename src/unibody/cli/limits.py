"""How a run is watched and ended: `--max-steps` and `--max-time`."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from types import FrameType
from typing import Any

from unibody.core.engine.world import step_observers
from unibody.errors import NotSupportedError

_REMINDER = 1.0  # [s] between two attempts to end a script that swallows the end


class RunFinished(SystemExit):
    """The end of a run that reached its limit.

    Being a `SystemExit` it passes `except Exception`, and leaves exit status 0 wherever it
    surfaces.
    """


class WatchedRun:
    """Counts the steps of all worlds of the process, and ends the script at a limit.

    The end is raised in the script as `RunFinished`: by the step that reaches `max_steps`, and by
    a timer signal after `max_time`, which also interrupts a sleep or a loop without steps. A
    script that swallows it is told again at every further step and every second.

    Args:
        max_steps: Steps after which the run ends, counted over all worlds; None for no limit.
        max_time: Wall-clock time after which it ends [s]; None for no limit.

    Raises:
        NotSupportedError: `max_time` on a platform that has no timer signal.
    """

    def __init__(self, max_steps: int | None = None, max_time: float | None = None) -> None:
        self._has_alarm = hasattr(signal, "setitimer")
        if max_time is not None and not self._has_alarm:
            raise NotSupportedError("--max-time on this platform", "use --max-steps")
        self.max_steps = max_steps
        self.max_time = max_time
        self.steps: int = 0
        self.simulated: float = 0.0
        self.contacts: int | None = None
        self.most_contacts = 0
        self.reached: str | None = None
        """The limit that was reached, as a phrase; None while no limit was."""
        self._armed = False
        self._started_at = 0.0
        self._first_step_at: float | None = None

    def start(self) -> None:
        """Begin to watch; called in the main thread, right before the script."""
        self._started_at = time.perf_counter()
        self._armed = True
        step_observers.add_observer(self)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._leave_out_this_process)
        if self._has_alarm:
            signal.signal(signal.SIGALRM, self._on_alarm)
            if self.max_time is not None:
                signal.setitimer(signal.ITIMER_REAL, self.max_time, _REMINDER)

    def _leave_out_this_process(self) -> None:
        """A worker that ends in the middle of its task leaves those waiting who gave it."""
        self._armed = False
        step_observers.remove_observer(self)

    def stop(self) -> None:
        """Watch no more; called when the script has ended."""
        self._armed = False
        step_observers.remove_observer(self)
        if self._has_alarm:
            signal.setitimer(signal.ITIMER_REAL, 0.0)
        if self.reached is not None:
            _end_workers()

    def on_step(self, timestep: float, contacts: int | None, _stepped: Any) -> None:
        """Count one step; see `observe.StepObserver`.

        Args:
            timestep: Simulated time of the step [s].
            contacts: Active contact points at its end; None where nobody counts them.

        Raises:
            RunFinished: A limit is reached by this step, or was before it.
            SystemExit: The same, in a thread other than the main one, which is ended too.
        """
        if self._first_step_at is None:
            self._first_step_at = time.perf_counter()
        if self.reached is None:
            self.steps += 1
            self.simulated += timestep
            self.contacts = contacts
            self.most_contacts: int = max(self.most_contacts, contacts or 0)
            if self.steps == self.max_steps:
                self.reached = f"ended at --max-steps {self.max_steps}"
        if self.reached is not None:
            if threading.current_thread() is threading.main_thread():
                raise RunFinished(0)
            self._end_main_thread()
            raise SystemExit(0)  # of itself, a thread ends in silence; of a subclass it does not

    def summary(self) -> str:
        """One line about the run.

        Returns:
            What ended it, steps, simulated and wall seconds, real-time factor, contact counts.
            Simulated time is summed over all worlds; the factor counts from the first step on,
            so that the start-up of the script does not blur it.
        """
        ended = self.reached or "the script ended by itself"
        now = time.perf_counter()
        wall = now - self._started_at
        if self._first_step_at is None:
            return f"unibody run: {ended}: 0 steps in {wall:.2f} s"
        stepping = max(now - self._first_step_at, 1e-9)
        contacts = "contacts are not counted in many worlds"
        if self.contacts is not None:
            contacts = f"contacts: {self.contacts} at the end, {self.most_contacts} at most"
        return (
            f"unibody run: {ended}: {self.steps} steps, {self.simulated:.3f} s simulated in "
            f"{wall:.2f} s ({stepping:.2f} s from the first step on), "
            f"{self.simulated / stepping:.1f}x real time, {contacts}"
        )

    def _on_alarm(self, _number: int, _frame: FrameType | None) -> None:
        if not self._armed:
            return
        if self.reached is None:
            self.reached = f"ended at --max-time {self.max_time}"
        raise RunFinished(0)

    def _end_main_thread(self) -> None:
        main = threading.main_thread().ident
        if self._has_alarm and main is not None:
            signal.pthread_kill(main, signal.SIGALRM)


def _end_workers() -> None:
    """End processes the script has started: the interpreter would wait for them before it ends."""
    multiprocessing = sys.modules.get("multiprocessing")
    if multiprocessing is not None:
        for worker in multiprocessing.active_children():
            worker.terminate()
