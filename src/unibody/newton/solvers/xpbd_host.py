"""Corrections of particles of SolverXPBD on the processor, in compiled code of core.

Steps are recorded in Warp's graphs as calls of the host; what belongs to shapes stays in kernels.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import warp as wp

from unibody.core.deform.xpbd.corrections import Corrections
from unibody.core.deform.xpbd.neighbors import Touching
from unibody.core.deform.xpbd.rounds import BendTable, Particles, SpringTable, TetrahedronTable
from unibody.newton.solvers import host_steps
from unibody.newton.solvers.spring_changes import SpringChanges

if TYPE_CHECKING:
    from unibody.newton.model import Model
    from unibody.newton.state import Control


def corrections_of(model: Model) -> Corrections | None:
    """What corrects a model's particles; None where kernels do: there are none, or not here."""
    if model.device.is_cuda or not model.particle_count:
        return None
    return Corrections(model.particle_count, *_ends(model))


def _ends(model: Model) -> tuple[Any, ...]:
    """Particles of springs, angles and tetrahedra; those of springs as pairs."""
    springs, bends, tetrahedra = (
        _table(model, name) for name in ("spring_indices", "edge_indices", "tet_indices")
    )
    return springs.reshape(-1, 2), bends, tetrahedra


def _follow(model: Model, changes: SpringChanges, corrections: Corrections) -> None:
    """Take springs whose ends a script has changed."""
    if changes.found():
        corrections.follow(*_ends(model))


class HostRounds:
    """The rounds of one step.

    Args:
        solver: Whose step it is.
        control: Activations of tetrahedra.
        x: Places of particles, changed between rounds.
        v: Their velocities.
        dt: Time step [s].
        corrections: Those of the solver.

    Attributes:
        deltas: How far particles are asked to go.
    """

    def __init__(
        self, solver: Any, control: Control, x: Any, v: Any, dt: float, corrections: Corrections
    ) -> None:
        model = solver.model
        self._solver, self._corrections, self._dt = solver, corrections, dt
        self.deltas: wp.array[Any] = wp.zeros_like(x, requires_grad=False)
        inverse = model.particle_inv_mass.numpy()
        self._particles = Particles(x.numpy(), v.numpy(), inverse, self.deltas.numpy())
        self._tables = _tables(model, control)
        self._touch = model.particle_max_radius > 0.0 and model.particle_count > 1
        self._touching = _touching(model, solver.soft_contact_relaxation)

    def begin(self) -> None:
        """Begin a step: nothing was pulled yet."""
        touching = self._touching if self._touch else None
        follow = partial(
            _follow, self._solver.model, self._solver.spring_changes, self._corrections
        )
        host_steps.run(self._solver, follow)
        work = partial(self._corrections.begin, self._particles, *self._tables, touching)
        host_steps.run(self._solver, work)

    def ask(self) -> None:
        """Write how far elements and one another ask particles to go."""
        work = partial(
            self._corrections.round, self._particles, *self._tables, self._touching, self._dt,
            relaxation=self._solver.soft_body_relaxation, touch=self._touch,
        )  # fmt: skip
        host_steps.run(self._solver, work)


def _table(model: Model, name: str) -> Any:
    array = getattr(model, name)
    return np.zeros(0, np.int32) if array is None else array.numpy()


def _tables(model: Model, control: Control) -> tuple[Any, ...]:
    """What elements are now; scripts may have changed it."""

    def read(name: str, shape: tuple[int, ...]) -> Any:
        array = getattr(model, name)
        empty = np.int32 if name.endswith("indices") else np.float32
        found = np.zeros(0, empty) if array is None else array.numpy()
        return np.ascontiguousarray(found.reshape(shape))

    activation = control.tet_activations
    if activation is None:
        activation = model.tet_activations
    springs = SpringTable(
        read("spring_indices", (-1,)), read("spring_rest_length", (-1,)),
        read("spring_stiffness", (-1,)), read("spring_damping", (-1,)),
        np.zeros(model.spring_count, np.float32),
    )  # fmt: skip
    bends = BendTable(
        read("edge_indices", (-1, 4)), read("edge_rest_angle", (-1,)),
        read("edge_bending_properties", (-1, 2)),
        np.zeros(model.edge_count, np.float32),
    )  # fmt: skip
    tetrahedra = TetrahedronTable(
        read("tet_indices", (-1, 4)), read("tet_poses", (-1, 3, 3)),
        np.zeros(0, np.float32) if activation is None else activation.numpy(),
        read("tet_materials", (-1, 3)),
        np.zeros(2 * model.tet_count, np.float32),
    )  # fmt: skip
    return springs, bends, tetrahedra


def _touching(model: Model, relaxation: float) -> Touching:
    world = model.particle_world.numpy()
    worlds = 1 if not len(world) or world.min() < 0 else int(world.max()) + 1
    numbers = [
        model.particle_mu, model.particle_cohesion, model.particle_max_radius, relaxation, worlds,
    ]  # fmt: skip
    return Touching(
        model.particle_radius.numpy(), model.particle_flags.numpy(), world,
        np.array(numbers, np.float32),
    )  # fmt: skip
