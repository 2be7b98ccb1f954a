"""Streams of events and subscriptions to them."""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

Listener = Callable[["Event"], Any]


class Event:
    """What a listener gets.

    Attributes:
        type: Number of the kind of event.
        sender: Number of who sent it.
        payload: What goes with it.
    """

    def __init__(self, type: int, sender: int, payload: Mapping[str, Any]) -> None:
        self.type: int = type
        self.sender: int = sender
        self.payload: dict[str, Any] = dict(payload)
        self.consumed = False

    def consume(self) -> None:
        """Keep the event from the listeners that come later."""
        self.consumed: bool = True


class Subscription:
    """Holds a listener for as long as the object itself is held.

    Attributes:
        name: What the subscriber called it.
    """

    def __init__(self, listener: Listener, order: int, name: str, type: int | None) -> None:
        self._listener: Listener | None = listener
        self.order: int = order
        self.name: str = name
        self.type: int | None = type

    def unsubscribe(self) -> None:
        """Call the listener no more."""
        self._listener = None

    def __call__(self, event: Event) -> None:
        """Tell the listener of an event, if it is one that it listens to."""
        if self._listener is not None and self.type in {None, event.type}:
            self._listener(event)


class EventStream:
    """Events of one subject. What is pushed waits until the stream is pumped.

    Args:
        name: For messages.
    """

    def __init__(self, name: str = "") -> None:
        self.name = name
        self._waiting: deque[Event] = deque()
        self._on_pop: list[weakref.ref[Subscription]] = []
        self._on_push: list[weakref.ref[Subscription]] = []

    def create_subscription_to_pop(
        self, fn: Listener, order: int = 0, name: str = ""
    ) -> Subscription:
        """Call a function with each event when the stream is pumped.

        Returns:
            The subscription; when it is dropped, the function is called no more.
        """
        return _subscribe(self._on_pop, Subscription(fn, order, name, None))

    def create_subscription_to_pop_by_type(
        self, event_type: int, fn: Listener, order: int = 0, name: str = ""
    ) -> Subscription:
        """The same for the events of one type."""
        return _subscribe(self._on_pop, Subscription(fn, order, name, int(event_type)))

    def create_subscription_to_push(
        self, fn: Listener, order: int = 0, name: str = ""
    ) -> Subscription:
        """Call a function with each event at once when it is pushed."""
        return _subscribe(self._on_push, Subscription(fn, order, name, None))

    def create_subscription_to_push_by_type(
        self, event_type: int, fn: Listener, order: int = 0, name: str = ""
    ) -> Subscription:
        """The same for the events of one type."""
        return _subscribe(self._on_push, Subscription(fn, order, name, int(event_type)))

    def push(
        self, event_type: int = 0, sender: int = 0, payload: Mapping[str, Any] | None = None
    ) -> None:
        """Let an event wait for the next pump."""
        event = Event(int(event_type), sender, payload or {})
        self._waiting.append(event)
        _tell(self._on_push, event)

    def dispatch(
        self, event_type: int = 0, sender: int = 0, payload: Mapping[str, Any] | None = None
    ) -> None:
        """Tell all listeners of an event now."""
        event = Event(int(event_type), sender, payload or {})
        _tell(self._on_push, event)
        _tell(self._on_pop, event)

    def pump(self) -> None:
        """Tell the listeners of all events that wait."""
        for _ in range(len(self._waiting)):
            _tell(self._on_pop, self._waiting.popleft())


def _subscribe(listeners: list[weakref.ref[Subscription]], made: Subscription) -> Subscription:
    listeners.append(weakref.ref(made))
    return made


def _tell(listeners: list[weakref.ref[Subscription]], event: Event) -> None:
    listeners[:] = [found for found in listeners if found() is not None]
    living = [subscription for found in listeners if (subscription := found()) is not None]
    for subscription in sorted(living, key=lambda one: one.order):
        if event.consumed:
            return
        subscription(event)
