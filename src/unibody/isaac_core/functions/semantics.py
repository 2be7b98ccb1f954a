"""Labels of prims: the earlier schema of pairs, and the lists of labels that USD has now."""

from __future__ import annotations

from collections import Counter

from pxr import Usd, UsdGeom, UsdSemantics

from unibody.isaac_core import handles
from unibody.isaac_core.schemas.semantics import SemanticsAPI

_START = "SemanticsAPI:"


def add_update_semantics(
    prim: Usd.Prim, semantic_label: str, type_label: str = "class", suffix: str = ""
) -> None:
    """Give a prim a label, or change it.

    Args:
        prim: The prim.
        semantic_label: The label.
        type_label: The kind of label.
        suffix: Tells several labels of a prim apart.
    """
    made = SemanticsAPI.Apply(prim, f"Semantics{suffix}")
    made.CreateSemanticTypeAttr(type_label)
    made.CreateSemanticDataAttr(semantic_label)


def get_semantics(prim: Usd.Prim) -> dict[str, tuple[str, str]]:
    """Labels of a prim by the names of their instances: the kind and the label."""
    found = {}
    for name in _instances(prim):
        label = SemanticsAPI.Get(prim, name)
        found[name] = (label.GetSemanticTypeAttr().Get(), label.GetSemanticDataAttr().Get())
    return found


def remove_all_semantics(prim: Usd.Prim, recursive: bool = False) -> None:
    """Take all labels of the earlier schema away, with ``recursive`` of those below, too."""
    for one in Usd.PrimRange(prim) if recursive else [prim]:
        for name in _instances(one):
            _remove(one, name)


def add_labels(
    prim: Usd.Prim, labels: list[str], instance_name: str = "class", overwrite: bool = True
) -> None:
    """Give a prim labels of a kind.

    Args:
        prim: The prim.
        labels: The labels.
        instance_name: The kind.
        overwrite: Whether they replace those it has.
    """
    there = [] if overwrite else get_labels(prim).get(instance_name, [])
    api = UsdSemantics.LabelsAPI.Apply(prim, instance_name)
    api.CreateLabelsAttr().Set(list(dict.fromkeys([*there, *labels])))


def get_labels(prim: Usd.Prim) -> dict[str, list[str]]:
    """Labels of a prim by kind."""
    names = UsdSemantics.LabelsAPI.GetDirectTaxonomies(prim)
    found = {str(name): UsdSemantics.LabelsAPI(prim, name).GetLabelsAttr().Get() for name in names}
    return {name: list(labels or ()) for name, labels in found.items()}


def remove_labels(
    prim: Usd.Prim, instance_name: str | None = None, include_descendants: bool = False
) -> None:
    """Take labels of a kind away; None: of all kinds."""
    for one in Usd.PrimRange(prim) if include_descendants else [prim]:
        for name in get_labels(one):
            if instance_name in {None, name}:
                attribute = UsdSemantics.LabelsAPI(one, name).GetLabelsAttr()
                one.RemoveProperty(attribute.GetName())
                one.RemoveAPI(UsdSemantics.LabelsAPI, name)


def upgrade_prim_semantics_to_labels(prim: Usd.Prim, include_descendants: bool = False) -> int:
    """Replace labels of the earlier schema by lists of labels.

    Returns:
        How many were replaced.
    """
    count = 0
    for one in Usd.PrimRange(prim) if include_descendants else [prim]:
        for kind, label in get_semantics(one).values():
            if kind and label:
                add_labels(one, [label], kind, overwrite=False)
                count += 1
        remove_all_semantics(one)
    return count


def check_missing_labels(prim_path: str | None = None) -> list[str]:
    """Paths of meshes without labels, of the whole stage or below a prim."""
    return [str(m.GetPath()) for m in _meshes(prim_path) if not get_labels(m)]


def check_incorrect_labels(
    prim_path: str | None = None, validate_against_prim_path: bool = False
) -> list[list[str]]:
    """Meshes with a label that does not stand in their paths.

    Args:
        prim_path: Only those at or below this prim.
        validate_against_prim_path: Whether labels are compared with paths at all; any label is
            right if they are not.

    Returns:
        The path and the label of each.
    """
    if not validate_against_prim_path:
        return []
    return [
        [str(mesh.GetPath()), label]
        for mesh in _meshes(prim_path)
        for labels in get_labels(mesh).values()
        for label in labels
        if label.lower() not in str(mesh.GetPath()).lower()
    ]


def count_labels_in_scene(prim_path: str | None = None) -> dict[str, int]:
    """How many meshes have each label; those without are "missing_labels"."""
    counts = Counter({"missing_labels": len(check_missing_labels(prim_path))})
    for mesh in _meshes(prim_path):
        counts.update(label for labels in get_labels(mesh).values() for label in labels)
    return dict(counts)


def upgrade_instances(prim: Usd.Prim, names: set[str]) -> None:
    """Replace labels of the earlier schema, by the names of their instances, by lists of labels."""
    for name, (kind, label) in get_semantics(prim).items():
        if name in names:
            _remove(prim, name)
            add_labels(prim, [label], kind, overwrite=False)


def _remove(prim: Usd.Prim, name: str) -> None:
    for part in ("semanticType", "semanticData"):
        prim.RemoveProperty(f"semantic:{name}:params:{part}")
    prim.RemoveAppliedSchema(f"{_START}{name}")


def _instances(prim: Usd.Prim) -> list[str]:
    schemas = prim.GetAppliedSchemas()
    return [name.removeprefix(_START) for name in schemas if name.startswith(_START)]


def _meshes(prim_path: str | None) -> list[Usd.Prim]:
    stage = handles.current_stage()
    root = stage.GetPseudoRoot() if prim_path is None else handles.prim_at(prim_path)
    return [prim for prim in Usd.PrimRange(root) if prim.IsA(UsdGeom.Mesh)]
