# USD ships no types: its names are Any for the type checker.
from typing import Any

def __getattr__(name: str) -> Any: ...
