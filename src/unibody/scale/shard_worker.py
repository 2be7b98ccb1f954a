"""A shard of a fleet in a worker of Ray, which exchanges messages with the others by itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, NoReturn

from unibody.scale.fleet_shard import FleetShard
from unibody.scale.handover import Message
from unibody.scale.shared_channel import SharedChannel
from unibody.scale.shared_meeting import Invitation, MeetingPlace, accept, problem


class ShardLostError(Exception):
    """Another shard has ended, so that this one cannot go on."""


class Place(NamedTuple):
    """Where a shard can be met: its node of Ray, and how; None where it cannot."""

    node: str
    invitation: Invitation | None


class ShardWorker:
    """A shard. Those on one machine are linked: they hand their messages to one another.

    There are two channels to each other shard, for every second step each: a shard may send its
    next message before the other one has read the last.

    Args:
        arguments: What the shard is made with.
    """

    def __init__(self, *arguments: Any) -> None:
        self._shard = FleetShard(*arguments)
        self._number = self._shard.number
        self._meeting: MeetingPlace | None = None
        self._links: dict[int, list[SharedChannel]] = {}  # by the other's number, ascending
        self._steps = 0
        self._unread = False
        self._end: Exception | None = None  # why it cannot go on

    def about(self) -> bytes:
        """As `FleetShard.about`."""
        return self._shard.about()

    # --- without links -------------------------------------------------------------------------

    def step(self, *messages: Message) -> Any:
        """As `FleetShard.step`."""
        return self._shard.step(*messages)

    def looked(self, *messages: Message) -> dict[str, Any]:
        """As `FleetShard.looked`; the messages of linked shards are taken from their channels."""
        return self._shard.looked(*(messages or self._received()))

    # --- linked --------------------------------------------------------------------------------

    def place(self) -> Place:
        """Where others meet this shard."""
        import ray

        if not problem():
            self._meeting = MeetingPlace()
        invitation = None if self._meeting is None else self._meeting.invitation
        return Place(ray.get_runtime_context().get_node_id(), invitation)

    def join(self, places: Sequence[Place]) -> bool:
        """Connect to all shards of smaller numbers; whether that was possible.

        Args:
            places: Of all shards.
        """
        own = places[self._number]
        for other, (node, invitation) in enumerate(places[: self._number]):
            if node != own.node or invitation is None:
                return False
            for turn in (0, 1):
                channel = accept(invitation)
                if channel is None:
                    return False
                channel.send_whole((self._number, turn))
                self._links.setdefault(other, []).append(channel)
        return own.invitation is not None

    def meet(self, count: int) -> None:
        """Take in the connections of shards of larger numbers, which have joined this one.

        Args:
            count: Number of shards.
        """
        if self._meeting is None:
            return
        met: dict[int, list[Any]] = {}
        for _ in range(2 * (count - 1 - self._number)):
            channel = self._meeting.met()
            other, turn = channel.receive()
            met.setdefault(other, [None, None])[turn] = channel
        self._links |= dict(sorted(met.items()))
        self._meeting.close()

    def part(self) -> None:
        """Close all links; messages go through Ray from now on."""
        for channels in self._links.values():
            for each in channels:
                each.close()
        self._links.clear()
        if self._meeting is not None:
            self._meeting.close()

    def steps(self, count: int) -> None:
        """Do steps with the other shards, which do as many.

        Raises:
            ShardLostError: One of them has ended.
        """
        try:
            for _ in range(count):
                sent = self._shard.step(*self._received())
                self._steps += 1
                for other, channels in self._links.items():
                    channels[self._steps % 2].send_whole(sent[other])
                self._unread = bool(self._links)
        except OSError:  # of a channel
            self._fail(ShardLostError())
        except Exception as error:  # whatever it is, it is told again to who looks
            self._fail(error)

    def _received(self) -> list[Message]:
        """The messages of the last step, if they were not taken yet."""
        if self._end is not None:
            raise self._end
        if not self._unread:
            return []
        self._unread = False
        try:
            return [channels[self._steps % 2].receive() for channels in self._links.values()]
        except (EOFError, OSError):
            self._fail(ShardLostError())

    def _fail(self, error: Exception) -> NoReturn:
        self._end = error
        self.part()  # the others must not wait for this one
        raise error
