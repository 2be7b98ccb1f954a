"""The open logs of one client."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unibody.bullet.logs.commands import CommandLog
from unibody.bullet.logs.states import StateLog
from unibody.bullet.logs.trace import TraceFile

if TYPE_CHECKING:
    from unibody.bullet.clients.client import Client
    from unibody.bullet.window.film import WorldLog


class LogTable:
    """Logs by id: all kinds are counted together, and no id comes twice.

    Args:
        client: Whose logs.
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self._next = 0
        self._states: dict[int, StateLog | WorldLog] = {}
        self._trace_id = -1
        self._commands_id = -1

    def add_states(self, log: StateLog | WorldLog) -> int:
        """Take a log of states or a video, which is told about every substep from now on."""
        self._states[self._next] = log
        self._client.ticks.append(log)
        return self._take()

    def add_trace(self, trace: TraceFile) -> int:
        """Take the trace of the client."""
        self._client.trace = trace
        self._trace_id = self._next
        return self._take()

    def add_commands(self, log: CommandLog) -> int:
        """Take the record of the client's calls."""
        self._client.commands = log
        self._commands_id = self._next
        return self._take()

    def add_ended(self) -> int:
        """The id of what is over already: a replay, or a video that cannot be written here."""
        return self._take()

    def _take(self) -> int:
        self._next += 1
        return self._next - 1

    def stop(self, log_id: int) -> None:
        """Complete a log; an id that is not in use is no error."""
        client = self._client
        if log_id == self._trace_id and client.trace is not None:
            client.trace.close()
            client.trace = None
        elif log_id == self._commands_id and client.commands is not None:
            client.commands.close()
            client.commands = None
        elif log_id in self._states:
            log = self._states.pop(log_id)
            client.ticks.remove(log)
            log.close()

    def stop_states(self) -> None:
        """Complete the logs of states."""
        for log_id in list(self._states):
            self.stop(log_id)

    def close(self) -> None:
        """Complete all logs."""
        self.stop_states()
        self.stop(self._trace_id)
        self.stop(self._commands_id)
