# Untyped for the type checker: its names are Any.
from typing import Any

def __getattr__(name: str) -> Any: ...
