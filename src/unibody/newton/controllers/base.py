"""What all control laws have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Generic, TypeVar

InputT = TypeVar("InputT")
OutputT = TypeVar("OutputT")


class ControllerBase(ABC, Generic[InputT, OutputT]):
    """One control law: structs of arrays in, and structs of arrays out."""

    @abstractmethod
    def is_graphable(self) -> bool:
        """Whether `step` can be part of a CUDA graph."""

    @abstractmethod
    def input(self) -> InputT:
        """Make what `step` reads: arrays of zeros, and None where a feature is off."""

    @abstractmethod
    def output(self) -> OutputT:
        """Make what `step` writes."""

    @abstractmethod
    def step(self, *, inputs: InputT, outputs: OutputT, dt: Any) -> None:
        """Work out the outputs of one step.

        Args:
            inputs: As of `input`; scripts put arrays of their own into it.
            outputs: As of `output`; its arrays are overwritten.
            dt: The time of a step [s].
        """
