"""The connection between a client and its server, seen from the client."""

from __future__ import annotations

import itertools
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from unibody.bullet.errors import error
from unibody.bullet.remote import lane_calls, lane_layout, messages
from unibody.bullet.remote.endpoints import Endpoint
from unibody.bullet.remote.lane_ends import ClientLane
from unibody.bullet.remote.messages import ServerGoneError
from unibody.bullet.remote.wire_local import LocalWire
from unibody.machine_code.calls import functions

DEFAULT_TIMEOUT = 60.0  # s: a call that takes longer than this has failed


class Link:
    """A connection to a server.

    Attributes:
        timeout: Seconds that a call may take.
        lane: The memory shared with the server; None: there is none.
        on_loss: Called when a call through the lane finds that there is no server any more.

    Args:
        endpoint: Where the server is.
        token: What it asks for; "" for none.

    Raises:
        ServerGoneError: There is no server, or it does not take the token.
        error: It speaks another version of the protocol.
    """

    def __init__(self, endpoint: Endpoint, token: str = "") -> None:
        self.timeout = DEFAULT_TIMEOUT
        self.lane: ClientLane | None = None
        self.on_loss: Callable[[], None] = self.close
        self._name = endpoint.name
        self._token = token
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._pid = os.getpid()
        self._wire = _wire(endpoint, token)
        try:
            self._greet()
        except BaseException:
            self.close()
            raise

    def _greet(self) -> None:
        version = self.call("hello", (), {})
        if version != messages.VERSION:
            raise error(
                f"The physics server at {self._name} speaks version {version} of the protocol, "
                f"this client version {messages.VERSION}."
            )

    def come_near(self) -> None:
        """Go on without the network, if the server is a process of this user and machine."""
        if isinstance(self._wire, LocalWire) or sys.platform != "linux":
            return
        name = self.call("near", (), {})
        if not isinstance(name, str) or not name:
            return
        far = self._wire
        try:
            self._wire = LocalWire(f"\0{name}", self._name)
            self._greet()
        except error:  # it is on another machine, or another user's
            self._wire.close()
            self._wire = far
        else:
            far.close()

    def call(self, name: str, args: Any, kwargs: Any) -> Any:
        """Have the server call a function.

        Returns:
            What it returns.

        Raises:
            ServerGoneError: There is no server any more.
            error: It did not answer in time. Whether the call is still made is not known.
            Exception: What the function raises.
        """
        if self._pid != os.getpid():
            raise error("A connection to a physics server does not survive a fork: connect again.")
        number = next(self._numbers)
        message = messages.pack((number, self._token, name, args, kwargs), messages.MAX_REQUEST)
        with self._lock:
            answer = self._in_turn(number, message, self.timeout)
        return _result(answer)

    def _in_turn(self, number: int, message: bytes, seconds: float) -> tuple[Any, ...]:
        deadline = time.monotonic() + seconds
        lane = self.lane
        try:
            if lane is None:
                return self._exchange(number, message, deadline)
            lane.claim(deadline)
            try:
                return self._exchange(number, message, deadline)
            finally:
                lane.release()
        except TimeoutError:
            raise self._too_late(seconds) from None

    def _too_late(self, seconds: float) -> error:
        return error(f"The physics server at {self._name} did not answer within {seconds:g} s.")

    def _exchange(self, number: int, message: bytes, deadline: float) -> tuple[Any, ...]:
        data = self._wire.exchange(message, deadline)
        while True:
            answer = messages.unpack(data)
            if len(answer) == 3 and answer[0] == number:
                return answer
            data = self._wire.receive(deadline)  # that one belongs to a call that was given up

    def open_lane(self) -> bool:
        """Share memory with the server for calls, if it is on this machine: whether it is so."""
        if not (isinstance(self._wire, LocalWire) and functions.builtins_work()):
            return False
        lane_calls.operations()  # compiled, if need be, before the server waits
        number = next(self._numbers)
        request = messages.pack((number, self._token, "lane", (), {}), messages.MAX_REQUEST)
        deadline = time.monotonic() + self.timeout
        try:
            answer, handle = self._wire.ask_for_lane(request, deadline)
        except TimeoutError:
            raise self._too_late(self.timeout) from None
        if handle is None or messages.unpack(answer)[1:] != (True, True):
            return False
        try:
            self.lane = ClientLane(lane_layout.mapped(handle), self._finish, self._wake)
        except (OSError, ValueError):
            return False
        self._wire.take_lane(self.lane)
        return True

    def _wake(self) -> None:
        try:
            self._wire.wake()
        except ServerGoneError:
            self.on_loss()
            raise

    def _finish(self) -> Any:
        """What a call returns that compiled code has sent, and whose reply it did not see."""
        lane = self.lane
        if lane is None:
            raise ServerGoneError(f"The physics server at {self._name} is gone.")
        lane.own()
        try:
            form, content = self._wire.lane_reply(time.monotonic() + self.timeout)
            if form == lane_layout.COMPACT:
                return content
            answer = messages.unpack(content)
            while answer[0] != -lane.number and form == lane_layout.ELSEWHERE:
                answer = messages.unpack(self._wire.receive(time.monotonic() + self.timeout))
        except TimeoutError:
            raise self._too_late(self.timeout) from None
        except ServerGoneError:
            self.on_loss()
            raise
        finally:
            lane.release()
        return _result(answer)

    def is_alive(self) -> bool:
        """Whether the server is still there, as far as is known."""
        if self._pid != os.getpid() or not self._lock.acquire(blocking=False):
            return True  # a call is under way, or it is another process's connection
        try:
            return self._wire.is_alive()
        finally:
            self._lock.release()

    def close(self) -> None:
        """End the connection; again does no harm."""
        if self._pid == os.getpid():
            self._wire.close()
        self.lane = None


def _result(answer: tuple[Any, ...]) -> Any:
    """The result that an answer brings; raises the error that it brings."""
    if len(answer) != 3:
        raise messages.MessageError("this is no answer")
    if answer[1] is True:
        return answer[2]
    raise messages.revive(answer[2])


def _wire(endpoint: Endpoint, token: str) -> Any:
    if endpoint.path is not None:
        return LocalWire(str(endpoint.path), endpoint.name)
    from unibody.bullet.remote.wire_network import NetworkWire

    return NetworkWire(endpoint, token)
