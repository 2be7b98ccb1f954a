"""Functions of semantic labels."""

from __future__ import annotations

from pxr import Usd

from unibody.isaac_core.experimental.prim_functions import get_prim_at_path
from unibody.isaac_core.functions import semantics
from unibody.isaac_core.kit import log


def add_labels(prim: str | Usd.Prim, *, labels: str | list[str], taxonomy: str = "class") -> None:
    """Give a prim labels of a kind, beside those it has."""
    new = [labels] if isinstance(labels, str) else list(labels)
    semantics.add_labels(get_prim_at_path(prim), new, taxonomy, overwrite=False)


def get_labels(prim: str | Usd.Prim, *, include_descendants: bool = False) -> dict[str, list[str]]:
    """Labels of a prim, and of those below it, by kind."""
    found: dict[str, list[str]] = {}
    for one in _prims(prim, include_descendants):
        for kind, labels in semantics.get_labels(one).items():
            kept = found.setdefault(kind, [])
            kept += [label for label in labels if label not in kept]
    return found


def remove_labels(
    prim: str | Usd.Prim,
    *,
    labels: str | list[str],
    taxonomy: str | None = None,
    include_descendants: bool = False,
) -> None:
    """Take labels of a kind away; None: of all kinds."""
    gone = {labels} if isinstance(labels, str) else set(labels)
    for one in _prims(prim, include_descendants):
        for kind, there in semantics.get_labels(one).items():
            if taxonomy in (None, kind):
                left = [label for label in there if label not in gone]
                semantics.add_labels(one, left, kind, overwrite=True)


def remove_all_labels(
    prim: str | Usd.Prim, *, remove_taxonomies: bool = False, include_descendants: bool = False
) -> None:
    """Take all labels away, and with ``remove_taxonomies`` the kinds, too."""
    for one in _prims(prim, include_descendants):
        for kind in semantics.get_labels(one):
            if remove_taxonomies:
                semantics.remove_labels(one, kind)
            else:
                semantics.add_labels(one, [], kind, overwrite=True)


def upgrade_prim_semantics_to_labels(
    prim: str | Usd.Prim, *, include_descendants: bool = False
) -> list[str]:
    """Replace labels of the earlier schema, of a prim or of those below, too, by lists of labels.

    A label without a kind or without a text stays, as a warning says.

    Returns:
        Paths of the prims that had such labels.
    """
    changed = []
    for one in _prims(prim, include_descendants):
        earlier = semantics.get_semantics(one)
        whole = {name for name, (kind, label) in earlier.items() if kind and label}
        for name in earlier.keys() - whole:
            log.log_warn(f"the label {name} of {one.GetPath()} has no kind or no text: it stays")
        if whole:
            semantics.upgrade_instances(one, whole)
            changed.append(str(one.GetPath()))
    return changed


def _prims(prim: str | Usd.Prim, below: bool) -> list[Usd.Prim]:
    one = get_prim_at_path(prim)
    return list(Usd.PrimRange(one)) if below else [one]
