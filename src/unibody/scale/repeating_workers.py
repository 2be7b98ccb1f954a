"""Workers of Ray that keep a state, and have it again after they are lost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from unibody.errors import EngineError
from unibody.scale.cluster import start_ray

_LOG = 256 << 20  # [bytes] of what workers were told, kept to do a lost one's work again


class RepeatingWorkers:
    """Actors of one class; one that is lost is started again and repeats what it was told.

    Args:
        kind: Their class.
        arguments: What each is made with; each takes one CPU.
        address: Of a cluster of Ray; None: the one that runs in this process, or a new one on this
            machine.
        lost: The error where a worker was lost and what it was told is not kept.

    Attributes:
        actors: The workers.
    """

    def __init__(
        self, kind: Any, arguments: Sequence[tuple[Any, ...]], address: str | None, lost: str
    ) -> None:
        import ray

        self._ray, self._kind, self._arguments, self._lost = ray, kind, arguments, lost
        self._started = not ray.is_initialized()
        if self._started:
            start_ray(len(arguments), address)
        self._log: list[tuple[str, Sequence[tuple[Any, ...]]]] = []
        self._logged = 0
        self.actors: list[Any] = [self._begin(number) for number in range(len(arguments))]

    def _begin(self, number: int) -> Any:
        return self._ray.remote(num_cpus=1)(self._kind).remote(*self._arguments[number])

    @property
    def is_fresh(self) -> bool:
        """Whether they were told nothing yet, or nothing since `forget`."""
        return not self._log and not self._logged

    def forget(self) -> None:
        """Nothing that they were told so far matters any more."""
        self._log, self._logged = [], 0

    def call(self, name: str, told: Sequence[tuple[Any, ...]], size: int = 0) -> list[Any]:
        """Call a method of all of them, at once; what each gives.

        Args:
            name: Of the method.
            told: Its arguments, of each.
            size: How much of the log they take [bytes].

        Raises:
            EngineError: A worker was lost whose work is too long to be done again.
        """
        from ray.exceptions import RayActorError

        self._logged += size
        if self._logged <= _LOG:
            self._log.append((name, told))
        else:
            self._log = []
        flying = [
            getattr(actor, name).remote(*each)
            for actor, each in zip(self.actors, told, strict=True)
        ]
        found: list[Any] = []
        for number, reference in enumerate(flying):
            try:
                found.append(self._ray.get(reference))
            except RayActorError:
                found.append(self._again(number))
        return found

    def _again(self, number: int) -> Any:
        """Do the work of a lost worker once more; what its last call gives."""
        from ray.exceptions import RayActorError

        if not self._log:
            raise EngineError(self._lost)
        while True:
            actor = self.actors[number] = self._begin(number)
            try:
                found: Any = None
                for name, told in self._log:
                    found = self._ray.get(getattr(actor, name).remote(*told[number]))
            except RayActorError:
                continue
            return found

    def close(self) -> None:
        """End the workers, and Ray if it was started here."""
        for actor in self.actors:
            self._ray.kill(actor)
        if self._started:
            self._ray.shutdown()
