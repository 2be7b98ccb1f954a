"""Bodies of articulations: masses, inertias, gravity."""

from __future__ import annotations

from typing import Any

import numpy as np

from unibody.isaac_core import arrays
from unibody.isaac_core.prims.articulation_base import ArticulationBase
from unibody.isaac_core.prims.xform_view import Array
from unibody.isaac_core.simulation.manager import simulation


class ArticulationBodies(ArticulationBase):
    """(M, K) of M articulations and K bodies; None while nothing is simulated."""

    def get_body_masses(
        self,
        indices: Array = None,
        body_indices: Array = None,
        clone: bool = True,
        body_names: list[str] | None = None,
    ) -> Array:
        """(M, K) masses [kg]."""
        return self._bodies("get_masses", indices, body_indices, clone, body_names)

    def get_body_inv_masses(
        self,
        indices: Array = None,
        body_indices: Array = None,
        clone: bool = True,
        body_names: list[str] | None = None,
    ) -> Array:
        """(M, K) reciprocals of the masses [1/kg]."""
        return self._bodies("get_inv_masses", indices, body_indices, clone, body_names)

    def get_body_inertias(
        self,
        indices: Array = None,
        body_indices: Array = None,
        clone: bool = True,
        body_names: list[str] | None = None,
    ) -> Array:
        """(M, K, 9) inertias [kg m^2] about the centres of mass."""
        return self._bodies("get_inertias", indices, body_indices, clone, body_names)

    def get_body_inv_inertias(
        self,
        indices: Array = None,
        body_indices: Array = None,
        clone: bool = True,
        body_names: list[str] | None = None,
    ) -> Array:
        """(M, K, 9) inverses of the inertias."""
        return self._bodies("get_inv_inertias", indices, body_indices, clone, body_names)

    def get_body_disable_gravity(
        self,
        indices: Array = None,
        body_indices: Array = None,
        clone: bool = True,
        body_names: list[str] | None = None,
    ) -> Array:
        """(M, K) whether gravity is off."""
        return self._bodies("get_disable_gravities", indices, body_indices, clone, body_names)

    def get_body_coms(
        self,
        indices: Array = None,
        body_indices: Array = None,
        clone: bool = True,
        body_names: list[str] | None = None,
    ) -> tuple[Array, Array]:
        """(M, K, 3) centres of mass and (M, K, 4) orientations w, x, y, z in the bodies' frames."""
        if not self._ready("get_body_coms"):
            return None  # type: ignore[return-value]
        poses = self._plain_coms()
        chosen = poses[np.ix_(self._rows(indices), self._which(body_indices, body_names))]
        return arrays.out(chosen[..., :3]), arrays.out(chosen[..., [6, 3, 4, 5]])

    def set_body_masses(
        self,
        values: Array,
        indices: Array = None,
        body_indices: Array = None,
        body_names: list[str] | None = None,
    ) -> None:
        """Set (M, K) masses [kg]."""
        self._set_bodies("masses", values, indices, body_indices, body_names)

    def set_body_inertias(
        self,
        values: Array,
        indices: Array = None,
        body_indices: Array = None,
        body_names: list[str] | None = None,
    ) -> None:
        """Set (M, K, 9) inertias [kg m^2]."""
        self._set_bodies("inertias", values, indices, body_indices, body_names)

    def set_body_disable_gravity(
        self,
        values: Array,
        indices: Array = None,
        body_indices: Array = None,
        body_names: list[str] | None = None,
    ) -> None:
        """Set (M, K) whether gravity is off."""
        self._set_bodies("disable_gravities", values, indices, body_indices, body_names)

    def set_body_coms(
        self,
        positions: Array = None,
        orientations: Array = None,
        indices: Array = None,
        body_indices: Array = None,
        body_names: list[str] | None = None,
    ) -> None:
        """Set (M, K, 3) centres of mass and (M, K, 4) orientations; what is None stays."""
        if not self._ready("set_body_coms"):
            return
        utils, which = simulation.backend_utils(), self._rows(indices)
        poses = np.array(self._plain_coms())
        chosen = np.ix_(which, self._which(body_indices, body_names))
        part = poses[chosen]
        if positions is not None:
            part[..., :3] = utils.to_numpy(positions)
        if orientations is not None:
            part[..., [6, 3, 4, 5]] = utils.to_numpy(orientations)
        poses[chosen] = part
        self._physics_view.set_coms(arrays.out(poses), arrays.row_numbers(which))

    def _plain_coms(self) -> np.ndarray:
        poses = simulation.backend_utils().to_numpy(self._physics_view.get_coms())
        return poses.reshape(self.count, self.num_bodies, 7)

    def _which(self, bodies: Any, names: list[str] | None) -> np.ndarray:
        if names is not None:
            bodies = [self.get_body_index(name) for name in names]
        return arrays.rows(bodies, self.num_bodies or 0)

    def _bodies(self, getter: str, indices: Any, bodies: Any, clone: bool, names: Any) -> Any:
        if not self._ready(getter):
            return None
        return self._read(getter, indices, self._which(bodies, names), clone)

    def _set_bodies(self, name: str, values: Any, indices: Any, bodies: Any, names: Any) -> None:
        if self._ready(f"set_{name}"):
            self._write_columns(name, values, indices, self._which(bodies, names))
