"""Loggers of data."""

from __future__ import annotations

from unibody.isaac_core.loggers.data_logger import DataLogger

__all__ = ["DataLogger"]
