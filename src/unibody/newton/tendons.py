"""Guides of tendons: what cables without mass run over (of 1.x)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Any


class TendonGuideType(IntEnum):
    """What a tendon does at a guide."""

    ROLLER = 0
    ANCHOR = 1
    PINHOLE = 2


class TendonGuideFlags(IntEnum):
    """Bits of ``tendon_guide_flags``."""

    DYNAMIC = 1 << 0


@dataclass(frozen=True, kw_only=True)
class TendonGuide:
    """A guide of a tendon, and the straight span that leads to it.

    Attributes:
        body: The body that it is on; -1: the world.
        guide_type: An anchor holds the cable, through a pinhole it slides, a roller it runs around.
        radius: Of a roller [m].
        orientation: 1: a cable that moves forward turns the roller about its axis; -1: against it.
        mu: Friction of the cable on the guide.
        dynamic: Whether the cable runs around a roller only while it pushes the cable aside.
        offset: The point, or the middle of a roller, in the body's frame [m].
        axis: Of a roller, in the body's frame; any length but zero.
        compliance: Stretch of the span by its tension [m/N]; 0: as good as none.
        damping: Tension by the speed of stretching [N s/m].
        rest_length: Of the span [m]; negative: as long as the model's poses make it.
        custom_attributes: Key -> value, of frequency TENDON_GUIDE.
        segment_custom_attributes: Key -> value of the span, of frequency TENDON_SEGMENT.
    """

    body: int
    guide_type: TendonGuideType = TendonGuideType.ANCHOR
    radius: float = 0.0
    orientation: int = 1
    mu: float = 0.0
    dynamic: bool = False
    offset: Any = (0.0, 0.0, 0.0)
    axis: Any = (0.0, 0.0, 1.0)
    compliance: float = 0.0
    damping: float = 0.0
    rest_length: float = -1.0
    custom_attributes: dict[str, Any] | None = None
    segment_custom_attributes: dict[str, Any] | None = None
