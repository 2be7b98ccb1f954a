"""Which pairs of shapes a collision pipeline looks at: a list, all, or those of a tree of boxes."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from unibody.errors import InvalidArgumentError
from unibody.newton.collision import broad_kernels as kernels

MODES = ("explicit", "nxn", "sap")


def mode_named(mode: Any) -> str:
    """The name of a mode, of its name in any case or of an enumeration's member.

    Raises:
        InvalidArgumentError: There is no such mode.
    """
    name = str(getattr(mode, "name", mode)).lower()
    if name not in MODES:
        raise InvalidArgumentError(
            "broad_phase", mode, f"Unsupported broad phase mode: one of {', '.join(MODES)}"
        )
    return name


class BroadPhase:
    """Finds pairs of shapes whose boxes overlap.

    Args:
        model: Whose shapes.
        mode: "explicit": of a list; "nxn": of all; "sap": of all, by a tree of boxes.
        candidates: The list; None: the model's.
        held: Whether pairs of which neither moves by forces are found.
    """

    def __init__(
        self, model: Any, mode: str, candidates: wp.array[Any] | None, *, held: bool = True
    ) -> None:
        self._model = model
        self._refused = int(not held)
        self.mode = mode
        self._tree: wp.Bvh | None = None
        self.candidates: Any = None
        with wp.ScopedDevice(model.device):
            self.lower: wp.array[Any] = wp.zeros(model.shape_count, dtype=wp.vec3)
            self.upper: wp.array[Any] = wp.zeros(model.shape_count, dtype=wp.vec3)
            self.count: wp.array[Any] = wp.zeros(1, dtype=wp.int32)
            if mode == "explicit":
                self.candidates = model.shape_contact_pairs if candidates is None else candidates
                size = len(self.candidates)
            else:
                rows = sorted(model.shape_collision_filter_pairs)
                self.filtered: wp.array[Any] = wp.array(
                    np.array(rows, np.int32).reshape(-1, 2), dtype=wp.vec2i
                )
                size = model.shape_contact_pair_count
            self.pairs: wp.array[Any] = wp.zeros(size, dtype=wp.vec2i)

    def find(self) -> None:
        """Write the pairs whose boxes, in `lower` and `upper`, overlap."""
        model, device = self._model, self._model.device
        self.count.zero_()
        if not len(self.pairs):
            return
        if self.mode == "explicit":
            wp.launch(
                kernels.of_list,
                dim=len(self.candidates),
                inputs=[
                    self.candidates,
                    model.shape_body,
                    model.body_flags,
                    self._refused,
                    self.lower,
                    self.upper,
                ],
                outputs=[self.pairs, self.count],
                device=device,
                record_tape=False,
            )
            return
        inputs = [
            model.shape_body,
            model.body_flags,
            self._refused,
            self.lower,
            self.upper,
            model.shape_flags,
            model.shape_collision_group,
            model.shape_world,
            self.filtered,
        ]
        kernel = kernels.of_all
        if self.mode == "sap":
            kernel = kernels.of_tree
            tree = self._tree
            if tree is None:
                tree = self._tree = wp.Bvh(self.lower, self.upper)
            else:
                tree.rebuild()
            inputs.insert(0, tree.id)
        wp.launch(
            kernel,
            dim=model.shape_count,
            inputs=inputs,
            outputs=[self.pairs, self.count],
            device=device,
            record_tape=False,
        )
