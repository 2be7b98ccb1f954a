"""What prims of USD state: values of attributes, and schemas that were applied."""

from __future__ import annotations

from typing import Any


def get_attribute(prim: Any, name: str, default: Any = None) -> Any:
    """The value of an attribute, or a default where none was written."""
    attribute = prim.GetAttribute(name)
    if not attribute or not attribute.HasAuthoredValue():
        return default
    return attribute.Get()


def has_attribute(prim: Any, name: str) -> bool:
    """Whether an attribute has a value that was written."""
    attribute = prim.GetAttribute(name)
    return bool(attribute) and attribute.HasAuthoredValue()


def has_applied_api_schema(prim: Any, schema_name: str) -> bool:
    """Whether a schema was applied, one that USD does not know included."""
    if schema_name in prim.GetAppliedSchemas():
        return True
    written = prim.GetMetadata("apiSchemas")
    return written is not None and schema_name in written.GetAddedOrExplicitItems()
