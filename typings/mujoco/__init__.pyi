# MuJoCo ships neither types nor stubs: its names are Any for the type checker.
from typing import Any

def __getattr__(name: str) -> Any: ...
