"""A worker of Ray that does what a process tells it, by calls of Ray or through shared memory."""

from __future__ import annotations

import pickle
import threading
import traceback
from typing import Any

from unibody.errors import EngineError
from unibody.scale.shared_channel import SharedChannel
from unibody.scale.shared_meeting import Invitation, accept

Answer = tuple[Any, Exception | None]  # what a method gave, or the error that it raised


class ToldWorker:
    """Holds an object, whose methods another process calls.

    Args:
        kind: The class of the object.
        arguments: What it is made with.
    """

    def __init__(self, kind: Any, *arguments: Any) -> None:
        self._held = kind(*arguments)

    def told(self, name: str, arguments: tuple[Any, ...]) -> Answer:
        """Call a method; what it gives, or the error that it raises."""
        try:
            return getattr(self._held, name)(*arguments), None
        except Exception as error:  # whatever it is, it is the caller's
            return None, _portable(error)

    def accept(self, invitation: Invitation, node: str) -> bool:
        """Listen to a process from now on, if it is on this node of Ray and shares memory with it.

        Whether it does. Calls of methods must come through this memory then: they are made by a
        thread of their own, which ends when that process does.
        """
        import ray

        if ray.get_runtime_context().get_node_id() != node:
            return False
        channel = accept(invitation)
        if channel is None:
            return False
        threading.Thread(target=self._listen, args=(channel,), daemon=True).start()
        return True

    def _listen(self, channel: SharedChannel) -> None:
        try:
            while True:
                name, arguments = channel.receive()
                channel.send(self.told(name, arguments))
        except (EOFError, OSError):
            return  # the other process has ended, or wants no more
        finally:
            channel.close()


def _portable(error: Exception) -> Exception:
    """An error that another process can load."""
    told = traceback.format_exc()
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:  # an error of any package, with any arguments
        return EngineError(f"a worker failed: {error!r}\n{told}")
    error.add_note(f"in a worker:\n{told}")
    return error
