"""Workers of Ray that keep a state, and have it again after they are lost.

Ray makes them, places them and says that they are lost. Those on the machine of this process are
told what to do through memory that both share, which takes a tenth of the time of a call of Ray;
those on other machines by calls of Ray.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any

from unibody.errors import EngineError
from unibody.scale.cluster import start_ray
from unibody.scale.shared_channel import SharedChannel
from unibody.scale.shared_meeting import MeetingPlace, problem
from unibody.scale.told_worker import ToldWorker

_LOG = 256 << 20  # [bytes] of what workers were told, kept to do a lost one's work again
_ATTEMPTS = 20  # to do a lost worker's work again, before it is given up
Told = Sequence[tuple[Any, ...]]  # arguments, of each worker


class RepeatingWorkers:
    """Actors of one class; one that is lost is started again and repeats what it was told.

    Args:
        kind: The class of what they hold.
        arguments: What each is made with; each takes one CPU.
        address: Of a cluster of Ray; None: the one that runs in this process, or a new one on this
            machine.
        lost: The error where a worker was lost and what it was told is not kept.

    Attributes:
        actors: The workers, `ToldWorker`.
        channels: To those that share memory with this process; None for the others.
    """

    def __init__(
        self, kind: Any, arguments: Sequence[tuple[Any, ...]], address: str | None, lost: str
    ) -> None:
        import ray

        self._ray, self._kind, self._arguments, self._lost = ray, kind, arguments, lost
        self._started = not ray.is_initialized()
        if self._started:
            start_ray(len(arguments), address)
        self._log: list[tuple[str, Told]] = []
        self._logged = 0
        self._place = None if problem() else MeetingPlace()
        self.channels: list[SharedChannel | None] = [None] * len(arguments)
        self.actors: list[Any] = [self._begin(number) for number in range(len(arguments))]
        for number in range(len(arguments)):
            self._meet(number)

    def _begin(self, number: int) -> Any:
        return self._ray.remote(num_cpus=1)(ToldWorker).remote(self._kind, *self._arguments[number])

    def _meet(self, number: int) -> None:
        """Share memory with a worker if it is on this machine."""
        if self._place is None:
            return
        node = self._ray.get_runtime_context().get_node_id()
        accepted = self.actors[number].accept.remote(self._place.invitation, node)
        if self._ray.get(accepted):
            self.channels[number] = self._place.met()

    @property
    def is_fresh(self) -> bool:
        """Whether they were told nothing yet, or nothing since `forget`."""
        return not self._log and not self._logged

    def forget(self) -> None:
        """Nothing that they were told so far matters any more."""
        self._log, self._logged = [], 0

    def call(self, name: str, told: Told, size: int = 0) -> list[Any]:
        """Call a method of all of them, at once; what each gives.

        Args:
            name: Of the method.
            told: Its arguments, of each.
            size: How much of the log they take [bytes].

        Returns:
            What each gives. Arrays are read-only, and written over by the next call.

        Raises:
            EngineError: A worker was lost whose work is too long to be done again.
        """
        self._logged += size
        if self._logged <= _LOG:
            self._log.append((name, told))
        else:
            self._log = []
        return self._exchange(name, told, self._log)

    def ask(self, name: str, told: Told) -> list[Any]:
        """As `call`, of a method that changes nothing, so that no worker has to repeat it."""
        return self._exchange(name, told, [*self._log, (name, told)])

    def _exchange(self, name: str, told: Told, work: Sequence[tuple[str, Told]]) -> list[Any]:
        """Tell all workers, and get all answers; ``work`` is what a lost worker does again."""
        flying = [self._tell(number, name, each) for number, each in enumerate(told)]
        answers: list[Any] = []
        try:
            for number, each in enumerate(flying):
                answers.append(self._answer(number, each))
        except BaseException:  # who breaks off must not take these answers for those of a next call
            for number in range(len(answers), len(flying)):
                self._drop(number)
            raise
        for number, answer in enumerate(answers):
            if answer is None:
                answers[number] = self._again(number, work)
        for _, error in answers:
            if error is not None:
                raise error
        return [given for given, _ in answers]

    def _tell(self, number: int, name: str, told: tuple[Any, ...]) -> Any:
        """Tell a worker what to do: the call of Ray that is under way, if it is one."""
        channel = self.channels[number]
        if channel is None:
            return self.actors[number].told.remote(name, told)
        with contextlib.suppress(OSError):  # it has ended: there will be no answer
            channel.send((name, told))
        return None

    def _answer(self, number: int, flying: Any) -> Any:
        """What a method gave and the error that it raised; None if the worker is lost."""
        from ray.exceptions import RayActorError

        channel = self.channels[number]
        try:
            return self._ray.get(flying) if channel is None else channel.receive()
        except (RayActorError, EOFError, ConnectionError):
            return None

    def _again(self, number: int, work: Sequence[tuple[str, Told]]) -> Any:
        """Do the work of a lost worker once more; what its last call gives."""
        from ray.exceptions import RayActorError

        if self._logged > _LOG:
            raise EngineError(self._lost)
        for _ in range(_ATTEMPTS):
            self._drop(number)
            self.actors[number] = self._begin(number)
            answer: Any = None
            try:
                self._meet(number)
            except (RayActorError, TimeoutError):
                continue
            for name, told in work:
                answer = self._answer(number, self._tell(number, name, told[number]))
                if answer is None:
                    break
            else:
                return answer
        raise EngineError(f"worker {number} was lost {_ATTEMPTS} times while it did its work again")

    def _drop(self, number: int) -> None:
        channel, self.channels[number] = self.channels[number], None
        if channel is not None:
            channel.close()
        self._ray.kill(self.actors[number])

    def close(self) -> None:
        """End the workers, and Ray if it was started here."""
        for number in range(len(self.actors)):
            self._drop(number)
        if self._place is not None:
            self._place.close()
        if self._started:
            self._ray.shutdown()
